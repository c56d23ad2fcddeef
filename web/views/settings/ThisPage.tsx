// What holds for this browser alone: its colours, whether it calls for its person, and its keys.
import { useClient } from '../../state/app.ts';
import { act } from '../../state/chat.ts';
import { canNotify, notifying, setNotifying } from '../../state/notify.ts';
import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
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
  ['Alt+S', 'search the sessions'],
  ['Alt+W', 'go to what waits for you on this page'],
  ['Alt+M', 'go to the message field'],
] as const;

export function ThisPage() {
  const client = useClient();
  const root = client.root.state.value;
  const host = client.host.value;
  const properties = root?.config?.schema.properties ?? {};
  return (
    <>
      <fieldset>
        <legend>Appearance</legend>
        <div class="segments">
          {themes.map(({ id, label }) => (
            <label key={id} class="choice">
              <input
                type="radio"
                name="theme"
                checked={theme.value === id}
                onChange={() => (theme.value = id)}
              />
              <span>{label}</span>
            </label>
          ))}
        </div>
      </fieldset>
      <label class="choice">
        <input
          type="checkbox"
          checked={notifying.value}
          disabled={!canNotify()}
          onChange={(event) => void setNotifying(event.currentTarget.checked)}
        />
        <span>
          Notify me when a session needs me
          <span class="description">Your browser will ask for permission.</span>
        </span>
      </label>
      {Object.keys(properties).length > 0 && (
        <>
          <h2>Host</h2>
          <ConfigForm
            properties={properties}
            values={root?.config?.values ?? {}}
            onChange={(config) => void act(client, client.root, { type: 'root/configChanged', config })}
          />
        </>
      )}
      <h2>Keys</h2>
      <dl class="keys">
        {shortcuts.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {host?.serverInfo?.title ?? host?.serverInfo?.name ?? 'Host'} {host?.serverInfo?.version ?? ''},
        protocol {host?.protocolVersion ?? '–'}
      </p>
    </>
  );
}
