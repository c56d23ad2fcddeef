// Settings of this page, and what the host offers: its agents, its own settings, sign-ins that are due.
import { useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { canNotify, notifying, setNotifying } from '../../state/notify.ts';
import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
import { SignInForm } from '../ask/SignInForm.tsx';
import { ConfigForm } from '../parts/ConfigForm.tsx';

const themes: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: 'As the system' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

const shortcuts = [
  ['Enter', 'send; queue while the agent works'],
  ['Shift+Enter', 'new line'],
  ['Ctrl+Enter', 'steer the running turn'],
  ['Alt+N', 'new session'],
  ['Alt+I', 'inbox'],
  ['Alt+W', 'go to what waits for you on this page'],
  ['Alt+M', 'go to the message field'],
] as const;

export function SettingsPage() {
  const client = useClient();
  const root = client.root.state.value;
  const host = client.host.value;
  const properties = root?.config?.schema.properties ?? {};
  const due = [...client.authRequired.value.values()];
  return (
    <section class="page settings">
      <h1 tabIndex={-1}>Settings</h1>
      <h2>This page</h2>
      <fieldset>
        <legend>Appearance</legend>
        {themes.map(({ id, label }) => (
          <label key={id} class="choice">
            <input type="radio" name="theme" checked={theme.value === id} onChange={() => (theme.value = id)} />
            <span>{label}</span>
          </label>
        ))}
      </fieldset>
      <label class="choice">
        <input type="checkbox" checked={notifying.value} disabled={!canNotify()} onChange={(event) => void setNotifying(event.currentTarget.checked)} />
        <span>
          Notify me when a session needs me
          <span class="description">Your browser will ask for permission.</span>
        </span>
      </label>
      <h2>Agents</h2>
      <ul class="agents">
        {root?.agents.map(({ provider, displayName, description, models }) => (
          <li key={provider}>
            <h3>{displayName}</h3>
            <p>{description}</p>
            {models.length > 0 && <p class="hint">Models: {models.map(({ name }) => name).join(', ')}</p>}
          </li>
        ))}
      </ul>
      {due.length > 0 && <h2>Sign-ins</h2>}
      {due.map(({ resource }) => (
        <SignInForm key={resource.resource} resource={resource} />
      ))}
      {Object.keys(properties).length > 0 && (
        <>
          <h2>Host</h2>
          <ConfigForm properties={properties} values={root?.config?.values ?? {}} onChange={(config) => void act(client, client.root, { type: 'root/configChanged', config })} />
        </>
      )}
      <h2>Keys</h2>
      <dl class="keys">
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys}>
            <dt><kbd>{keys}</kbd></dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {host?.serverInfo?.title ?? host?.serverInfo?.name ?? 'Host'} {host?.serverInfo?.version ?? ''}, protocol {host?.protocolVersion ?? '–'}
      </p>
    </section>
  );
}
