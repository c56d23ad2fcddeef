// Model servers on the network, asked for the models they have. A port that nobody listens on costs one refused connection and nothing else.
import { connect } from 'node:net';

/** How a server lists its models. Many programs listen on 8080, so llama.cpp must say that it is one. */
export type ListKind = 'openai' | 'ollama' | 'llama.cpp';

const patience = 2_000;

/** The names of the models at an address; undefined where nobody, or somebody else, answers. */
export async function listModels(url: string, kind: ListKind, key?: string): Promise<readonly string[] | undefined> {
  if (!(await listens(new URL(url)))) return undefined;
  try {
    const response = await fetch(kind === 'ollama' ? `${url}/api/tags` : `${url}/models`, {
      signal: AbortSignal.timeout(patience), redirect: 'error', ...(key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }),
    });
    return response.ok ? namesIn(await response.json(), kind) : undefined;
  } catch {
    return undefined;
  }
}

function namesIn(value: unknown, kind: ListKind): readonly string[] | undefined {
  const list = read(value, kind === 'ollama' ? 'models' : 'data');
  if (!Array.isArray(list)) return undefined;
  const entries: readonly unknown[] = list;
  if (kind === 'llama.cpp' && !entries.every((entry) => read(entry, 'owned_by') === 'llamacpp')) return undefined;
  return entries.map((entry) => read(entry, kind === 'ollama' ? 'name' : 'id')).filter((name) => typeof name === 'string' && !/embed/i.test(name)).map(String);
}

function read(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? (Reflect.get(from, name) as unknown) : undefined;
}

/** Looks before it loads all that a request needs. */
function listens({ hostname, port, protocol }: URL): Promise<boolean> {
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
