// The browsers and phones that may come in: what each may do, how one more is signed in, and how one is sent away.
import { useState } from 'preact/hooks';
import type { Device, Role } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAsked, useAskedOften, useDoing } from '../../state/asking.ts';
import { now } from '../../state/clock.ts';
import { roleLabels } from '../../state/role.ts';
import { ago } from '../../text/words.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { lazy } from '../parts/lazy.tsx';

/** The library that draws it is loaded with the first link. */
const QrCode = lazy(async () => (await import('./QrCode.tsx')).QrCode);

const refreshMs = 3_000;

const roles = ['observe', 'approve', 'control'] as const satisfies readonly Role[];

export function Devices() {
  const { value: devices, problem, again } = useAsked('devices/list', {});
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  return (
    <>
      <p class="hint">
        Every device has a token and a role of its own. A changed role and a sign-out take effect at once.
      </p>
      {devices === undefined && <p class="hint">Loading…</p>}
      {devices?.length === 0 && <p class="empty">No device is signed in.</p>}
      <ul class="cards">
        {devices?.map((device) => (
          <Row key={device.id} device={device} onChanged={() => void again()} />
        ))}
      </ul>
      <ConnectedNow devices={devices ?? []} />
      <NewDevice />
    </>
  );
}

const doorWords: Readonly<Record<string, string>> = {
  eca: 'An editor (ECA)',
  acp: 'An editor or client (ACP)',
  ahp: 'A client (AHP)',
  run: 'parley run',
};

function ConnectedNow({ devices }: { readonly devices: readonly Device[] }) {
  const { value: connected = [] } = useAskedOften('console/connected', {}, refreshMs);
  return (
    <>
      <h2>Connected now</h2>
      <ul class="connected">
        {connected.map(({ door, since, device }, index) => (
          <li key={index}>
            {devices.find(({ id }) => id === device)?.name ?? doorWords[door] ?? door}{' '}
            <span class="hint">came {whenOf(since)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ device, onChanged }: { readonly device: Device; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const { id, name, role, since, connections } = device;
  const mine = client.me.value?.device === id;
  const change = async (next: Role) => {
    await attempt(() => client.ask('devices/change', { id, role: next }));
    onChanged();
  };
  const revoke = async () => {
    await attempt(() => client.ask('devices/revoke', { id }));
    onChanged();
  };
  return (
    <li class="card" aria-label={name}>
      <div class="card-text">
        <strong>{name}</strong>
        <p class="hint">
          {mine ? 'This browser' : connections > 0 ? 'Connected' : 'Not connected'} · signed in{' '}
          {whenOf(since)}
        </p>
      </div>
      <label class="card-choice">
        <span class="unseen">What {name} may do</span>
        <select
          value={role}
          disabled={busy || mine}
          onChange={(event) =>
            void change(roles.find((known) => known === event.currentTarget.value) ?? role)
          }
        >
          {roles.map((known) => (
            <option key={known} value={known}>
              {roleLabels[known]}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="danger" disabled={busy} onClick={() => void revoke()}>
        Sign out
      </button>
    </li>
  );
}

function whenOf(since: number): string {
  const span = ago(new Date(since).toISOString(), now.value);
  return span === 'now' ? 'just now' : /^\d{4}-/.test(span) ? `on ${span}` : `${span} ago`;
}

function NewDevice() {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [role, setRole] = useState<Role>('approve');
  const [link, setLink] = useState<string>();
  const make = async (event: Event) => {
    event.preventDefault();
    await attempt(async () => setLink((await client.ask('devices/link', { role })).link));
  };
  return (
    <>
      <h2>Add a device</h2>
      <form class="row-form" onSubmit={(event) => void make(event)}>
        <label>
          <span>It may</span>
          <select
            value={role}
            onChange={(event) => setRole(roles.find((known) => known === event.currentTarget.value) ?? role)}
          >
            {roles.map((known) => (
              <option key={known} value={known}>
                {roleLabels[known]}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="primary" disabled={busy}>
          Make a link
        </button>
      </form>
      {link !== undefined && (
        <div class="invitation" role="group" aria-label="Link for the new device">
          <QrCode text={link} />
          <p class="hint">
            Photograph this with the device, or open the link on it. It works once, within ten minutes.
          </p>
          <p class="link-line">
            <code>{link}</code> <CopyButton text={link} what="the link" />
          </p>
          {/^https?:\/\/(?:127\.|localhost|\[::1\])/.test(link) && (
            <p class="hint">
              This host listens on this machine alone. For other devices start it with{' '}
              <code>parley serve --host 0.0.0.0</code>.
            </p>
          )}
        </div>
      )}
    </>
  );
}
