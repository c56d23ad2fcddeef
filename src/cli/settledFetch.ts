// The network for a command that runs once: as the settings are now.
import { networkFetch } from '../io/network.ts';
import { openSettings } from '../io/settings/open.ts';

export function settledFetch(env: NodeJS.ProcessEnv): typeof fetch {
  const settings = openSettings({ env });
  const { network } = settings.of([]);
  settings.close();
  return networkFetch(env, () => network);
}
