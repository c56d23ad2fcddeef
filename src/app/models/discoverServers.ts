// Looks for local model servers in the background, soon after the start and then at intervals.
import type { ModelCatalogue } from '../../agents/native/models/catalogue/modelCatalogue.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { Clock } from '../../host/ports.ts';
import type { FoundModel } from '../../io/models/modelLists.ts';
import { listModels } from '../../io/models/modelServers.ts';

/** Milliseconds before the first searches, and before each later one. */
const firstDelays = [300, 5_000, 15_000];
const laterDelay = 60_000;

/** Returns the function that stops it. */
export function discover(catalogue: ModelCatalogue, clock: Clock): () => void {
  let searches = 0;
  let stopped = false;
  const known = new Map<string, FoundModel>();
  const schedule = () => {
    const delay = firstDelays[searches] ?? laterDelay;
    searches += 1;
    return clock.after(delay, () => void search());
  };
  const search = async () => {
    await ask(catalogue, catalogue.providers(), { wanted: () => !stopped, known });
    if (!stopped) cancelTimer = schedule();
  };
  let cancelTimer = schedule();
  return () => {
    stopped = true;
    cancelTimer();
  };
}

/** Asks the servers whose address the user has configured; undefined if there are none. */
export function askConfigured(catalogue: ModelCatalogue): Promise<void> | undefined {
  const configured = catalogue.providers().filter((provider) => {
    const standing = catalogue.access(provider);
    return provider.serverModelList && standing.usable && standing.url !== provider.url;
  });
  return configured.length === 0 ? undefined : ask(catalogue, configured);
}

/** Asks every provider with a local server once, all at the same time. */
export async function searchOnce(catalogue: ModelCatalogue): Promise<void> {
  await ask(catalogue, catalogue.providers());
}

interface AskOptions {
  /** Results are dropped when it returns false. */
  readonly wanted?: () => boolean;
  readonly known?: Map<string, FoundModel>;
}

async function ask(
  catalogue: ModelCatalogue,
  providers: readonly Provider[],
  { wanted = () => true, known = new Map() }: AskOptions = {},
): Promise<void> {
  await Promise.all(
    providers.map(async (provider) => {
      const standing = catalogue.access(provider);
      if (!provider.serverModelList || !standing.usable) return;
      const models = await listModels(standing.url, provider.serverModelList, {
        key: standing.key,
        fetch: catalogue.fetch,
        known,
      });
      if (wanted()) catalogue.setServerModels(provider.id, 'problem' in models ? undefined : models);
    }),
  );
}
