// The signed-in browsers and phones: their roles, sign-in links for new ones, and sign-out.
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { Device, Role } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData, usePolledHostData, useHostAction } from '../../state/hostData.ts';
import { now } from '../../state/clock.ts';
import { roleLabels } from '../../state/role.ts';
import { formatSince } from '../../text/format.ts';
import { Loading } from '../parts/Loading.tsx';
import { AddDevice, LimitPicker, roles } from './AddDevice.tsx';
import { ItemRow } from './ItemRow.tsx';
import { OtherDevices } from './OtherDevices.tsx';

const refreshMs = 3_000;

export function Devices() {
  const { value: devices, problem, reload } = usePolledHostData('devices/list', {}, refreshMs);
  const { value: listening, reload: reloadListening } = useHostData('listening/read', {});
  const [started, setStarted] = useState(false);
  const setListening = (isStarted: boolean) => {
    setStarted(isStarted);
    void reloadListening();
  };
  if (problem !== undefined) return <p class="field-error">{problem}</p>;
  return (
    <>
      {devices === undefined && <Loading what="the list" />}
      <ul class="list">
        {listening && (
          <OtherDevices
            state={listening}
            onStarted={() => setListening(true)}
            onStopped={() => setListening(false)}
          />
        )}
        {devices?.map((device) => (
          <Row key={device.id} device={device} onChanged={() => void reload()} />
        ))}
      </ul>
      {devices?.length === 0 && <p class="empty">No devices signed in</p>}
      <ConnectedNow devices={devices ?? []} />
      <AddDevice state={listening} immediately={started && listening?.devices !== undefined} />
    </>
  );
}

const doorLabels: Readonly<Record<string, string>> = {
  eca: 'Editor (ECA)',
  acp: 'Editor (ACP)',
  ahp: 'AHP client',
  run: 'parley run',
};

function ConnectedNow({ devices }: { readonly devices: readonly Device[] }) {
  const { value: connected = [] } = usePolledHostData('console/connected', {}, refreshMs);
  return (
    <>
      <h3>Connected</h3>
      <ul class="connected">
        {connected.map(({ door, since, device, browser }, index) => (
          <li key={index}>
            {devices.find(({ id }) => id === device)?.name ?? browser ?? doorLabels[door] ?? door}{' '}
            <span class="faint">(since {formatSince(since, now.value)})</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Row({ device, onChanged }: { readonly device: Device; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const { id, name, role, most, since, connections } = device;
  const isThis = client.access.value?.device === id;
  const presence = connections > 0 ? 'Connected' : 'Not connected';
  const change = async (next: NewRights) => {
    await run(() => client.requestExtension('devices/change', { id, role, ...present({ most }), ...next }));
    onChanged();
  };
  const revoke = async () => {
    await run(() => client.requestExtension('devices/revoke', { id }));
    onChanged();
  };
  return (
    <ItemRow
      wraps
      name={name}
      icon={/phone|android/i.test(name) ? 'phone' : 'globe'}
      badge={isThis && <span class="badge ok">This browser</span>}
      details={
        <p>
          <span>{presence}</span> · signed in {formatSince(since, now.value)}
          {most !== undefined && ` · permission mode at most ${most}`}
        </p>
      }
      buttons={
        <>
          <Rights device={device} disabled={busy || isThis} onChange={(next) => void change(next)} />
          <button type="button" class="btn small danger" disabled={busy} onClick={() => void revoke()}>
            Sign out
          </button>
        </>
      }
    />
  );
}

type NewRights = { readonly role?: Role; readonly most?: string };

interface RightsProps {
  readonly device: Device;
  readonly disabled: boolean;
  readonly onChange: (rights: NewRights) => void;
}

/** Only who controls sessions chooses their modes, so only such a device has a limit to choose. */
function Rights({ device: { name, role, most }, disabled, onChange }: RightsProps) {
  return (
    <>
      <label>
        <span class="unseen">Role of {name}</span>
        <select
          class="input"
          value={role}
          disabled={disabled}
          onChange={(event) =>
            onChange({ role: roles.find((each) => each === event.currentTarget.value) ?? role })
          }
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {roleLabels[each]}
            </option>
          ))}
        </select>
      </label>
      {role === 'control' && (
        <label>
          <span class="unseen">Permission modes of {name}</span>
          <LimitPicker
            value={most ?? 'full'}
            disabled={disabled}
            onChange={(next) => onChange({ most: next })}
          />
        </label>
      )}
    </>
  );
}
