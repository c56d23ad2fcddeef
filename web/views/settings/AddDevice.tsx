// Creates sign-in links for new devices, each with a QR code.
import { useEffect, useRef, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { ListeningState, Role } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { roleLabels } from '../../state/role.ts';
import { CopyButton } from '../parts/CopyButton.tsx';
import { lazy } from '../parts/lazy.tsx';

/** Its library is loaded with the first link. */
const QrCode = lazy(async () => (await import('./QrCode.tsx')).QrCode);

/** The permission modes that a device can be kept to. Full means no limit. */
const limits: readonly (readonly [id: string, label: string])[] = [
  ['full', 'Any permission mode'],
  ['auto', 'At most Auto'],
  ['edits', 'At most Edits'],
  ['ask', 'At most Ask'],
  ['plan', 'Only Plan'],
];

export const roles = ['observe', 'approve', 'control'] as const satisfies readonly Role[];

interface AddDeviceProps {
  /** Absent while the host has not told where it listens. */
  readonly state: ListeningState | undefined;
  /** Whether to create a first link without a click. */
  readonly immediately: boolean;
}

export function AddDevice({ state, immediately }: AddDeviceProps) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const [role, setRole] = useState<Role>('approve');
  const [most, setMost] = useState('full');
  const [chosen, choose] = useState<string>();
  const [link, setLink] = useState<string>();
  const urls = state?.devices?.urls ?? [];
  const at = urls.find((url) => url === chosen) ?? urls[0];
  const make = () =>
    run(async () =>
      setLink((await client.requestExtension('devices/link', { role, most, ...present({ at }) })).link),
    );
  useEffect(() => {
    setLink(undefined);
    if (immediately) void make();
    // A link is for one address, role and chosen moment; only a new address replaces it.
  }, [at, immediately]);
  return (
    <>
      <h3>Add a device</h3>
      <form
        class="frame row-form"
        onSubmit={(event) => {
          event.preventDefault();
          void make();
        }}
      >
        <label class="field">
          <span class="label">Role</span>
          <select
            class="input"
            value={role}
            onChange={(event) => setRole(roles.find((each) => each === event.currentTarget.value) ?? role)}
          >
            {roles.map((each) => (
              <option key={each} value={each}>
                {roleLabels[each]}
              </option>
            ))}
          </select>
        </label>
        {role === 'control' && (
          <label class="field">
            <span class="label">Permission modes</span>
            <LimitPicker value={most} onChange={setMost} />
          </label>
        )}
        {urls.length > 1 && <AddressPicker urls={urls} value={at} onChange={choose} />}
        <button type="submit" class="btn primary" disabled={busy}>
          Create link
        </button>
      </form>
      {link !== undefined && <Invitation link={link} state={state} />}
    </>
  );
}

interface LimitPickerProps {
  readonly value: string;
  readonly disabled?: boolean;
  readonly onChange: (most: string) => void;
}

export function LimitPicker({ value, disabled = false, onChange }: LimitPickerProps) {
  return (
    <select
      class="input"
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    >
      {limits.map(([id, label]) => (
        <option key={id} value={id}>
          {label}
        </option>
      ))}
    </select>
  );
}

interface AddressPickerProps {
  readonly urls: readonly string[];
  readonly value: string | undefined;
  readonly onChange: (url: string) => void;
}

/** A machine in several networks has several addresses; which one the phone reaches, only a person knows. */
function AddressPicker({ urls, value, onChange }: AddressPickerProps) {
  return (
    <label class="field">
      <span class="label">Network address</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {urls.map((url) => (
          <option key={url} value={url}>
            {new URL(url).hostname}
          </option>
        ))}
      </select>
    </label>
  );
}

function Invitation({ link, state }: { readonly link: string; readonly state: ListeningState | undefined }) {
  const isLocal = /^https?:\/\/(?:127\.|localhost|\[::1\])/.test(link) && state?.devices === undefined;
  const { fingerprint, port } = state?.devices ?? {};
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => frame.current?.scrollIntoView({ block: 'nearest' }), [link]);
  return (
    <div ref={frame} class="frame invitation" role="group" aria-label="Link for the new device">
      {!isLocal && <QrCode text={link} />}
      <p class="note">
        {isLocal ? 'Open the link in a browser on this computer.' : 'Scan with your phone or open the link.'}
        {' Single use, valid for 10 minutes.'}
      </p>
      <p class="link-line">
        <code>{link}</code> <CopyButton text={link} what="the link" />
      </p>
      {isLocal && (
        <p class="note">
          Parley is only reachable from this computer. For a phone, first use “Allow other devices…” above.
        </p>
      )}
      {port !== undefined && (
        <p class="note">
          Both devices must be in the same network, and the firewall of this computer must let port {port} in.
        </p>
      )}
      {fingerprint !== undefined && (
        <p class="note fingerprint">
          The certificate is self-signed, so the other browser warns once. Continue only if it shows this
          SHA-256 fingerprint: <code>{fingerprint.replaceAll(':', ' ')}</code>
        </p>
      )}
    </div>
  );
}
