// A raw ACP client with everything the agent says checked and written down: of the door in memory,
// or of the real program.
import { acpDoor } from '../../src/doors/acp/door.ts';
import type { AcpOptions } from '../../src/doors/acp/options.ts';
import type { Host } from '../../src/host/host.ts';
import type { NewSessionResponse } from '../../src/protocols/acp/v1/messages.ts';
import type { PermissionRequest, SessionUpdate } from '../../src/protocols/acp/v1/messages.ts';
import { createMemoryPair } from '../../src/rpc/transports/memory.ts';
import type { MemoryTransport } from '../../src/rpc/transports/memory.ts';
import { ndjson } from '../../src/rpc/framing/ndjson.ts';
import { createPeer } from '../../src/rpc/peer.ts';
import type { Peer } from '../../src/rpc/peer.ts';
import { RpcError, rpcCodes } from '../../src/rpc/rpcError.ts';
import type { Limits, Transport } from '../../src/rpc/transports/transport.ts';
import { checkedTransport } from './acpSchema.ts';
import type { Checked, Message } from './acpSchema.ts';
import { spawned } from './clients.ts';
import type { Home } from './parley.ts';
import { inTime } from './patience.ts';

export interface AcpClient extends Pick<Checked, 'sent' | 'problems'> {
  readonly peer: Peer;
  /** Answers permission requests; the default never does. */
  permission: (params: PermissionRequest, signal: AbortSignal) => unknown;
  /** Answers every other request, such as those for files and terminals; the default knows none of them. */
  answer: (method: string, params: never, signal: AbortSignal) => unknown;
  call(method: string, params?: object): Promise<unknown>;
  /** The error of a call that must fail. */
  failure(method: string, params?: unknown): Promise<{ code: unknown; message: string; data: unknown }>;
  initialize(params?: object): Promise<unknown>;
  newSession(params?: object): Promise<string>;
  prompt(sessionId: string, text: string): Promise<unknown>;
  /** The updates of one session so far. */
  updates(sessionId: string): readonly SessionUpdate[];
  /** Resolves once something the door sent satisfies a condition. */
  seen(holds: (message: Message) => boolean, from?: number): Promise<Message>;
  close(): Promise<void>;
}

/** A client of the door in this process. */
export function acpClient(
  host: Host,
  options: Partial<AcpOptions & { limits: Partial<Limits> }> = {},
): AcpClient & { readonly transport: MemoryTransport } {
  const { limits, ...door } = options;
  const [mine, theirs] = createMemoryPair(limits);
  const checked = checkedTransport(theirs);
  const served = acpDoor({ version: '1.2.3', ...door }).serve(checked.transport, host);
  return Object.assign(talkOver(mine, checked, served), { transport: mine });
}

/** A client of `parley acp` as editors start it. */
export function acpProcess(home: Home, args: readonly string[] = []): AcpClient {
  return acpOver(spawned(home, ['acp', ...args], ndjson));
}

export function acpOver(transport: Transport): AcpClient {
  const checked = checkedTransport(transport, 'client');
  return talkOver(checked.transport, checked, undefined);
}

function talkOver(
  transport: Transport,
  { sent, problems }: Checked,
  served: Promise<void> | undefined,
): AcpClient {
  const watchers = new Set<() => void>();
  const tell = () => watchers.forEach((watcher) => watcher());
  const peer = createPeer(transport, {
    cancel: { method: '$/cancel_request', idKey: 'requestId' },
    malformed: 'report',
    handle: {
      request(method, params, { signal }) {
        tell();
        return method === 'session/request_permission'
          ? client.permission(params as PermissionRequest, signal)
          : client.answer(method, params as never, signal);
      },
      notification: tell,
    },
  });
  const client: AcpClient = {
    peer,
    sent,
    problems,
    permission: () => new Promise(() => {}),
    answer: (method) => {
      throw new RpcError(rpcCodes.methodNotFound, `This client has no ${method}.`);
    },
    call: (method, params = {}) =>
      inTime(peer.request(method, params).finally(tell), () => `the answer to ${method}`),
    failure: (method, params) =>
      peer.request(method, params).then(
        (result) => Promise.reject(new Error(`answered ${JSON.stringify(result)}`)),
        (error: { code: unknown; message: string; data: unknown }) => ({
          code: error.code,
          message: error.message,
          data: error.data,
        }),
      ),
    initialize: (params = {}) =>
      client.call('initialize', {
        protocolVersion: 1,
        clientInfo: { name: 'test', version: '1' },
        ...params,
      }),
    newSession: async (params = {}) =>
      ((await client.call('session/new', { cwd: '/w', mcpServers: [], ...params })) as NewSessionResponse)
        .sessionId,
    prompt: (sessionId, text) =>
      client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    updates: (sessionId) =>
      sent.flatMap(({ method, params }) =>
        method === 'session/update' && params?.update && params.sessionId === sessionId
          ? [params.update]
          : [],
      ),
    seen: (holds, from = 0) => {
      const found = new Promise<Message>((resolve) => {
        const look = () => {
          const message = sent.slice(from).find(holds);
          if (!message) return;
          watchers.delete(look);
          resolve(message);
        };
        watchers.add(look);
        look();
      });
      return inTime(found, () => `${holds.toString()}; heard ${JSON.stringify(sent.slice(-5))}`);
    },
    async close() {
      peer.close();
      await (served ?? peer.closed);
    },
  };
  return client;
}
