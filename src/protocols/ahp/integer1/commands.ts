// The requests and notifications of protocol version 1: names, params and results.
import type { ConfigSchema, Open, SessionConfigPropertySchema, URI } from './content.ts';
import type { ModelSelection } from './message.ts';
import type {
  ActionEnvelope,
  SessionActiveClient,
  SessionSummary,
  Snapshot,
  TerminalClaim,
  Turn,
} from './state.ts';

export type ContentEncoding = 'base64' | 'utf-8';

type Values = Readonly<Record<string, unknown>>;

type Done = Readonly<Record<string, never>>;

interface ConfigContext {
  readonly provider?: string;
  readonly workingDirectory?: URI;
  readonly config?: Values;
}

interface Relocation {
  readonly source: URI;
  readonly destination: URI;
  readonly failIfExists?: boolean;
}

/** From the client to the host. The host may send the `resource*` ones to a client that has files of its own. */
export interface Requests {
  initialize: {
    params: {
      readonly protocolVersion: number;
      readonly clientId: string;
      readonly initialSubscriptions?: readonly URI[];
      readonly locale?: string;
    };
    result: {
      readonly protocolVersion: number;
      readonly serverSeq: number;
      readonly snapshots: readonly Snapshot[];
      readonly defaultDirectory?: URI;
    };
  };
  reconnect: {
    params: {
      readonly clientId: string;
      readonly lastSeenServerSeq: number;
      readonly subscriptions: readonly URI[];
    };
    result:
      | { readonly type: 'replay'; readonly actions: readonly ActionEnvelope[] }
      | { readonly type: 'snapshot'; readonly snapshots: readonly Snapshot[] };
  };
  subscribe: { params: { readonly resource: URI }; result: { readonly snapshot: Snapshot } };
  createSession: {
    params: {
      readonly session: URI;
      readonly provider?: string;
      readonly model?: ModelSelection;
      readonly workingDirectory?: URI;
      readonly fork?: { readonly session: URI; readonly turnId: string };
      readonly config?: Values;
      readonly activeClient?: SessionActiveClient;
    };
    result: null;
  };
  disposeSession: { params: { readonly session: URI }; result: null };
  createTerminal: {
    params: {
      readonly terminal: URI;
      readonly claim: TerminalClaim;
      readonly name?: string;
      readonly cwd?: URI;
      readonly cols?: number;
      readonly rows?: number;
    };
    result: null;
  };
  disposeTerminal: { params: { readonly terminal: URI }; result: null };
  listSessions: {
    params: { readonly filter?: Values };
    result: { readonly items: readonly SessionSummary[] };
  };
  resourceRead: {
    params: { readonly uri: URI; readonly encoding?: ContentEncoding };
    result: { readonly data: string; readonly encoding: ContentEncoding; readonly contentType?: string };
  };
  resourceWrite: {
    params: {
      readonly uri: URI;
      readonly data: string;
      readonly encoding: ContentEncoding;
      readonly contentType?: string;
      readonly createOnly?: boolean;
    };
    result: Done;
  };
  resourceList: {
    params: { readonly uri: URI };
    result: { readonly entries: readonly { readonly name: string; readonly type: 'file' | 'directory' }[] };
  };
  resourceCopy: { params: Relocation; result: Done };
  resourceMove: { params: Relocation; result: Done };
  resourceDelete: { params: { readonly uri: URI; readonly recursive?: boolean }; result: Done };
  fetchTurns: {
    params: { readonly session: URI; readonly before?: string; readonly limit?: number };
    result: { readonly turns: readonly Turn[]; readonly hasMore: boolean };
  };
  authenticate: { params: { readonly resource: string; readonly token: string }; result: Done };
  resolveSessionConfig: {
    params: ConfigContext;
    result: { readonly schema: ConfigSchema<SessionConfigPropertySchema>; readonly values: Values };
  };
  sessionConfigCompletions: {
    params: ConfigContext & { readonly property: string; readonly query?: string };
    result: {
      readonly items: readonly {
        readonly value: string;
        readonly label: string;
        readonly description?: string;
      }[];
    };
  };
}

export type RequestMethod = keyof Requests;

/** From the client to the host. The action of a dispatch is checked on its own, because a bad one is echoed back. */
export interface ClientNotifications {
  unsubscribe: { readonly resource: URI };
  dispatchAction: { readonly clientSeq: number; readonly action: { readonly type: string } };
}

export type ClientNotificationMethod = keyof ClientNotifications;

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
