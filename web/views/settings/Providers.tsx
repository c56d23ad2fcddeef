// Where models come from: which providers can be used, and signing in to the others.
import { useRef, useState } from 'preact/hooks';
import type { LoginStep, ProviderRow } from '../../client/own.ts';
import { useClient } from '../../state/app.ts';
import { useAsked, useDoing } from '../../state/asking.ts';
import { problemText, toast } from '../../state/toasts.ts';
import { LoginStepView } from './LoginStepView.tsx';

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
  const { id, auth, models, login } = provider;
  const label = provider.label ?? (id === 'demo' ? 'Demo (built in)' : id);
  const { step, begin, fillIn, close } = useLogin(provider, label, onChanged);
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
        <button type="button" disabled={busy} onClick={() => void attempt(() => begin())}>
          Sign in
        </button>
      )}
      {step && (
        <LoginStepView
          step={step}
          label={label}
          busy={busy}
          onWay={(way) => void attempt(() => begin(way))}
          onInput={(data) => void attempt(() => fillIn(data))}
          onClose={close}
        />
      )}
    </li>
  );
}

/** One sign-in from its first step to its end, which may come from another window or device. */
function useLogin({ id }: ProviderRow, label: string, onChanged: () => void) {
  const client = useClient();
  const [step, setStep] = useState<LoginStep>();
  /** What is awaited now; the end of what was given up is nobody's concern. */
  const current = useRef<LoginStep>(undefined);
  const show = (next: LoginStep | undefined): void => {
    current.current = next;
    setStep(next);
  };
  const finish = (): void => {
    show(undefined);
    toast('info', `Signed in to ${label}.`);
    onChanged();
  };
  const elsewhere = async (awaited: LoginStep): Promise<void> => {
    try {
      await client.ask('providers/wait', { provider: id });
      if (current.current === awaited) finish();
    } catch (error) {
      if (current.current !== awaited) return;
      show(undefined);
      toast('problem', problemText(error));
    }
  };
  return {
    step,
    begin: async (way?: string) => {
      const next = await client.ask('providers/login', {
        provider: id,
        ...(way === undefined ? {} : { way }),
      });
      show(next);
      if (next.kind === 'device' || (next.kind === 'visit' && next.fields === undefined))
        void elsewhere(next);
    },
    fillIn: async (data: Readonly<Record<string, string>>) => {
      await client.ask('providers/input', { provider: id, data });
      finish();
    },
    close: () => show(undefined),
  };
}

/** What can be used comes first, then what somebody could sign in to, then what is not there. */
function rankOf({ models, auth, login }: ProviderRow): number {
  if (models.length > 0 || auth.status === 'authenticated') return 0;
  return login === undefined ? 2 : 1;
}

function standing({ auth, models }: ProviderRow): string {
  if (auth.status === 'authenticated')
    return auth.source === 'env' ? `Key from ${auth.envVar ?? 'the environment'}` : 'Signed in';
  if (auth.status === 'local') return models.length > 0 ? 'Needs no key' : 'Needs no key; nothing runs';
  if (auth.status === 'not-running') return 'Not running on this machine';
  return auth.status === 'expired'
    ? 'The sign-in has run out'
    : auth.status === 'expiring'
      ? 'Signed in, for less than a day'
      : 'Not signed in';
}
