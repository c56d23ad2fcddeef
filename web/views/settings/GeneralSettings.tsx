// General settings: appearance and notifications of this browser, settings of the host, and
// the keyboard shortcuts.
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { canNotify, notificationsEnabled, setNotificationsEnabled } from '../../state/notify.ts';
import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
import { ConfigForm } from '../parts/ConfigForm.tsx';

export function GeneralSettings() {
  return (
    <>
      <Appearance />
      <Notifications />
      <HostConfig />
      <KeyboardShortcuts />
      <Version />
    </>
  );
}

const themes: readonly { readonly id: Theme; readonly label: string }[] = [
  { id: 'system', label: 'System' },
  { id: 'light', label: 'Light' },
  { id: 'dark', label: 'Dark' },
];

function Appearance() {
  return (
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
  );
}

function Notifications() {
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={notificationsEnabled.value}
        disabled={!canNotify()}
        onChange={(event) => void setNotificationsEnabled(event.currentTarget.checked)}
      />
      <span>
        Notify me when a session needs me
        <span class="description">Your browser will ask for permission.</span>
      </span>
    </label>
  );
}

function HostConfig() {
  const client = useClient();
  const config = client.root.state.value?.config;
  const properties = config?.schema.properties ?? {};
  if (Object.keys(properties).length === 0) return null;
  return (
    <>
      <h2>Host</h2>
      <ConfigForm
        properties={properties}
        values={config?.values ?? {}}
        onChange={(change) =>
          void dispatchOrToast(client, client.root, { type: 'root/configChanged', config: change })
        }
      />
    </>
  );
}

const shortcuts = [
  ['Enter', 'send the message, or queue it while the agent works'],
  ['Shift+Enter', 'new line'],
  ['Ctrl+Enter', 'steer the current turn'],
  ['Alt+N', 'new session'],
  ['Alt+I', 'inbox'],
  ['Alt+S', 'search sessions'],
  ['Alt+W', 'jump to the pending approval'],
  ['Alt+M', 'jump to the message field'],
] as const;

function KeyboardShortcuts() {
  return (
    <>
      <h2>Keyboard shortcuts</h2>
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
    </>
  );
}

function Version() {
  const { serverInfo, protocolVersion = '–' } = useClient().host.value ?? {};
  return (
    <p class="hint">
      {serverInfo?.title ?? serverInfo?.name ?? 'Host'} {serverInfo?.version ?? ''}, AHP {protocolVersion}
    </p>
  );
}
