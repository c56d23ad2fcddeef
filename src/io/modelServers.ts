// Model servers on the network, asked for the models they have. A port that nobody listens on costs one refused connection and nothing else.
import { connect } from 'node:net';

/** How a server lists its models. Many programs listen on 8080, so llama.cpp must say that it is one. */
export type ListKind = 'openai' | 'ollama' | 'llama.cpp';

const patience = 2_000;

/** A model and how many tokens fit into it, where the server says. */
export interface FoundModel {
  readonly name: string;
  readonly context?: number;
}

/** The models at an address; undefined where nobody, or somebody else, answers. */
export async function listModels(url: string, kind: ListKind, { key, fetch: request = fetch }: { readonly key?: string | undefined; readonly fetch?: typeof fetch } = {}): Promise<readonly FoundModel[] | undefined> {
  if (!(await listens(new URL(url)))) return undefined;
  const server: Server = { url, request, headers: key === undefined ? {} : { authorization: `Bearer ${key}` } };
  const found = modelsIn(await ask(server, kind === 'ollama' ? '/api/tags' : '/models'), kind);
  if (kind === 'ollama') return found && Promise.all(found.map(({ name }) => shown(server, name)));
  if (kind !== 'llama.cpp' || !found) return found;
  // It serves one model, with as much room as it was started with.
  const room = read(read(await ask({ ...server, url: url.replace(/\/v1$/, '') }, '/props'), 'default_generation_settings'), 'n_ctx');
  return found.map((model) => ({ ...model, ...contextOf(room) }));
}

interface Server {
  readonly url: string;
  readonly request: typeof fetch;
  readonly headers: { readonly [name: string]: string };
}

async function ask({ url, request, headers }: Server, path: string, body?: object): Promise<unknown> {
  try {
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await request(url + path, { ...how, signal: AbortSignal.timeout(patience), redirect: 'error', headers });
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/** What a model can take does not change, so it is asked for once. */
const sizes = new Map<string, number>();

async function shown(server: Server, name: string): Promise<FoundModel> {
  const key = `${server.url} ${name}`;
  const info = sizes.has(key) ? undefined : read(await ask(server, '/api/show', { model: name }), 'model_info');
  const [, size] = Object.entries(typeof info === 'object' && info !== null ? info : {}).find(([field]) => field.endsWith('.context_length')) ?? [];
  if (typeof size === 'number') sizes.set(key, size);
  return { name, ...contextOf(sizes.get(key)) };
}

function contextOf(size: unknown): { readonly context?: number } {
  return typeof size === 'number' && size > 0 ? { context: size } : {};
}

function modelsIn(value: unknown, kind: ListKind): readonly FoundModel[] | undefined {
  const list = read(value, kind === 'ollama' ? 'models' : 'data');
  if (!Array.isArray(list)) return undefined;
  const entries: readonly unknown[] = list;
  if (kind === 'llama.cpp' && !entries.every((entry) => read(entry, 'owned_by') === 'llamacpp')) return undefined;
  return entries.flatMap((entry) => {
    const name = read(entry, kind === 'ollama' ? 'name' : 'id');
    const size = read(entry, 'context_length') ?? read(entry, 'max_model_len');
    return typeof name === 'string' && !/embed/i.test(name) ? [{ name, ...contextOf(size) }] : [];
  });
}

function read(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? (Reflect.get(from, name) as unknown) : undefined;
}

/** Looks before it loads all that a request needs. A server elsewhere may only be reached through a proxy, so it is simply asked. */
function listens({ hostname, port, protocol }: URL): Promise<boolean> {
  if (!/^(?:localhost|127\.|\[::1\])/.test(hostname)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({ host: hostname.replaceAll(/^\[|\]$/g, ''), port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: patience });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
