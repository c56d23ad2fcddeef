// The settings that a one-time command needs: the network, and where to sign in.
import type { SignInSettings } from '../../host/settings/settings.ts';
import { networkFetch } from '../../io/http/httpClient.ts';
import { openSettings } from '../../io/settings/open.ts';

export function commandSettings(env: NodeJS.ProcessEnv): {
  readonly fetch: typeof fetch;
  readonly signIn: (provider: string) => SignInSettings | undefined;
} {
  const settings = openSettings({ env });
  const { network, providers } = settings.of([]);
  settings.close();
  return { fetch: networkFetch(env, () => network), signIn: (provider) => providers[provider]?.signIn };
}
