// A client that takes part in a session, and what it lends to the session's agents.
import type { Json } from './event.ts';

/** A tool that a client runs itself; `input`, `output` and `hints` are JSON that is handed on as it came. */
export interface LentTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly hints?: Json;
  readonly meta?: Json;
}

/** A plugin that a client brings along; `revision` tells when the host has to read it again. */
export interface LentPlugin {
  readonly id: string;
  readonly uri: string;
  readonly name: string;
  readonly revision?: string;
  /** The rest of what the client says about it; opaque. */
  readonly meta?: Json;
}

/** A client that takes part in a session, with what it lends to the session's agents. */
export interface SessionClient {
  readonly id: string;
  readonly name?: string;
  readonly tools: readonly LentTool[];
  readonly plugins?: readonly LentPlugin[];
}
