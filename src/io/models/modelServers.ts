// Asks model servers on the network for their models. A closed port costs only one refused connection.
import { connect } from 'node:net';
import { memberAt, listedModels } from './modelLists.ts';
import type { FoundModel, ListKind } from './modelLists.ts';

export interface ListOptions {
  readonly key?: string | undefined;
  /** Additional headers besides the key. */
  readonly headers?: { readonly [name: string]: string };
  readonly fetch?: typeof fetch;
  /** In milliseconds. */
  readonly patience?: number;
  /** What servers said about single models: it does not change, so it is asked for once. */
  readonly known?: Map<string, FoundModel>;
}

/** The models at an address, or the reason why they are unknown. Never throws. */
export async function listModels(
  url: string,
  kind: ListKind,
  { key, headers = {}, fetch: request = fetch, patience = 2_000, known = new Map() }: ListOptions = {},
): Promise<readonly FoundModel[] | { readonly problem: string }> {
  if (!(await listens(new URL(url), patience))) return { problem: `nothing answers at ${url}` };
  const server: Server = {
    url: url.replace(/\?.*$/, ''),
    query: url.replace(/^[^?]*/, ''),
    request,
    patience,
    headers: { ...(key === undefined ? {} : keyHeader(kind, key)), ...headers },
    known,
  };
  const more =
    kind === 'lmstudio'
      ? listedModels(await ask(versionless(server), '/api/v0/models'), 'lmstudio')
      : undefined;
  if (more) return more;
  const answer = await ask(server, paths[kind] ?? '/models');
  if (answer instanceof Failed) return { problem: answer.why };
  const found = listedModels(answer, kind);
  if (!found) return { problem: 'its answer is not a list of models' };
  if (kind === 'ollama') return Promise.all(found.map(({ name }) => shown(server, name)));
  if (kind !== 'llama.cpp') return found;
  // It serves one model, with as much room as it was started with.
  const room = memberAt(await ask(versionless(server), '/props'), 'default_generation_settings', 'n_ctx');
  return found.map((model) => ({ ...model, ...contextOf(room) }));
}

const paths: { readonly [K in ListKind]?: string } = {
  ollama: '/api/tags',
  anthropic: '/models?limit=1000',
  google: '/models?pageSize=1000',
};

function keyHeader(kind: ListKind, key: string): { readonly [name: string]: string } {
  if (kind === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  return kind === 'google' ? { 'x-goog-api-key': key } : { authorization: `Bearer ${key}` };
}

interface Server {
  readonly url: string;
  /** With its question mark, where there is one. */
  readonly query: string;
  readonly request: typeof fetch;
  readonly patience: number;
  readonly headers: { readonly [name: string]: string };
  readonly known: Map<string, FoundModel>;
}

function versionless(server: Server): Server {
  return { ...server, url: server.url.replace(/\/v1$/, '') };
}

class Failed {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

async function ask(
  { url, query, request, patience, headers }: Server,
  path: string,
  body?: object,
): Promise<unknown> {
  try {
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await request(url + path + (path.includes('?') ? query.replace('?', '&') : query), {
      ...how,
      signal: AbortSignal.timeout(patience),
      redirect: 'error',
      headers,
    });
    if (response.ok) return await response.json();
    await response.body?.cancel();
    return new Failed(
      response.status === 401 || response.status === 403
        ? 'it rejected the API key'
        : `it answered with status ${response.status}`,
    );
  } catch (error) {
    return new Failed(failureText(error));
  }
}

function failureText(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'it did not answer in time';
  return error instanceof SyntaxError ? 'its answer is not a list of models' : 'it cannot be reached';
}

async function shown(server: Server, name: string): Promise<FoundModel> {
  const key = `${server.url} ${name}`;
  const before = server.known.get(key);
  if (before) return before;
  const answer = await ask(server, '/api/show', { model: name });
  const info = memberAt(answer, 'model_info');
  const [, size] =
    Object.entries(typeof info === 'object' && info !== null ? info : {}).find(([field]) =>
      field.endsWith('.context_length'),
    ) ?? [];
  const can = memberAt(answer, 'capabilities');
  const model = {
    name,
    ...contextOf(size),
    ...(Array.isArray(can) ? { images: can.includes('vision') } : {}),
  };
  if (!(answer instanceof Failed)) server.known.set(key, model);
  return model;
}

function contextOf(size: unknown): { readonly context?: number } {
  return typeof size === 'number' && size > 0 ? { context: size } : {};
}

/**
 * Looks before it loads all that a request needs. A server elsewhere may only be reached through a proxy,
 * so it is simply asked.
 */
function listens({ hostname, port, protocol }: URL, patience: number): Promise<boolean> {
  if (!/^(?:localhost|127\.|\[::1\])/.test(hostname)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replaceAll(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: patience,
    });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}
