// Looks for model servers in the background, soon after the start and then every now and again; nobody ever waits for it.
import type { Catalogue } from '../../agents/native/models/catalogue/catalogue.ts';
import type { Provider } from '../../agents/native/models/providers/providers.ts';
import type { Clock } from '../../host/ports.ts';
import { listModels } from '../../io/models/modelServers.ts';

/** Milliseconds before each look; the last one holds for all that follow. */
const pauses = [300, 5_000, 15_000];
const lastPause = 60_000;

/** Returns the function that ends it. */
export function discover(catalogue: Catalogue, clock: Clock): () => void {
  let looks = 0;
  let over = false;
  const wait = () => {
    const pause = pauses[looks] ?? lastPause;
    looks += 1;
    return clock.after(pause, () => void look());
  };
  const look = async () => {
    await lookOnce(catalogue, () => !over);
    if (!over) recall = wait();
  };
  let recall = wait();
  return () => {
    over = true;
    recall();
  };
}

/** Asks the servers whose address the user has named, for whoever shows models for the first time; undefined where there is none. */
export function askNamed(catalogue: Catalogue): Promise<void> | undefined {
  const named = catalogue.providers().filter((provider) => {
    const standing = catalogue.standing(provider);
    return provider.lists && standing.usable && standing.url !== provider.url;
  });
  return named.length === 0 ? undefined : ask(catalogue, named, () => true);
}

/** Asks every server that may be there once, all at the same time. */
export async function lookOnce(catalogue: Catalogue, wanted: () => boolean = () => true): Promise<void> {
  await ask(catalogue, catalogue.providers(), wanted);
}

async function ask(
  catalogue: Catalogue,
  providers: readonly Provider[],
  wanted: () => boolean,
): Promise<void> {
  await Promise.all(
    providers.map(async (provider) => {
      const standing = catalogue.standing(provider);
      if (!provider.lists || !standing.usable) return;
      const models = await listModels(standing.url, provider.lists, {
        key: standing.key,
        fetch: catalogue.fetch,
      });
      if (wanted()) catalogue.found(provider.id, 'problem' in models ? undefined : models);
    }),
  );
}
