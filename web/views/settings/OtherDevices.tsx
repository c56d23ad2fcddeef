// Lets phones and other machines reach the host: starts and stops its address for them while it runs.
import { useState } from 'preact/hooks';
import { errorText } from '../../../src/base/errorText.ts';
import { present } from '../../../src/base/present.ts';
import type { ListeningState } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { ItemRow } from './ItemRow.tsx';

interface OtherDevicesProps {
  readonly state: ListeningState;
  readonly onStarted: () => void;
  readonly onStopped: () => void;
}

export function OtherDevices({ state, onStarted, onStopped }: OtherDevicesProps) {
  if (state.onNetwork) return null;
  return state.devices ? (
    <OpenAddress devices={state.devices} onStopped={onStopped} />
  ) : (
    <ClosedAddress state={state} onStarted={onStarted} />
  );
}

type OpenDevices = NonNullable<ListeningState['devices']>;

function OpenAddress({
  devices: { urls },
  onStopped,
}: {
  readonly devices: OpenDevices;
  readonly onStopped: () => void;
}) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const stop = async () => {
    if (await run(() => client.requestExtension('listening/stop', {}))) onStopped();
  };
  const isOwnAddress = urls.includes(`${location.origin}/`);
  return (
    <ItemRow
      wraps
      name="Other devices can connect"
      icon="phone"
      details={
        <>
          <p>
            {urls.map((url) => (
              <code key={url} class="address">
                {url}
              </code>
            ))}
          </p>
          <p>
            With TLS{isOwnAddress && '. This browser uses it, too, and is disconnected when it stops'}.
            Devices are added below.
          </p>
        </>
      }
      buttons={
        <button type="button" class="btn" disabled={busy} onClick={() => void stop()}>
          Stop listening
        </button>
      }
    />
  );
}

interface ClosedAddressProps {
  readonly state: ListeningState;
  readonly onStarted: () => void;
}

function ClosedAddress({ state: { port, problem }, onStarted }: ClosedAddressProps) {
  const [asking, setAsking] = useState(false);
  return (
    <ItemRow
      wraps
      name="Use Parley on your phone"
      icon="phone"
      details={
        <>
          <p>Listens on your network with TLS, then shows a QR code.</p>
          {problem !== undefined && <p class="field-error">{problem}</p>}
        </>
      }
      buttons={
        !asking && (
          <button type="button" class="btn" onClick={() => setAsking(true)}>
            Allow other devices…
          </button>
        )
      }
    >
      {asking && <StartForm usualPort={port} onStarted={onStarted} onCancel={() => setAsking(false)} />}
    </ItemRow>
  );
}

interface StartFormProps {
  readonly usualPort: number;
  readonly onStarted: () => void;
  readonly onCancel: () => void;
}

function StartForm({ usualPort, onStarted, onCancel }: StartFormProps) {
  const client = useClient();
  const [port, setPort] = useState(String(usualPort));
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const start = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const chosen = Number(port) === usualPort ? undefined : Number(port);
      await client.requestExtension('listening/start', present({ port: chosen }));
      onStarted();
    } catch (error) {
      setRefused(errorText(error));
      setBusy(false);
    }
  };
  return (
    <form class="item-form" onSubmit={(event) => void start(event)}>
      <p class="note" id="listen-note">
        Devices on your network can then open the sign-in page. Only those with a link from you get in. Parley
        listens again after a restart, until you stop it here.
      </p>
      <div class="row-form">
        <label class="field short">
          <span class="label">Port</span>
          <input
            class="input"
            inputMode="numeric"
            pattern="[0-9]{1,5}"
            required
            value={port}
            aria-describedby={refused === undefined ? 'listen-note' : 'listen-note listen-problem'}
            aria-invalid={refused !== undefined}
            onInput={(event) => setPort(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="btn primary" disabled={busy}>
          Allow
        </button>
        <button type="button" class="btn" onClick={onCancel}>
          Cancel
        </button>
      </div>
      {refused !== undefined && (
        <p class="field-error" id="listen-problem" role="alert">
          {refused}
        </p>
      )}
    </form>
  );
}
