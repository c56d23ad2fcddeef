// The next step of a sign-in: choose a method, fill in fields, or visit a page.
import { useState } from 'preact/hooks';
import type { LoginField, LoginStep } from '../../../client/connection/extensions.ts';
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
    <div class="item-form" role="group" aria-label={`Sign in to ${label}`}>
      <StepInstructions step={step} busy={busy} onWay={onWay} />
      {'fields' in step && step.fields !== undefined && (
        <Fields fields={step.fields} busy={busy} onInput={onInput} />
      )}
      <button type="button" class="btn ghost small" onClick={onClose}>
        Cancel
      </button>
    </div>
  );
}

interface StepInstructionsProps {
  readonly step: LoginStep;
  readonly busy: boolean;
  readonly onWay: (way: string) => void;
}

function StepInstructions({ step, busy, onWay }: StepInstructionsProps) {
  switch (step.kind) {
    case 'choose':
      return (
        <div class="answers">
          {step.ways.map(({ key, label }) => (
            <button key={key} type="button" class="btn" disabled={busy} onClick={() => onWay(key)}>
              {label}
            </button>
          ))}
        </div>
      );
    case 'visit':
      return step.fields === undefined ? (
        <p>
          Open <Page url={step.url} /> on the computer that runs Parley.{' '}
          <span role="status">Waiting for you to finish…</span>
        </p>
      ) : (
        <p>
          Open <Page url={step.url} />, then paste the code it shows.
        </p>
      );
    case 'device':
      return (
        <p class="device-code">
          Open <Page url={step.url} /> on any device and enter <code>{step.code}</code>{' '}
          <CopyButton text={step.code} what="the code" />{' '}
          <span role="status">Waiting for you to finish…</span>
        </p>
      );
    case 'fields':
      return null;
    default:
      return step satisfies never;
  }
}

/** Only web addresses become links. */
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
  const common = (key: string) => ({
    class: 'input mono',
    autocomplete: 'off' as const,
    required: true,
    value: data[key] ?? '',
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      setData({ ...data, [key]: event.currentTarget.value }),
  });
  return (
    <form class="row-form" onSubmit={submit}>
      {fields.map(({ key, label, type }) => (
        <label key={key} class="field">
          <span class="label">{label}</span>
          {type === 'secret' ? (
            <input type="password" {...common(key)} />
          ) : (
            <input type="text" {...common(key)} />
          )}
        </label>
      ))}
      <button type="submit" class="btn primary" disabled={busy}>
        Save
      </button>
    </form>
  );
}
