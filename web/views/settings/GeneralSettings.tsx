// General settings: appearance and notifications of this browser, settings of the host, and
// the keyboard shortcuts.
import { useClient } from '../../state/app.ts';
import { dispatchOrToast } from '../../state/chat.ts';
import { canNotify, notificationsEnabled, setNotificationsEnabled } from '../../state/notify.ts';
import { theme } from '../../state/theme.ts';
import type { Theme } from '../../state/theme.ts';
import { pushEnabled, setPush } from '../../worker/push.ts';
import { ShortcutTable } from '../frame/ShortcutsDialog.tsx';
import { ConfigForm } from '../parts/ConfigForm.tsx';

export function GeneralSettings() {
  return (
    <>
      <Appearance />
      <Notifications />
      <ClosedPageNotifications />
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
    <fieldset class="field">
      <legend class="label">Appearance</legend>
      <div class="segment fit">
        {themes.map(({ id, label }) => (
          <label key={id}>
            <input
              type="radio"
              name="theme"
              checked={theme.value === id}
              onChange={() => (theme.value = id)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Notifications() {
  return (
    <label class="check">
      <input
        class="switch"
        role="switch"
        type="checkbox"
        checked={notificationsEnabled.value}
        disabled={!canNotify()}
        onChange={(event) => void setNotificationsEnabled(event.currentTarget.checked)}
      />
      <span>
        Notify me when a session needs me
        <span class="help">Your browser will ask for permission.</span>
      </span>
    </label>
  );
}

/** Only a browser that was signed in by a link has a key with which its worker can connect. */
function ClosedPageNotifications() {
  const client = useClient();
  const enabled = pushEnabled.value;
  const isDevice = client.access.value?.device !== undefined;
  if (enabled === undefined || client.access.value === undefined) return null;
  return (
    <label class="check">
      <input
        class="switch"
        role="switch"
        type="checkbox"
        checked={enabled}
        disabled={!isDevice}
        onChange={(event) => void setPush(client, event.currentTarget.checked)}
      />
      <span>
        Also while this page is closed
        <span class="help">
          {isDevice
            ? 'The message that the push service of your browser carries names no content.'
            : 'Open the console by a sign-in link to use this.'}
        </span>
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
      <h3>Host</h3>
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

function KeyboardShortcuts() {
  return (
    <section class="desk-only">
      <h3>Keyboard shortcuts</h3>
      <ShortcutTable />
    </section>
  );
}

function Version() {
  const { serverInfo, protocolVersion = '–' } = useClient().host.value ?? {};
  return (
    <p class="note">
      {serverInfo?.title ?? serverInfo?.name ?? 'Host'} {serverInfo?.version ?? ''}, AHP {protocolVersion}
    </p>
  );
}
