// What an agent answers to the requests of a client; what it reads is in agentSchema.ts, what it sends unasked in clientMessages.ts.
import type { NesCapabilities, PositionEncoding } from './nesSchema.ts';

export interface InitializeResult {
  readonly protocolVersion: number;
  readonly agentCapabilities: AgentCapabilities;
  readonly agentInfo: { readonly name: string; readonly title: string; readonly version: string };
  readonly authMethods: readonly AuthMethod[];
}

/** Without a type the agent does it itself; in a terminal the client starts the agent's program once more, with these arguments added. */
export interface AuthMethod {
  readonly type?: 'terminal';
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly args?: readonly string[];
}

/** An object marks a capability that is there. */
type Marker = { readonly [none: string]: never };

interface AgentCapabilities {
  /** Unstable. */
  readonly providers?: Marker;
  readonly nes?: NesCapabilities;
  readonly positionEncoding?: PositionEncoding;
  readonly loadSession: boolean;
  readonly promptCapabilities: {
    readonly image: boolean;
    readonly audio: boolean;
    readonly embeddedContext: boolean;
  };
  readonly mcpCapabilities: {
    readonly [unstable: string]: boolean;
    readonly http: boolean;
    readonly sse: boolean;
  };
  readonly auth: { readonly [unstable: string]: object | undefined; readonly logout?: Marker };
  readonly sessionCapabilities: {
    readonly [unstable: string]: object | undefined;
    readonly list?: Marker;
    readonly resume?: Marker;
    readonly close?: Marker;
    readonly delete?: Marker;
    readonly additionalDirectories?: Marker;
  };
}

/** What a session can be set to; part of the answers to session/new, session/load and session/resume. */
export interface SessionSettings {
  readonly modes?: SessionModes;
  readonly configOptions?: readonly ConfigOption[];
  /** Dropped from the specification; only for clients that are older than config options. */
  readonly models?: SessionModels;
  /** What was given with session/new. */
  readonly _meta?: object;
}

export interface NewSessionResult extends SessionSettings {
  readonly sessionId: string;
}

export interface SessionModes {
  readonly currentModeId: string;
  readonly availableModes: readonly {
    readonly id: string;
    readonly name: string;
    readonly description?: string;
  }[];
}

export interface SessionModels {
  readonly currentModelId: string;
  readonly availableModels: readonly { readonly modelId: string; readonly name: string }[];
}

export type ConfigOption = {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** mode, model, model_config, thought_level, or a word of our own that begins with an underscore. */
  readonly category?: string;
} & (
  | {
      readonly type: 'select';
      readonly currentValue: string;
      readonly options: readonly SelectOption[] | readonly SelectGroup[];
    }
  | { readonly type: 'boolean'; readonly currentValue: boolean }
);

export interface SelectOption {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

export interface SelectGroup {
  readonly group: string;
  readonly name: string;
  readonly options: readonly SelectOption[];
}

export interface ListSessionsResult {
  readonly sessions: readonly SessionInfo[];
  readonly nextCursor?: string;
}

export interface SessionInfo {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly title?: string;
  readonly updatedAt: string;
  /** Unstable; told only to those who asked for archived sessions. */
  readonly archived?: boolean;
}

/** Unstable. */
export interface TurnUsage {
  readonly totalTokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens?: number;
  readonly cachedWriteTokens?: number;
}

export interface PromptResult {
  readonly usage?: TurnUsage;
  readonly stopReason: 'end_turn' | 'max_tokens' | 'max_turn_requests' | 'refusal' | 'cancelled';
}
