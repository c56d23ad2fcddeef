// The model providers: their status, models, and sign-in.
import { errorText } from '../../../src/base/errorText.ts';
import { useRef, useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { LoginStep, ProviderRow } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { useHostData, useHostAction } from '../../state/hostData.ts';
import { toast } from '../../state/toasts.ts';
import { Loading } from '../parts/Loading.tsx';
import { ItemRow } from './ItemRow.tsx';
import { LoginStepView } from './LoginStepView.tsx';
import { CustomProvider, DefaultModel } from './ModelSettings.tsx';

export function Providers() {
  const { value: providers, problem, reload } = useHostData('providers/list', {});
  const settings = useHostData('settings/read', {});
  const told = problem ?? settings.problem;
  if (told !== undefined) return <p class="field-error">{told}</p>;
  // Both at once: a field that came later would move the buttons below it under somebody's finger.
  if (providers === undefined || settings.value === undefined) return <Loading what="the list" />;
  const used = providers.filter(isUsable);
  const rest = providers.filter((provider) => !isUsable(provider));
  const rows = (list: readonly ProviderRow[]) =>
    list.map((provider) => <Row key={provider.id} provider={provider} onChanged={() => void reload()} />);
  return (
    <>
      <p class="lead">Keys are stored on this machine only and never shown again.</p>
      {used.length > 0 && <ul class="list">{rows(used)}</ul>}
      <DefaultModel providers={used} settings={settings.value} onChanged={() => void settings.reload()} />
      <h3>Add a provider</h3>
      <ul class="grid2 tiles">{rows(rest.toSorted((a, b) => rankOf(a) - rankOf(b)))}</ul>
      <CustomProvider onChanged={() => void reload()} />
    </>
  );
}

function Row({ provider, onChanged }: { readonly provider: ProviderRow; readonly onChanged: () => void }) {
  const client = useClient();
  const { busy, run } = useHostAction();
  const { id, auth, models, login } = provider;
  const label = provider.label ?? (id === 'demo' ? 'Demo (built in)' : id);
  const { step, begin, submit, close } = useLogin(provider, label, onChanged);
  const logout = async () => {
    await run(() => client.requestExtension('providers/logout', { provider: id }));
    onChanged();
  };
  return (
    <ItemRow
      name={label}
      details={
        <>
          <p>{statusText(provider)}</p>
          {models.length > 0 && <p class="truncate">{models.map((model) => model.id).join(', ')}</p>}
        </>
      }
      buttons={
        <>
          {auth.source === 'login' && (
            <button type="button" class="btn small danger" disabled={busy} onClick={() => void logout()}>
              Sign out
            </button>
          )}
          {login !== undefined && auth.status !== 'authenticated' && step === undefined && (
            <button type="button" class="btn small" disabled={busy} onClick={() => void run(() => begin())}>
              Sign in
            </button>
          )}
        </>
      }
    >
      {step && (
        <LoginStepView
          step={step}
          label={label}
          busy={busy}
          onWay={(way) => void run(() => begin(way))}
          onInput={(data) => void run(() => submit(data))}
          onClose={close}
        />
      )}
    </ItemRow>
  );
}

/** One sign-in from its first step to its end, which may come from another window or device. */
function useLogin({ id }: ProviderRow, label: string, onChanged: () => void) {
  const client = useClient();
  const [step, setStep] = useState<LoginStep>();
  /** The step that is shown; the outcome of an abandoned step is ignored. */
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
  const waitForOtherWindow = async (awaited: LoginStep): Promise<void> => {
    try {
      await client.requestExtension('providers/wait', { provider: id });
      if (current.current === awaited) finish();
    } catch (error) {
      if (current.current !== awaited) return;
      show(undefined);
      toast('problem', errorText(error));
    }
  };
  return {
    step,
    begin: async (way?: string) => {
      const next = await client.requestExtension('providers/login', {
        provider: id,
        ...present({ way }),
      });
      show(next);
      if (next.kind === 'device' || (next.kind === 'visit' && next.fields === undefined))
        void waitForOtherWindow(next);
    },
    submit: async (data: Readonly<Record<string, string>>) => {
      await client.requestExtension('providers/input', { provider: id, data });
      finish();
    },
    close: () => show(undefined),
  };
}

function isUsable({ models, auth }: ProviderRow): boolean {
  return models.length > 0 || auth.status === 'authenticated';
}

/** Providers with a sign-in come first. */
function rankOf({ login }: ProviderRow): number {
  return login === undefined ? 1 : 0;
}

function statusText({ auth, models }: ProviderRow): string {
  if (auth.status === 'authenticated')
    return auth.source === 'env' ? `Key from ${auth.envVar ?? 'the environment'}` : 'Signed in';
  if (auth.status === 'local') return models.length > 0 ? 'Needs no key' : 'Needs no key; no models found';
  if (auth.status === 'not-running') return 'Not running on this machine';
  if (auth.status === 'expired') return 'Sign-in expired';
  return auth.status === 'expiring' ? 'Signed in, expires today' : 'Not signed in';
}
