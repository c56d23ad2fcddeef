// The requests and notifications of the newest dialect: names, params and results.
import type { AutomationTriggerEvent } from './automation.ts';
import type {
  ConfigSchema,
  ContentRef,
  Meta,
  Open,
  ProtectedResourceMetadata,
  SessionConfigPropertySchema,
  StringOrMarkdown,
  TextRange,
  URI,
} from './content.ts';
import type { Message, MessageAttachment } from './message.ts';
import type {
  ActionEnvelope,
  ChatOrigin,
  SessionActiveClient,
  SessionSummary,
  Snapshot,
  TerminalClaim,
} from './state.ts';

export type ContentEncoding = 'base64' | 'utf-8';

type Values = Readonly<Record<string, unknown>>;

type Done = Readonly<Record<string, never>>;

interface OnChannel {
  readonly channel: URI;
  readonly _meta?: Meta;
}

/** Requests that only the root channel takes. VS Code leaves the channel out of some of them. */
interface OnRoot {
  readonly channel?: URI;
  readonly _meta?: Meta;
}

export interface Implementation {
  readonly name: string;
  readonly version?: string;
  readonly title?: string;
}

interface Globs {
  readonly items: readonly string[];
}

interface ConfigContext extends OnRoot {
  readonly provider?: string;
  readonly workingDirectory?: URI;
  readonly config?: Values;
}

interface Relocation extends OnRoot {
  readonly source: URI;
  readonly destination: URI;
  readonly failIfExists?: boolean;
}

export type ChatSource = Extract<ChatOrigin, { readonly kind: 'fork' | 'sideChat' }>;

export type ChatMoveDestination =
  | { readonly kind: 'session'; readonly session: URI; readonly after?: URI }
  | { readonly kind: 'newSession' };

export type ChangesetOperationTarget =
  | { readonly kind: 'resource'; readonly resource: URI; readonly side?: 'before' | 'after' }
  | {
      readonly kind: 'range';
      readonly resource: URI;
      readonly side?: 'before' | 'after';
      readonly range: TextRange;
    };

export interface InitializeResult {
  readonly protocolVersion: string;
  readonly serverSeq: number;
  readonly serverInfo?: Implementation;
  /** Never absent: the official client loops without it. */
  readonly snapshots: readonly Snapshot[];
  readonly defaultDirectory?: URI;
  readonly completionTriggerCharacters?: readonly string[];
  readonly terminalCommandPrefix?: string;
  readonly telemetry?: { readonly logs?: URI; readonly traces?: URI; readonly metrics?: URI };
  readonly automations?: Values;
  readonly _meta?: Meta;
}

/** What a host serves and may also ask of a client that has files of its own. */
export interface ResourceRequests {
  resourceRead: {
    params: OnRoot & { readonly uri: URI; readonly encoding?: ContentEncoding };
    result: { readonly data: string; readonly encoding: ContentEncoding; readonly contentType?: string };
  };
  resourceWrite: {
    params: OnRoot & {
      readonly uri: URI;
      readonly data: string;
      readonly encoding: ContentEncoding;
      readonly contentType?: string;
      readonly createOnly?: boolean;
      readonly mode?: 'truncate' | 'append' | 'insert';
      readonly position?: number;
      readonly ifMatch?: string;
    };
    result: Done;
  };
  resourceList: {
    params: OnRoot & { readonly uri: URI };
    result: { readonly entries: readonly { readonly name: string; readonly type: 'file' | 'directory' }[] };
  };
  resourceCopy: { params: Relocation; result: Done };
  resourceMove: { params: Relocation; result: Done };
  resourceDelete: { params: OnRoot & { readonly uri: URI; readonly recursive?: boolean }; result: Done };
  resourceResolve: {
    params: OnRoot & { readonly uri: URI; readonly followSymlinks?: boolean };
    result: {
      readonly uri: URI;
      readonly type: 'file' | 'directory' | 'symlink';
      readonly size?: number;
      readonly mtime?: string;
      readonly ctime?: string;
      readonly contentType?: string;
      readonly etag?: string;
    };
  };
  resourceMkdir: { params: OnRoot & { readonly uri: URI }; result: Done };
  resourceRequest: {
    params: OnRoot & { readonly uri: URI; readonly read?: boolean; readonly write?: boolean };
    result: Done;
  };
  createResourceWatch: {
    params: OnRoot & {
      readonly uri: URI;
      readonly recursive?: boolean;
      readonly excludes?: Globs;
      readonly includes?: Globs;
    };
    result: { readonly channel: URI };
  };
}

/** From the client to the host. */
export interface Requests extends ResourceRequests {
  initialize: {
    params: OnRoot & {
      readonly protocolVersions: readonly string[];
      readonly clientId: string;
      readonly clientInfo?: Implementation;
      readonly initialSubscriptions?: readonly URI[];
      readonly locale?: string;
      readonly capabilities?: { readonly mcpApps?: Values };
    };
    result: InitializeResult;
  };
  ping: { params: OnRoot; result: null };
  reconnect: {
    params: OnRoot & {
      readonly clientId: string;
      readonly lastSeenServerSeq: number;
      readonly subscriptions: readonly URI[];
    };
    result:
      | {
          readonly type: 'replay';
          readonly actions: readonly ActionEnvelope[];
          readonly missing: readonly URI[];
        }
      | { readonly type: 'snapshot'; readonly snapshots: readonly Snapshot[] };
  };
  subscribe: {
    params: OnChannel & {
      readonly delivery?: { readonly maxLatencyMs?: number };
      readonly view?: { readonly turns?: number };
    };
    /** Channels without state have no snapshot. */
    result: { readonly snapshot?: Snapshot };
  };
  createSession: {
    params: OnChannel & {
      readonly provider?: string;
      readonly workingDirectories?: readonly URI[];
      readonly config?: Values;
      readonly activeClient?: SessionActiveClient;
      readonly progressToken?: string;
    };
    result: null;
  };
  disposeSession: { params: OnChannel; result: null };
  createChat: {
    params: OnChannel & {
      readonly chat: URI;
      readonly initialMessage?: Message;
      readonly source?: ChatSource;
      readonly workingDirectories?: readonly URI[];
    };
    result: null;
  };
  moveChat: {
    params: OnChannel & { readonly destination: ChatMoveDestination };
    result: { readonly session: URI };
  };
  disposeChat: { params: OnChannel; result: null };
  createTerminal: {
    params: OnChannel & {
      readonly claim: TerminalClaim;
      readonly name?: string;
      readonly cwd?: URI;
      readonly cols?: number;
      readonly rows?: number;
    };
    result: null;
  };
  disposeTerminal: { params: OnChannel; result: null };
  listSessions: {
    params: OnRoot & { readonly limit?: number; readonly cursor?: string };
    result: { readonly items: readonly SessionSummary[]; readonly nextCursor?: string };
  };
  /** The turns themselves come before the answer, as `chat/turnsLoaded`. */
  fetchTurns: { params: OnChannel & { readonly cursor?: string }; result: Done };
  completions: {
    params: OnChannel & {
      readonly kind: Open<'userMessage'>;
      readonly text: string;
      readonly offset: number;
    };
    result: {
      readonly items: readonly {
        readonly insertText: string;
        readonly rangeStart?: number;
        readonly rangeEnd?: number;
        readonly attachment: MessageAttachment;
      }[];
    };
  };
  authenticate: {
    params: OnRoot & {
      readonly resource: string;
      readonly token: string;
      readonly scopes?: readonly string[];
      readonly expiresIn?: number;
    };
    result: Done;
  };
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
  invokeChangesetOperation: {
    params: OnChannel & { readonly operationId: string; readonly target?: ChangesetOperationTarget };
    result: {
      readonly message?: StringOrMarkdown;
      readonly followUp?: { readonly content: ContentRef; readonly external?: boolean };
    };
  };
  listAutomationTriggerDefinitions: {
    params: OnRoot & {
      readonly provider?: string;
      readonly workingDirectories?: readonly URI[];
      readonly sessionConfig?: Values;
    };
    result: {
      readonly items: readonly {
        readonly type: string;
        readonly title: string;
        readonly description?: string;
        readonly events: readonly AutomationTriggerEvent[];
        readonly configSchema?: ConfigSchema;
      }[];
    };
  };
  runAutomation: {
    params: OnChannel & { readonly automation: URI; readonly requestId: string };
    result: { readonly resource: URI };
  };
  fetchAutomationRuns: {
    params: OnChannel & { readonly automation: URI; readonly cursor?: string };
    result: Done;
  };
}

export type RequestMethod = keyof Requests;

/** From the client to the host. The action of a dispatch is checked on its own, because a bad one is echoed back. */
export interface ClientNotifications {
  unsubscribe: { readonly channel: URI };
  dispatchAction: {
    readonly channel: URI;
    readonly clientSeq: number;
    readonly action: { readonly type: string };
  };
}

export type ClientNotificationMethod = keyof ClientNotifications;

/** From the host to the client, and only to subscribers of the channel. */
export interface HostNotifications {
  action: ActionEnvelope;
  'root/sessionAdded': { readonly channel: URI; readonly summary: SessionSummary };
  'root/sessionRemoved': { readonly channel: URI; readonly session: URI };
  'root/sessionSummaryChanged': {
    readonly channel: URI;
    readonly session: URI;
    /** A partial update cannot remove a field: an empty string stands for a cleared activity. */
    readonly changes: Partial<Omit<SessionSummary, 'resource' | 'provider' | 'createdAt'>>;
  };
  'root/progress': {
    readonly channel: URI;
    readonly progressToken: string;
    readonly progress: number;
    readonly total?: number;
    readonly message?: string;
  };
  'auth/required': {
    readonly channel: URI;
    readonly resource: ProtectedResourceMetadata;
    readonly reason?: Open<'required' | 'expired'>;
  };
  'otlp/exportLogs': { readonly channel: URI; readonly payload: unknown };
  'otlp/exportTraces': { readonly channel: URI; readonly payload: unknown };
  'otlp/exportMetrics': { readonly channel: URI; readonly payload: unknown };
}
