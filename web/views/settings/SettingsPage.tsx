// The settings page with its sections: general, models, MCP servers, agents, devices and the settings file.
import { useEffect, useRef } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, settingsSections } from '../../state/route.ts';
import type { SettingsSection } from '../../state/route.ts';
import { SignInForm } from '../ask/SignInForm.tsx';
import { Agents } from './Agents.tsx';
import { Devices } from './Devices.tsx';
import { Providers } from './Providers.tsx';
import { McpServers } from './McpServers.tsx';
import { SettingsFile } from './SettingsFile.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';

const labels: Readonly<Record<SettingsSection, string>> = {
  page: 'General',
  models: 'Models',
  tools: 'MCP servers',
  agents: 'Agents',
  devices: 'Devices',
  file: 'Settings file',
};

/** Sections that need the extension requests of Parley. */
const parleyOnly: readonly SettingsSection[] = ['models', 'tools', 'devices', 'file'];

export function SettingsPage({ section }: { readonly section: SettingsSection }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const managed = client.access.value !== undefined && mayControl;
  const shown = settingsSections.filter((name) => managed || !parleyOnly.includes(name));
  const tabs = useRef<HTMLElement>(null);
  // Not all tabs fit on a phone.
  useEffect(
    () =>
      tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' }),
    [section, managed],
  );
  const signIns = [...client.authRequired.value.values()];
  return (
    <section class="page settings">
      <h1 tabIndex={-1}>Settings</h1>
      <nav ref={tabs} class="tabs" aria-label="Settings sections">
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
      {signIns.length > 0 && <h2>Sign-in required</h2>}
      {signIns.map(({ resource }) => (
        <SignInForm key={resource.resource} resource={resource} />
      ))}
      {shown.includes(section) ? (
        <Section section={section} managed={managed} />
      ) : (
        <p class="hint">{mayControl ? 'Loading…' : 'This device cannot change settings.'}</p>
      )}
    </section>
  );
}

function Section({ section, managed }: { readonly section: SettingsSection; readonly managed: boolean }) {
  switch (section) {
    case 'page':
      return <GeneralSettings />;
    case 'models':
      return <Providers />;
    case 'tools':
      return <McpServers />;
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
