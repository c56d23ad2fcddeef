// How the messages of one version of the protocol are exchanged. The rest of the code uses the words of
// version 1; a wire of another version translates.
import { elicitationCreate, requestPermission } from '../../../protocols/acp/v1/methods.ts';
import type { Peer } from '../../../rpc/peer.ts';

export interface AgentWire {
  request(method: string, params: unknown): Promise<unknown>;
  /** What an update of the agent says. */
  updates(session: string, update: unknown): readonly unknown[];
  /** The params of a request of the agent; undefined if this version does not have the method. */
  asked(method: string, params: unknown): unknown;
}

/** The wire of version 1: everything stays as it is. */
export function version1Wire(peer: Pick<Peer, 'request'>): AgentWire {
  return {
    request: (method, params) => peer.request(method, params),
    updates: (_session, update) => [update],
    asked: (method, params) => (served.has(method) ? (params ?? {}) : undefined),
  };
}

const served: ReadonlySet<string> = new Set([
  requestPermission,
  elicitationCreate,
  'fs/read_text_file',
  'fs/write_text_file',
  'terminal/create',
  'terminal/output',
  'terminal/wait_for_exit',
  'terminal/kill',
  'terminal/release',
]);
