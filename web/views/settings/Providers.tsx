// Where models come from: which providers can be used, and signing in to the others.
import { useState } from 'preact/hooks';
import type { LoginField, LoginStep, ProviderRow } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAsked, useDoing } from '../../state/asking.ts';
import { toast } from '../../state/toasts.ts';

export function Providers() {
  const { value: providers, problem, again } = useAsked('providers/list', {});
  if (problem !== undefined) return <p class="problem">{problem}</p>;
  if (providers === undefined) return <p class="hint">Loading…</p>;
  const sorted = providers.toSorted((a, b) => rankOf(a) - rankOf(b));
  return (
    <>
      <p class="hint">Keys are kept on the host, readable by its owner alone, and are never shown again.</p>
      <ul class="cards">
        {sorted.map((provider) => (
          <Row key={provider.id} provider={provider} onChanged={() => void again()} />
        ))}
      </ul>
    </>
  );
}

function Row({ provider, onChanged }: { readonly provider: ProviderRow; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, attempt } = useDoing();
  const [step, setStep] = useState<LoginStep>();
  const { id, label = id, auth, models, login } = provider;
  const take = (next: LoginStep): void => {
    setStep(next.action === 'done' ? undefined : next);
    if (next.action !== 'done') return;
    toast('info', `Signed in to ${label}.`);
    onChanged();
  };
  const begin = (method?: string) => attempt(async () => take(await client.ask('providers/login', { provider: id, ...(method === undefined ? {} : { method }) })));
  const logout = async () => {
    await attempt(() => client.ask('providers/logout', { provider: id }));
    onChanged();
  };
  return (
    <li class="card" aria-label={label}>
      <div class="card-text">
        <strong>{label}</strong>
        <p class="hint">{standing(provider)}</p>
        {models.length > 0 && <p class="hint models">{models.map((model) => model.id).join(', ')}</p>}
      </div>
      {auth.source === 'login' && (
        <button type="button" class="danger" disabled={busy} onClick={() => void logout()}>
          Sign out
        </button>
      )}
      {login !== undefined && auth.status !== 'authenticated' && step === undefined && (
        <button type="button" disabled={busy} onClick={() => void begin()}>
          Sign in
        </button>
      )}
      {step && (
        <Step
          step={step}
          label={label}
          busy={busy}
          onMethod={(method) => void begin(method)}
          onInput={(data) => void attempt(async () => take(await client.ask('providers/input', { provider: id, data })))}
          onClose={() => {
            setStep(undefined);
            onChanged();
          }}
        />
      )}
    </li>
  );
}

/** What can be used comes first, then what somebody could sign in to, then what is not there. */
function rankOf({ models, auth, login }: ProviderRow): number {
  if (models.length > 0 || auth.status === 'authenticated') return 0;
  return login === undefined ? 2 : 1;
}

function standing({ auth, models }: ProviderRow): string {
  if (auth.status === 'authenticated') return auth.source === 'env' ? `Key from ${auth.envVar ?? 'the environment'}` : 'Signed in';
  if (auth.status === 'local') return models.length > 0 ? 'Needs no key' : 'Needs no key; nothing runs';
  if (auth.status === 'not-running') return 'Not running on this machine';
  return auth.status === 'expired' ? 'The sign-in has run out' : 'Not signed in';
}

interface StepProps {
  readonly step: LoginStep;
  readonly label: string;
  readonly busy: boolean;
  readonly onMethod: (method: string) => void;
  readonly onInput: (data: Readonly<Record<string, string>>) => void;
  readonly onClose: () => void;
}

function Step({ step, label, busy, onMethod, onInput, onClose }: StepProps) {
  return (
    <div class="card-more" role="group" aria-label={`Sign in to ${label}`}>
      {step.action === 'choose-method' && (
        <div class="ask-actions">
          {step.methods.map(({ key, label: words }) => (
            <button key={key} type="button" disabled={busy} onClick={() => onMethod(key)}>
              {words}
            </button>
          ))}
        </div>
      )}
      {(step.action === 'authorize' || step.action === 'device-code') && (
        <p>
          {step.message} {/^https?:/.test(step.url) && <a href={step.url} target="_blank" rel="noopener noreferrer">{new URL(step.url).host}</a>}
          {step.action === 'device-code' && <> Code: <code>{step.code}</code></>}
        </p>
      )}
      {'fields' in step && step.fields !== undefined && <Fields fields={step.fields} busy={busy} onInput={onInput} />}
      <button type="button" class="link" onClick={onClose}>
        {step.action === 'device-code' ? 'Done' : 'Cancel'}
      </button>
    </div>
  );
}

function Fields({ fields, busy, onInput }: { readonly fields: readonly LoginField[]; readonly busy: boolean; readonly onInput: StepProps['onInput'] }) {
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
            <input type="password" autocomplete="off" required value={data[key] ?? ''} onInput={(event) => setData({ ...data, [key]: event.currentTarget.value })} />
          ) : (
            <input type="text" autocomplete="off" required value={data[key] ?? ''} onInput={(event) => setData({ ...data, [key]: event.currentTarget.value })} />
          )}
        </label>
      ))}
      <button type="submit" class="primary" disabled={busy}>
        Store
      </button>
    </form>
  );
}
