// What a person has to do next to sign in: choose a way, fill something in, or go to a page and come back.
import { useState } from 'preact/hooks';
import type { LoginField, LoginStep } from '../../client/own.ts';
import { CopyButton } from '../parts/CopyButton.tsx';

interface LoginStepProps {
  readonly step: LoginStep;
  readonly label: string;
  readonly busy: boolean;
  readonly onWay: (way: string) => void;
  readonly onInput: (data: Readonly<Record<string, string>>) => void;
  readonly onClose: () => void;
}

export function LoginStepView({ step, label, busy, onWay, onInput, onClose }: LoginStepProps) {
  return (
    <div class="card-more" role="group" aria-label={`Sign in to ${label}`}>
      <Told step={step} busy={busy} onWay={onWay} />
      {'fields' in step && step.fields !== undefined && (
        <Fields fields={step.fields} busy={busy} onInput={onInput} />
      )}
      <button type="button" class="link" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}

function Told({ step, busy, onWay }: Pick<LoginStepProps, 'step' | 'busy' | 'onWay'>) {
  switch (step.kind) {
    case 'choose':
      return (
        <div class="ask-actions">
          {step.ways.map(({ key, label }) => (
            <button key={key} type="button" disabled={busy} onClick={() => onWay(key)}>
              {label}
            </button>
          ))}
        </div>
      );
    case 'visit':
      return step.fields === undefined ? (
        <p>
          Sign in at <Page url={step.url} /> in a browser on the machine of the host.{' '}
          <span role="status">Waiting until you are through…</span>
        </p>
      ) : (
        <p>
          Sign in at <Page url={step.url} />, and bring back the code that it shows.
        </p>
      );
    case 'device':
      return (
        <p class="device-code">
          Open <Page url={step.url} /> on any device and enter <code>{step.code}</code>{' '}
          <CopyButton text={step.code} what="the code" />{' '}
          <span role="status">Waiting until you are through…</span>
        </p>
      );
    case 'fields':
      return null;
    default:
      return step satisfies never;
  }
}

/** The address is the vendor's, but it came over the wire. */
function Page({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return <code>{url}</code>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {new URL(url).host}
    </a>
  );
}

function Fields({
  fields,
  busy,
  onInput,
}: {
  readonly fields: readonly LoginField[];
  readonly busy: boolean;
  readonly onInput: LoginStepProps['onInput'];
}) {
  const [data, setData] = useState<Readonly<Record<string, string>>>({});
  const submit = (event: Event): void => {
    event.preventDefault();
    onInput(data);
  };
  return (
    <form class="row-form" onSubmit={submit}>
      {fields.map(({ key, label, type }) => (
        <label key={key}>
          <span>{label}</span>
          {type === 'secret' ? (
            <input
              type="password"
              autocomplete="off"
              required
              value={data[key] ?? ''}
              onInput={(event) => setData({ ...data, [key]: event.currentTarget.value })}
            />
          ) : (
            <input
              type="text"
              autocomplete="off"
              required
              value={data[key] ?? ''}
              onInput={(event) => setData({ ...data, [key]: event.currentTarget.value })}
            />
          )}
        </label>
      ))}
      <button type="submit" class="primary" disabled={busy}>
        Store
      </button>
    </form>
  );
}
