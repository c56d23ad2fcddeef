// The requests and notifications of protocol version 1: names, params and results.
import type { RequestsOf } from '../actionTypes.ts';
import type { Results as V1_0Results } from '../v1_0/commands.ts';
import type { Open, URI } from '../v1_0/content.ts';
import type { requestSchemas } from './schema/requests.ts';
import type { ActionEnvelope, SessionSummary, Snapshot, Turn } from './state.ts';

/** Answered as in AHP 1.0. */
type Unchanged =
  | 'resourceRead'
  | 'resourceWrite'
  | 'resourceList'
  | 'resourceCopy'
  | 'resourceMove'
  | 'resourceDelete'
  | 'authenticate'
  | 'resolveSessionConfig'
  | 'sessionConfigCompletions';

interface Results extends Pick<V1_0Results, Unchanged> {
  initialize: {
    readonly protocolVersion: number;
    readonly serverSeq: number;
    readonly snapshots: readonly Snapshot[];
    readonly defaultDirectory?: URI;
  };
  reconnect:
    | { readonly type: 'replay'; readonly actions: readonly ActionEnvelope[] }
    | { readonly type: 'snapshot'; readonly snapshots: readonly Snapshot[] };
  subscribe: { readonly snapshot: Snapshot };
  createSession: null;
  disposeSession: null;
  createTerminal: null;
  disposeTerminal: null;
  listSessions: { readonly items: readonly SessionSummary[] };
  fetchTurns: { readonly turns: readonly Turn[]; readonly hasMore: boolean };
}

/**
 * From the client to the host. The host may send the `resource*` ones to a client that has files of its own.
 */
export type Requests = RequestsOf<typeof requestSchemas, Results>;

export type RequestMethod = keyof Results;

export type ProtocolNotification =
  | { readonly type: 'notify/sessionAdded'; readonly summary: SessionSummary }
  | { readonly type: 'notify/sessionRemoved'; readonly session: URI }
  | {
      readonly type: 'notify/sessionSummaryChanged';
      readonly session: URI;
      readonly changes: Partial<Omit<SessionSummary, 'resource' | 'provider' | 'createdAt'>>;
    }
  | {
      readonly type: 'notify/authRequired';
      readonly resource: string;
      readonly reason?: Open<'required' | 'expired'>;
    };
