// The requests and notifications of AHP 1.0: names, params and results.
import type { z } from 'zod';
import type { RequestsOf } from '../actionTypes.ts';
import type { AutomationTriggerEvent } from './automation.ts';
import type {
  ConfigSchema,
  ContentRef,
  Meta,
  Open,
  ProtectedResourceMetadata,
  SessionConfigPropertySchema,
  StringOrMarkdown,
  URI,
} from './content.ts';
import type { MessageAttachment } from './message.ts';
import type { WireType } from './wireType.ts';
import type { notificationSchemas, requestSchemas } from './schema/requests.ts';
import type { ActionEnvelope, SessionSummary, Snapshot } from './state.ts';

type Values = Readonly<Record<string, unknown>>;

type Done = Readonly<Record<string, never>>;

export type Implementation = WireType<'implementation'>;

export type ChangesetOperationTarget = WireType<'changesetOperationTarget'>;

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

interface ResourceResults {
  resourceRead: {
    readonly data: string;
    readonly encoding: 'base64' | 'utf-8';
    readonly contentType?: string;
  };
  resourceWrite: Done;
  resourceList: {
    readonly entries: readonly { readonly name: string; readonly type: 'file' | 'directory' }[];
  };
  resourceCopy: Done;
  resourceMove: Done;
  resourceDelete: Done;
  resourceResolve: {
    readonly uri: URI;
    readonly type: 'file' | 'directory' | 'symlink';
    readonly size?: number;
    readonly mtime?: string;
    readonly ctime?: string;
    readonly contentType?: string;
    readonly etag?: string;
  };
  resourceMkdir: Done;
  resourceRequest: Done;
  createResourceWatch: { readonly channel: URI };
}

export interface Results extends ResourceResults {
  initialize: InitializeResult;
  ping: null;
  reconnect:
    | {
        readonly type: 'replay';
        readonly actions: readonly ActionEnvelope[];
        readonly missing: readonly URI[];
      }
    | { readonly type: 'snapshot'; readonly snapshots: readonly Snapshot[] };
  /** Channels without state have no snapshot. */
  subscribe: { readonly snapshot?: Snapshot };
  createSession: null;
  disposeSession: null;
  createChat: null;
  moveChat: { readonly session: URI };
  disposeChat: null;
  createTerminal: null;
  disposeTerminal: null;
  listSessions: { readonly items: readonly SessionSummary[]; readonly nextCursor?: string };
  /** The turns themselves come before the answer, as `chat/turnsLoaded`. */
  fetchTurns: Done;
  completions: {
    readonly items: readonly {
      readonly insertText: string;
      readonly rangeStart?: number;
      readonly rangeEnd?: number;
      readonly attachment: MessageAttachment;
    }[];
  };
  authenticate: Done;
  resolveSessionConfig: {
    readonly schema: ConfigSchema<SessionConfigPropertySchema>;
    readonly values: Values;
    /** Our host names what the session has if nobody chooses it. */
    readonly _meta?: { readonly permissions?: string; readonly model?: string };
  };
  sessionConfigCompletions: {
    readonly items: readonly {
      readonly value: string;
      readonly label: string;
      readonly description?: string;
    }[];
  };
  invokeChangesetOperation: {
    readonly message?: StringOrMarkdown;
    readonly followUp?: { readonly content: ContentRef; readonly external?: boolean };
  };
  listAutomationTriggerDefinitions: {
    readonly items: readonly {
      readonly type: string;
      readonly title: string;
      readonly description?: string;
      readonly events: readonly AutomationTriggerEvent[];
      readonly configSchema?: ConfigSchema;
    }[];
  };
  runAutomation: { readonly resource: URI };
  fetchAutomationRuns: Done;
}

export type RequestMethod = keyof Results;

/** From the client to the host. */
export type Requests = RequestsOf<typeof requestSchemas, Results>;

/** What a host serves and may also ask of a client that has files of its own. */
export type ResourceRequests = Pick<Requests, keyof ResourceResults>;

export type ClientNotificationMethod = keyof typeof notificationSchemas;

/** From the client to the host. */
export type ClientNotifications = {
  [Method in ClientNotificationMethod]: z.output<(typeof notificationSchemas)[Method]>;
};

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
