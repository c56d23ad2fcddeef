// The settings page with its sections: general, models, MCP servers, agents, permissions, devices,
// usage and the settings file.
import { useEffect, useRef } from 'preact/hooks';
import { useClient } from '../../state/app.ts';
import { usePageTitle } from '../../state/pageTitle.ts';
import { useHasRole } from '../../state/role.ts';
import { addressOf, settingsSections } from '../../state/route.ts';
import type { SettingsSection } from '../../state/route.ts';
import { Icon } from '../parts/Icon.tsx';
import type { IconName } from '../parts/Icon.tsx';
import { SignInForm } from '../ask/SignInForm.tsx';
import { Agents } from './Agents.tsx';
import { Budgets } from './Budgets.tsx';
import { Devices } from './Devices.tsx';
import { Permissions } from './Permissions.tsx';
import { Providers } from './Providers.tsx';
import { McpServers } from './McpServers.tsx';
import { SettingsFile } from './SettingsFile.tsx';
import { GeneralSettings } from './GeneralSettings.tsx';
import { Spending } from '../usage/Spending.tsx';

export const sectionLabels: Readonly<Record<SettingsSection, string>> = {
  page: 'General',
  models: 'Models',
  tools: 'MCP servers',
  agents: 'Agents',
  permissions: 'Permissions',
  devices: 'Devices',
  usage: 'Usage and budgets',
  file: 'Settings file',
};

const icons: Readonly<Record<SettingsSection, IconName>> = {
  page: 'sliders',
  models: 'chip',
  tools: 'plug',
  agents: 'spark',
  permissions: 'hand',
  devices: 'phone',
  usage: 'coin',
  file: 'doc',
};

/** Sections that need the extension requests of Parley. */
const parleyOnly: readonly SettingsSection[] = ['models', 'tools', 'permissions', 'devices', 'usage', 'file'];

export function SettingsPage({ section }: { readonly section: SettingsSection }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const managed = client.access.value !== undefined && mayControl;
  const shown = settingsSections.filter((name) => managed || !parleyOnly.includes(name));
  const signIns = [...client.authRequired.value.values()];
  const nav = useRef<HTMLElement>(null);
  usePageTitle('Settings');
  // On a phone the sections are one line that scrolls.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [section, shown.length]);
  return (
    <div class="scroll">
      <div class="settings">
        <nav ref={nav} class="settings-nav" aria-label="Settings sections">
          <h1 tabIndex={-1}>Settings</h1>
          {shown.map((name) => (
            <a
              key={name}
              class="nav-item"
              href={addressOf({ page: 'settings', section: name })}
              aria-current={name === section ? 'page' : undefined}
            >
              <Icon name={icons[name]} />
              {sectionLabels[name]}
            </a>
          ))}
        </nav>
        <div class="settings-body">
          {signIns.length > 0 && (
            <section class="section">
              <h2>Sign-in required</h2>
              {signIns.map(({ resource }) => (
                <SignInForm key={resource.resource} resource={resource} />
              ))}
            </section>
          )}
          <section class="section">
            <h2>{sectionLabels[section]}</h2>
            {shown.includes(section) ? (
              <Section section={section} managed={managed} />
            ) : (
              <p class="lead">{mayControl ? 'Loading…' : 'This device cannot change settings.'}</p>
            )}
          </section>
        </div>
      </div>
    </div>
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
    case 'permissions':
      return <Permissions />;
    case 'devices':
      return <Devices />;
    case 'usage':
      return (
        <>
          <Spending />
          <Budgets />
        </>
      );
    case 'file':
      return <SettingsFile />;
    default:
      return section satisfies never;
  }
}
