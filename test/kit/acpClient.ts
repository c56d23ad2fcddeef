// A raw ACP client on an in-memory connection to the door, with everything the door sends checked and written down.
import { acpDoor } from '../../src/doors/acp/door.ts';
import type { AcpOptions } from '../../src/doors/acp/door.ts';
import type { Host } from '../../src/host/host.ts';
import type { NewSessionResult } from '../../src/protocols/acp/v1/agentMessages.ts';
import type { PermissionRequest, SessionUpdate } from '../../src/protocols/acp/v1/clientMessages.ts';
import { createMemoryPair } from '../../src/rpc/memory.ts';
import type { MemoryTransport } from '../../src/rpc/memory.ts';
import { createPeer } from '../../src/rpc/peer.ts';
import type { Peer } from '../../src/rpc/peer.ts';
import type { Limits } from '../../src/rpc/transport.ts';
import { checkedTransport } from './acpSchema.ts';
import type { Checked, Message } from './acpSchema.ts';

export interface AcpClient extends Pick<Checked, 'sent' | 'problems'> {
  readonly peer: Peer;
  readonly transport: MemoryTransport;
  /** Answers permission requests; the default never does. */
  permission: (params: PermissionRequest, signal: AbortSignal) => unknown;
  call(method: string, params?: object): Promise<unknown>;
  /** The error of a call that must fail. */
  failure(method: string, params?: unknown): Promise<{ code: unknown; message: string; data: unknown }>;
  initialize(params?: object): Promise<unknown>;
  newSession(params?: object): Promise<string>;
  prompt(sessionId: string, text: string): Promise<unknown>;
  /** The updates of one session so far. */
  updates(sessionId: string): readonly SessionUpdate[];
  /** Resolves once something the door sent satisfies a condition. */
  seen(holds: (message: Message) => boolean): Promise<Message>;
  close(): Promise<void>;
}

export function acpClient(host: Host, options: Partial<AcpOptions & { limits: Partial<Limits> }> = {}): AcpClient {
  const { limits, ...door } = options;
  const [mine, theirs] = createMemoryPair(limits);
  const { transport, sent, problems } = checkedTransport(theirs);
  const served = acpDoor({ version: '1.2.3', ...door }).serve(transport, host);
  const watchers = new Set<() => void>();
  const tell = () => watchers.forEach((watcher) => watcher());
  const peer = createPeer(mine, {
    cancel: { method: '$/cancel_request', idKey: 'requestId' },
    handle: {
      request(method, params, { signal }) {
        tell();
        return method === 'session/request_permission' ? client.permission(params as PermissionRequest, signal) : undefined;
      },
      notification: tell,
    },
  });
  const client: AcpClient = {
    peer, transport: mine, sent, problems,
    permission: () => new Promise(() => {}),
    call: (method, params = {}) => peer.request(method, params).finally(tell),
    failure: (method, params) => peer.request(method, params).then(
      (result) => Promise.reject(new Error(`answered ${JSON.stringify(result)}`)),
      (error: { code: unknown; message: string; data: unknown }) => ({ code: error.code, message: error.message, data: error.data }),
    ),
    initialize: (params = {}) => client.call('initialize', { protocolVersion: 1, clientInfo: { name: 'test', version: '1' }, ...params }),
    newSession: async (params = {}) => ((await client.call('session/new', { cwd: '/w', mcpServers: [], ...params })) as NewSessionResult).sessionId,
    prompt: (sessionId, text) => client.call('session/prompt', { sessionId, prompt: [{ type: 'text', text }] }),
    updates: (sessionId) => sent.flatMap(({ method, params }) => (method === 'session/update' && params?.update && params.sessionId === sessionId ? [params.update] : [])),
    seen: (holds) => new Promise((resolve) => {
      const look = () => {
        const found = sent.find(holds);
        if (!found) return;
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    }),
    async close() {
      peer.close();
      await served;
    },
  };
  return client;
}
