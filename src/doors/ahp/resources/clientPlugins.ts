// The plugins that clients bring along: read back from their clients, once for each version of them, and
// shown with what is in them.
import * as z from 'zod';
import type {
  ChildCustomization,
  ClientPluginCustomization,
  CustomizationLoadState,
} from '../../../protocols/ahp/v1_0/customization.ts';
import type { ClientResources } from './clientResources.ts';

export interface PluginContent {
  readonly load: CustomizationLoadState;
  readonly children?: readonly ChildCustomization[];
}

export class ClientPlugins {
  readonly #read = new Map<string, PluginContent>();
  readonly #watchers = new Set<() => void>();

  /**
   * What is in a plugin as far as it was read; reading begins with the first question, and
   * again with another nonce.
   */
  of(
    client: string,
    plugin: ClientPluginCustomization,
    resources: ClientResources | undefined,
  ): PluginContent {
    const key = JSON.stringify([client, plugin.uri, plugin.nonce ?? '']);
    const known = this.#read.get(key);
    if (known || !resources) return known ?? { load: { kind: 'loading' } };
    const begun: PluginContent = { load: { kind: 'loading' } };
    this.#read.set(key, begun);
    void this.#load(key, contents(resources, plugin));
    return begun;
  }

  async #load(key: string, children: Promise<readonly ChildCustomization[]>): Promise<void> {
    const read = await children.then(
      (found): PluginContent => ({ load: { kind: 'loaded' }, children: found }),
      (): PluginContent => ({ load: { kind: 'error', message: 'The client denied access to this plugin.' } }),
    );
    this.#read.set(key, read);
    for (const watcher of [...this.#watchers]) watcher();
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => void this.#watchers.delete(changed);
  }

  /** A client that reconnects is asked again. */
  forget(client: string): void {
    for (const key of [...this.#read.keys()])
      if (key.startsWith(`${JSON.stringify([client]).slice(0, -1)},`)) this.#read.delete(key);
  }
}

const listing = z.object({
  entries: z.array(z.object({ name: z.string(), type: z.enum(['file', 'directory']) })),
});

/** Maximum number of entries of one kind in a plugin. */
const most = 200;

const kinds: readonly (readonly [folder: string, type: 'agent' | 'skill' | 'prompt' | 'rule' | 'hook'])[] = [
  ['agents', 'agent'],
  ['skills', 'skill'],
  ['prompts', 'prompt'],
  ['commands', 'prompt'],
  ['rules', 'rule'],
  ['hooks', 'hook'],
];

async function contents(
  resources: ClientResources,
  { uri }: ClientPluginCustomization,
): Promise<readonly ChildCustomization[]> {
  const list = async (at: string) => listing.parse(await resources.ask('resourceList', { uri: at })).entries;
  const top = await list(uri);
  const found: ChildCustomization[] = [];
  for (const [folder, type] of kinds) {
    if (!top.some((entry) => entry.name === folder && entry.type === 'directory')) continue;
    for (const { name } of (await list(below(uri, folder))).slice(0, most)) {
      found.push({
        type,
        id: `${uri}#${folder}/${name}`,
        uri: below(uri, folder, name),
        name: name.replace(/\.[^.]+$/, ''),
      });
    }
  }
  return found;
}

function below(uri: string, ...names: readonly string[]): string {
  return [uri.replace(/\/+$/, ''), ...names.map(encodeURIComponent)].join('/');
}
