// An ECA client for tests: keeps everything it gets in the order of arrival, answers and responses included,
// and can put it into short words.
import { ecaDoor } from '../../src/doors/eca/door.ts';
import type { EcaOptions } from '../../src/doors/eca/options.ts';
import type { Host } from '../../src/host/host.ts';
import { createMemoryPair } from '../../src/rpc/transports/memory.ts';
import type { MemoryTransport } from '../../src/rpc/transports/memory.ts';
import type { Limits } from '../../src/rpc/transports/transport.ts';

export interface WireMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: string; readonly data?: unknown };
}

export interface EcaClient {
  readonly wire: readonly WireMessage[];
  readonly transport: MemoryTransport;
  readonly served: Promise<void>;
  send(message: unknown): void;
  notify(method: string, params?: unknown): void;
  request(method: string, params?: unknown): Promise<WireMessage>;
  /** Resolves with the first message that fits among those that `news` has not told, and those to come. */
  until(fits: (message: WireMessage) => boolean): Promise<WireMessage>;
  /** What came since the last call, in short words. */
  news(): string[];
  close(): Promise<void>;
}

export function ecaClient(
  host: Host,
  options: Partial<EcaOptions> & { readonly pair?: Partial<Limits> } = {},
): EcaClient {
  const { pair, ...doorOptions } = options;
  const [transport, end] = createMemoryPair(pair);
  const served = ecaDoor({ version: '1.2.3', ...doorOptions }).serve(end, host);
  const wire: WireMessage[] = [];
  const waiting = new Set<() => void>();
  let lastId = 0;
  let told = 0;
  transport.listen({
    message: (text) => {
      wire.push(JSON.parse(text) as WireMessage);
      for (const look of [...waiting]) look();
    },
    problem: () => {},
    closed: () => {},
  });
  const until = (fits: (message: WireMessage) => boolean) =>
    new Promise<WireMessage>((resolve) => {
      const look = () => {
        const found = wire.slice(told).find(fits);
        if (!found) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const send = (message: unknown) => transport.send(JSON.stringify(message));
  return {
    wire,
    transport,
    served,
    send,
    until,
    notify: (method, params) => send({ jsonrpc: '2.0', method, params }),
    request(method, params) {
      lastId += 1;
      const id = lastId;
      send({ jsonrpc: '2.0', id, method, params });
      return until((message) => message.id === id && message.method === undefined);
    },
    news() {
      const from = told;
      told = wire.length;
      return wire.slice(from).map(inShort);
    },
    async close() {
      transport.close();
      await served;
    },
  };
}

/** A client of the workspace `/w` that has shaken hands; what was said until then is told. */
export async function greetedClient(
  host: Host,
  options: Parameters<typeof ecaClient>[1] & {
    readonly name?: string;
    readonly asks?: true;
    readonly folder?: string;
  } = {},
): Promise<EcaClient> {
  const { name = 'probe', asks, folder = '/w', ...rest } = options;
  const client = ecaClient(host, rest);
  const capabilities = {
    codeAssistant: { chat: true, ...(asks ? { chatCapabilities: { askQuestion: true } } : {}) },
  };
  await client.request('initialize', {
    clientInfo: { name },
    capabilities,
    workspaceFolders: [{ uri: `file://${folder}`, name: 'w' }],
  });
  client.notify('initialized', null);
  await client.until(
    ({ method, params }) =>
      method === '$/progress' && params?.['type'] === 'finish' && params['taskId'] === 'models',
  );
  client.news();
  return client;
}

/** True of a content of that type, and of that text where one is given. */
export function content(type: string, text?: string): (message: WireMessage) => boolean {
  return ({ method, params }) => {
    const given = params?.['content'] as { type?: string; text?: string; state?: string } | undefined;
    return (
      method === 'chat/contentReceived' &&
      given?.type === type &&
      (text === undefined || given.text === text || given.state === text)
    );
  };
}

function inShort({ id, method, params = {}, result, error }: WireMessage): string {
  if (error) return `error ${JSON.stringify(error)}`;
  if (method === undefined) return `result ${JSON.stringify(result)}`;
  if (method !== 'chat/contentReceived')
    return `${id === undefined ? '' : 'request '}${method} ${JSON.stringify(params)}`;
  const { role, content: given } = params as { role: string; content: { [key: string]: string | undefined } };
  const { type, text, state, id: item, ...rest } = given;
  const words =
    type === 'progress' && state === 'running'
      ? JSON.stringify(text)
      : text === undefined
        ? ''
        : JSON.stringify(text);
  const more =
    type === 'usage'
      ? ` ${String(rest['sessionTokens'])}`
      : type === 'toolCallRun'
        ? ` manual=${String(rest['manualApproval'])}`
        : type === 'toolCallRejected'
          ? ` ${String(rest['reason'])}`
          : '';
  return `${role} ${type}${state === 'finished' ? ' finished' : ''}${item === undefined ? '' : ` ${item}`}${words === '' ? '' : ` ${words}`}${more}`;
}
