// The requests that our own host serves beyond the protocol. Any other host refuses them, and the console does without.

export type Role = 'observe' | 'approve' | 'control';

export interface Me {
  readonly role: Role;
  /** Present where this browser was signed in as a device. */
  readonly device?: string;
}

export interface Hit {
  readonly id: string;
  readonly title: string;
  readonly modifiedAt: number;
  readonly lines: readonly string[];
}

export interface Device {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly since: number;
  readonly connections: number;
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

export type LoginStep =
  | { readonly action: 'choose-method'; readonly methods: readonly { readonly key: string; readonly label: string }[] }
  | { readonly action: 'authorize'; readonly url: string; readonly message: string; readonly fields?: readonly LoginField[] }
  | { readonly action: 'device-code'; readonly url: string; readonly code: string; readonly message: string }
  | { readonly action: 'input'; readonly fields: readonly LoginField[] }
  | { readonly action: 'done' };

export interface ServerRow {
  readonly name: string;
  readonly command: string | null;
  readonly args: readonly string[] | null;
  readonly url: string | null;
  readonly status: string;
  readonly disabled: boolean;
  readonly hasAuth: boolean;
  readonly tools: readonly { readonly name: string; readonly description: string }[] | null;
}

export type ServerAction = 'start' | 'stop' | 'connect' | 'logout' | 'disable' | 'enable';

export interface AgentRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly source: string;
  readonly path?: string;
  readonly disabled: boolean;
  readonly install?: string;
}

export interface OwnRequests {
  me: { params: object; result: Me };
  'sessions/search': { params: { readonly words: readonly string[]; readonly limit: number }; result: readonly Hit[] };
  'devices/list': { params: object; result: readonly Device[] };
  'devices/link': { params: { readonly role: Role }; result: { readonly link: string; readonly role: Role } };
  'devices/change': { params: { readonly id: string; readonly role: Role }; result: boolean };
  'devices/revoke': { params: { readonly id: string }; result: boolean };
  'providers/list': { params: object; result: readonly ProviderRow[] };
  'providers/login': { params: { readonly provider: string; readonly method?: string }; result: LoginStep };
  'providers/input': { params: { readonly provider: string; readonly data: Readonly<Record<string, string>> }; result: LoginStep };
  'providers/logout': { params: { readonly provider: string }; result: null };
  'mcp/list': { params: object; result: readonly ServerRow[] };
  'mcp/act': { params: { readonly server: string; readonly action: ServerAction }; result: { readonly visit: string } | null };
  'mcp/add': { params: { readonly server: string; readonly command?: string; readonly args?: readonly string[]; readonly url?: string }; result: null };
  'mcp/remove': { params: { readonly server: string }; result: null };
  'agents/list': { params: object; result: readonly AgentRow[] };
  'agents/test': { params: { readonly agent: string }; result: { readonly problem: string } | { readonly startMs: number; readonly protocol: number } };
  'settings/read': {
    params: object;
    result: {
      readonly file: string;
      readonly text: string;
      readonly values: readonly { readonly key: string; readonly value: unknown; readonly source: string }[];
      readonly problems: readonly string[];
    };
  };
  'settings/write': { params: { readonly text: string; readonly was: string }; result: null };
}

export type OwnMethod = keyof OwnRequests;

/** As they are called on the wire; names that begin with `x-` are free for private use. */
export function wireName(method: OwnMethod): string {
  return `x-parley/${method}`;
}
