// The settings in sections: this browser, models, tools, agents, devices, and the settings file of the host.
import { useEffect, useRef } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { useMay } from '../../state/role.ts';
import { addressOf } from '../../state/route.ts';
import type { SettingsSection } from '../../state/route.ts';
import { SignInForm } from '../ask/SignInForm.tsx';
import { Agents } from './Agents.tsx';
import { Devices } from './Devices.tsx';
import { Providers } from './Providers.tsx';
import { Servers } from './Servers.tsx';
import { SettingsFile } from './SettingsFile.tsx';
import { ThisPage } from './ThisPage.tsx';

const labels: Readonly<Record<SettingsSection, string>> = {
  page: 'This page',
  models: 'Models',
  tools: 'MCP servers',
  agents: 'Agents',
  devices: 'Devices',
  file: 'Settings file',
};

/** What a host of others has no way to tell. */
const ours: readonly SettingsSection[] = ['models', 'tools', 'devices', 'file'];

export function SettingsPage({ section }: { readonly section: SettingsSection }) {
  const client = useClient();
  const mayControl = useMay('control');
  const managed = client.me.value !== undefined && mayControl;
  const shown = (['page', 'models', 'tools', 'agents', 'devices', 'file'] as const).filter(
    (name) => managed || !ours.includes(name),
  );
  const tabs = useRef<HTMLElement>(null);
  // On a phone not all of them fit.
  useEffect(
    () =>
      tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [section, managed],
  );
  const due = [...client.authRequired.value.values()];
  return (
    <section class="page settings">
      <h1 tabIndex={-1}>Settings</h1>
      <nav ref={tabs} class="tabs" aria-label="Sections of the settings">
        {shown.map((name) => (
          <a
            key={name}
            href={addressOf({ page: 'settings', section: name })}
            aria-current={name === section ? 'page' : undefined}
          >
            {labels[name]}
          </a>
        ))}
      </nav>
      {due.length > 0 && <h2>Sign-ins that are due</h2>}
      {due.map(({ resource }) => (
        <SignInForm key={resource.resource} resource={resource} />
      ))}
      {shown.includes(section) ? (
        <Section section={section} managed={managed} />
      ) : (
        <p class="hint">{mayControl ? 'Loading…' : 'This device may not change the host.'}</p>
      )}
    </section>
  );
}

function Section({ section, managed }: { readonly section: SettingsSection; readonly managed: boolean }) {
  switch (section) {
    case 'page':
      return <ThisPage />;
    case 'models':
      return <Providers />;
    case 'tools':
      return <Servers />;
    case 'agents':
      return <Agents managed={managed} />;
    case 'devices':
      return <Devices />;
    case 'file':
      return <SettingsFile />;
    default:
      return section satisfies never;
  }
}
