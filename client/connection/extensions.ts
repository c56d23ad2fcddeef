// The requests that Parley serves beyond AHP. Any other host refuses them, and the
// console works without them.

export type Role = 'observe' | 'approve' | 'control';

/** What this browser may do. */
export interface Access {
  readonly role: Role;
  /** The id of this browser where it signed in as a device. */
  readonly device?: string;
  /** The home folder of the user who runs the host: paths below it are shown with `~`. */
  readonly home?: string;
}

export interface SearchHit {
  readonly id: string;
  readonly title: string;
  readonly modifiedAt: number;
  readonly lines: readonly string[];
}

/** The answer to a search that does not wait for the index. */
export interface SearchAnswer {
  readonly hits: readonly SearchHit[];
  /** How many sessions are not in the index yet, of all that there are. */
  readonly missing: number;
  readonly sessions: number;
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  /** The permission mode with most freedom that it may choose. */
  readonly most?: string;
  readonly since: number;
  readonly connections: number;
}

/** Where other devices reach the host. */
export interface ListeningState {
  /** Whether the address of the host itself can be reached from other machines. */
  readonly onNetwork: boolean;
  /** The second address, for other devices; absent while the host does not listen there. */
  readonly devices?: {
    /** One for each network of the machine, with a slash at the end. */
    readonly urls: readonly string[];
    readonly port: number;
    /** Of our own certificate, which no browser knows. */
    readonly fingerprint?: string;
  };
  /** The port that is used unless another one is chosen. */
  readonly port: number;
  /** Why the host does not listen although the settings say so. */
  readonly problem?: string;
}

/** An answer that holds for more than one call. */
export interface RememberedAnswer {
  readonly id: string;
  readonly effect: 'allow' | 'ask' | 'deny';
  /** The rule in words. */
  readonly rule: string;
  readonly scope: 'session' | 'folder' | 'everywhere';
  readonly folders?: readonly string[];
  readonly session?: { readonly id: string; readonly title: string };
  readonly by?: {
    readonly kind: string;
    readonly door?: string;
    readonly name?: string;
    readonly device?: string;
  };
  readonly at?: number;
  /** False if the answer does not count until it is confirmed. */
  readonly confirmed: boolean;
}

/** A folder on the host's machine and its subfolders. */
export interface FolderListing {
  readonly folder: string;
  readonly parent: string;
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** The git branch that is checked out there. */
  readonly branch?: string;
}

/** The ids of an approval or question that waits. */
export interface WaitingPlace {
  readonly session: string;
  readonly chat: string;
  readonly ask: string;
}

export interface WaitingText {
  readonly title: string;
  /** The title of the session. */
  readonly session: string;
  readonly folder?: string;
  readonly command?: string;
}

/** The repository around a folder: branch, what is staged, and what differs from the last commit. */
export interface GitState {
  readonly folder: string;
  readonly branch?: string;
  readonly upstream?: string;
  readonly ahead?: number;
  readonly behind?: number;
  readonly staged: readonly string[];
  readonly changed: readonly string[];
}

/** An open connection to the host. */
export interface ConnectedClient {
  readonly door: string;
  readonly since: number;
  readonly device?: string;
  readonly browser?: string;
}

export interface ProviderRow {
  readonly id: string;
  readonly label?: string;
  readonly configured: boolean;
  readonly auth: { readonly status: string; readonly source?: string; readonly envVar?: string };
  readonly login?: { readonly methods: readonly { readonly key: string; readonly label: string }[] };
  readonly models: readonly { readonly id: string }[];
}

export interface LoginField {
  readonly key: string;
  readonly label: string;
  readonly type: 'secret' | 'text';
}

export interface LoginMethod {
  readonly key: string;
  readonly label: string;
}

/** A step without fields ends in another window; `providers/wait` answers when it has. */
export type LoginStep =
  | { readonly kind: 'choose'; readonly ways: readonly LoginMethod[] }
  | { readonly kind: 'fields'; readonly fields: readonly LoginField[] }
  | { readonly kind: 'visit'; readonly url: string; readonly fields?: readonly LoginField[] }
  | { readonly kind: 'device'; readonly url: string; readonly code: string };

export interface ServerRow {
  readonly name: string;
  readonly reach: { readonly command: string; readonly args: readonly string[] } | { readonly url: string };
  readonly status: string;
  readonly problem?: string;
  readonly signedIn: boolean;
  /** Secret values are hidden. */
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The file that names it. */
  readonly source?: string;
  readonly tools: readonly { readonly name: string; readonly description: string }[];
}

/** A server as it is written: a command with arguments and environment, or a URL with headers. */
export interface ServerFields {
  readonly server: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type ServerAction = 'start' | 'stop' | 'restart' | 'signIn' | 'signOut' | 'disable' | 'enable';

/** A running program of an external agent; times in milliseconds, memory in bytes. */
export interface RunningAgent {
  readonly agent: string;
  readonly name: string;
  readonly cwd: string;
  readonly pid?: number;
  readonly sessions: number;
  readonly busy: boolean;
  readonly age: number;
  readonly idle: number;
  readonly memory?: number;
}

export interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly path?: string;
  readonly disabled: boolean;
  readonly install?: string;
}

/** An agent of the registry. */
export interface RegistryAgent {
  readonly id: string;
  readonly registryId: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** How it can be installed on the host; empty if it cannot. */
  readonly kinds: readonly string[];
  readonly installed?: string;
  /** The installation that is under way or has failed. */
  readonly job?: { readonly text: string; readonly part?: number } | { readonly problem: string };
}

/** A command that outlives the tool call that started it; times in milliseconds. */
export interface BackgroundJob {
  readonly id: string;
  readonly chat: string;
  readonly label: string;
  readonly command: string;
  readonly status: 'running' | 'completed' | 'failed' | 'killed';
  readonly exitCode?: number;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** Set while clients can write to its standard input. */
  readonly takesInput?: boolean;
}

export type ContextPartName = 'system' | 'tools' | 'files' | 'calls' | 'conversation';

/** Tokens and cost in dollars; what nobody reported is absent. */
export interface Spent {
  readonly input?: number;
  readonly output?: number;
  readonly cost?: number;
}

/** The context of a chat by part, and what its turns have used, newest first. */
export interface ChatUsage {
  readonly context: {
    readonly used: number;
    readonly size?: number;
    readonly parts: readonly { readonly part: ContextPartName; readonly tokens: number }[];
  };
  readonly canCompact: boolean;
  readonly chat: Spent;
  readonly session: Spent;
  readonly turns: readonly (Spent & {
    readonly id: string;
    readonly startedAt: number;
    readonly text: string;
    readonly model?: string;
  })[];
}

/** What the turns of one day, session, agent and model have used. */
export interface SpendingRow extends Spent {
  readonly day: string;
  readonly session: string;
  readonly title: string;
  readonly agent: string;
  readonly model: string;
  readonly turns: number;
}

/** What a rule of the settings does with a call. */
export type RuleEffect = 'allow' | 'ask' | 'deny';

export interface ExtensionRequests {
  me: { params: object; result: Access };
  'sessions/search': {
    params: {
      readonly words: readonly string[];
      readonly limit: number;
      /** While the index is being built, the answer comes after so many milliseconds. */
      readonly within?: number;
    };
    /** A `SearchAnswer` with `within`; hosts before it send the hits alone. */
    result: readonly SearchHit[] | SearchAnswer;
  };
  'sessions/delete': { params: { readonly id: string }; result: null };
  'console/connected': { params: object; result: readonly ConnectedClient[] };
  'console/folders': { params: { readonly at: string }; result: FolderListing };
  'console/folder': { params: object; result: string | null };
  'devices/list': { params: object; result: readonly Device[] };
  'devices/link': {
    params: { readonly role: Role; readonly most?: string; readonly at?: string };
    result: { readonly link: string; readonly role: Role };
  };
  'devices/change': {
    params: { readonly id: string; readonly role: Role; readonly most?: string };
    result: boolean;
  };
  'devices/revoke': { params: { readonly id: string }; result: boolean };
  'listening/read': { params: object; result: ListeningState };
  'listening/start': { params: { readonly port?: number }; result: ListeningState };
  'listening/stop': { params: object; result: ListeningState };
  'permissions/list': { params: object; result: readonly RememberedAnswer[] };
  'permissions/revoke': { params: { readonly id: string }; result: null };
  'permissions/confirm': { params: { readonly id: string }; result: null };
  'providers/list': { params: object; result: readonly ProviderRow[] };
  'providers/login': { params: { readonly provider: string; readonly way?: string }; result: LoginStep };
  'providers/wait': { params: { readonly provider: string }; result: null };
  'providers/input': {
    params: { readonly provider: string; readonly data: Readonly<Record<string, string>> };
    result: null;
  };
  'providers/logout': { params: { readonly provider: string }; result: null };
  'mcp/list': { params: object; result: readonly ServerRow[] };
  'mcp/act': {
    params: { readonly server: string; readonly action: ServerAction };
    result: { readonly visit: string } | null;
  };
  'mcp/add': { params: ServerFields; result: null };
  'mcp/update': { params: ServerFields; result: null };
  'mcp/test': {
    params: { readonly server: string };
    result: { readonly problem: string } | { readonly startMs: number; readonly tools: number };
  };
  'mcp/remove': { params: { readonly server: string }; result: null };
  'agents/list': { params: object; result: readonly AgentRow[] };
  'agents/running': { params: object; result: readonly RunningAgent[] };
  'agents/test': {
    params: { readonly agent: string };
    result: { readonly problem: string } | { readonly startMs: number; readonly protocol: number };
  };
  'agents/add': {
    params: { readonly agent: string; readonly command: string; readonly args: readonly string[] };
    result: null;
  };
  'agents/remove': { params: { readonly agent: string }; result: null };
  'agents/registry': {
    params: { readonly refresh?: boolean };
    result: {
      readonly agents: readonly RegistryAgent[];
      readonly at?: number;
      readonly isSnapshot?: true;
      readonly problem?: string;
    };
  };
  'agents/install': { params: { readonly agent: string }; result: null };
  'agents/uninstall': { params: { readonly agent: string }; result: null };
  'settings/read': {
    params: object;
    result: {
      readonly file: string;
      readonly text: string;
      readonly values: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
      readonly problems: readonly string[];
      /** The approval rules of this file. */
      readonly rules: Readonly<Partial<Record<RuleEffect, readonly unknown[]>>>;
    };
  };
  'settings/set': { params: { readonly path: readonly string[]; readonly value: unknown }; result: null };
  'jobs/list': { params: { readonly session: string }; result: readonly BackgroundJob[] };
  'jobs/read': { params: { readonly id: string }; result: { readonly text: string } };
  /** A null text ends the input. */
  'jobs/write': { params: { readonly id: string; readonly text: string | null }; result: boolean };
  'jobs/kill': { params: { readonly id: string }; result: boolean };
  'usage/chat': { params: { readonly session: string; readonly chat: string }; result: ChatUsage };
  'usage/totals': { params: { readonly days: number }; result: readonly SpendingRow[] };
  'push/key': { params: object; result: { readonly key: string } };
  'push/subscribe': {
    params: {
      readonly endpoint: string;
      readonly keys: { readonly p256dh: string; readonly auth: string };
    };
    result: null;
  };
  'push/unsubscribe': { params: object; result: boolean };
  'push/waiting': { params: WaitingPlace; result: WaitingText | null };
  'push/answer': { params: WaitingPlace & { readonly allow: boolean }; result: null };
  'git/state': {
    params: { readonly folder: string };
    result: GitState | { readonly refused: string } | null;
  };
  'git/commit': {
    params: { readonly folder: string; readonly message: string; readonly paths: readonly string[] };
    result: { readonly commit: string };
  };
  'settings/write': { params: { readonly text: string; readonly was: string }; result: null };
}

export type ExtensionMethod = keyof ExtensionRequests;

/** The method name on the wire. AHP reserves the prefix `x-` for extensions. */
export function extensionMethodName(method: ExtensionMethod): string {
  return `x-parley/${method}`;
}
