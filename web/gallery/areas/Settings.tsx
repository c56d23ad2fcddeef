// Every section of the settings, and what they show while they load, when nothing is there and after errors.
import type { LoginStep } from '../../../client/connection/extensions.ts';
import type { SettingsSection } from '../../state/route.ts';
import { AddDevice } from '../../views/settings/AddDevice.tsx';
import { LoginStepView } from '../../views/settings/LoginStepView.tsx';
import { SettingsPage } from '../../views/settings/SettingsPage.tsx';
import { Area, Host, Part, Pressed, Stage } from '../Part.tsx';
import { listening, listeningOpen } from '../samples/settings.ts';
import { busy, empty, failing, world } from '../samples/world.ts';
import type { Tables } from '../tableClient.ts';
import { nothing } from '../surroundings.ts';

const signIn = { resource: 'https://mcp.example.com', resource_name: 'Example' };

const steps: readonly LoginStep[] = [
  {
    kind: 'choose',
    ways: [
      { key: 'key', label: 'API key' },
      { key: 'web', label: 'In the browser' },
    ],
  },
  {
    kind: 'fields',
    fields: [
      { key: 'key', label: 'API key', type: 'secret' },
      { key: 'org', label: 'Organisation', type: 'text' },
    ],
  },
  { kind: 'visit', url: 'https://example.com/login' },
  { kind: 'visit', url: 'https://example.com/login', fields: [{ key: 'code', label: 'Code', type: 'text' }] },
  { kind: 'device', url: 'https://example.com/device', code: 'ABCD-1234' },
];

export function Settings() {
  return (
    <Area title="Settings">
      <Section title="General" section="page" tables={{ ...world, authRequired: [signIn] }} />
      <Section title="Models" section="models" />
      <Part title="Sign in to a provider">
        {steps.map((step, index) => (
          <LoginStepView
            key={index}
            {...{ step, label: 'Example', busy: false }}
            {...{ onWay: nothing, onInput: nothing, onClose: nothing }}
          />
        ))}
      </Part>
      <Section title="MCP servers" section="tools" presses={['Sign in', 'Edit']} />
      <Section title="Agents" section="agents" />
    </Area>
  );
}

export function MoreSettings() {
  return (
    <Area title="Settings, continued">
      <Section title="Permissions" section="permissions" />
      <Section title="Devices" section="devices" presses={['Allow other devices…']} />
      <Section title="Devices, port in use" section="devices" tables={portInUse} />
      <Section title="Devices, in the network" section="devices" tables={open} />
      <Part title="Link for a device">
        <AddDevice state={listeningOpen} immediately />
        <AddDevice state={listening} immediately />
      </Part>
      <Section title="Usage" section="usage" />
      <Section title="Settings file" section="file" />
    </Area>
  );
}

const answers = world.answers;
const portInUse: Tables = {
  ...world,
  answers: { ...answers, 'listening/read': () => ({ ...listening, problem: 'Port 4518 is in use.' }) },
};
const open: Tables = { ...world, answers: { ...answers, 'listening/read': () => listeningOpen } };

const states = { Loading: busy, Empty: empty, Failed: failing };

export function SettingsWithout() {
  return (
    <Area title="Settings without data">
      {Object.entries(states).map(([name, tables]) =>
        (['tools', 'permissions', 'devices', 'usage'] as const).map((section) => (
          <Section key={`${name} ${section}`} title={`${name}: ${section}`} {...{ section, tables }} />
        )),
      )}
    </Area>
  );
}

interface SectionProps {
  readonly title: string;
  readonly section: SettingsSection;
  readonly tables?: Tables;
  readonly presses?: readonly string[];
}

function Section({ title, section, tables = world, presses = [] }: SectionProps) {
  return (
    <Part title={title}>
      <Host tables={tables}>
        <Pressed names={presses}>
          <Stage size="whole">
            <SettingsPage section={section} />
          </Stage>
        </Pressed>
      </Host>
    </Part>
  );
}
