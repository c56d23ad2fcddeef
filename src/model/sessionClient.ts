// A client that takes part in a session, and what it lends to the session's agents.
import type { Extensions, Json } from './event.ts';

/** A tool that a client runs; `input`, `output` and `hints` are passed on unchanged. */
export interface LentTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly input?: Json;
  readonly output?: Json;
  readonly hints?: Json;
  readonly extensions?: Extensions;
}

/** A plugin of a client; the host reads it again when `revision` changes. */
export interface LentPlugin {
  readonly id: string;
  readonly uri: string;
  readonly name: string;
  readonly revision?: string;
  /** The client's other fields. */
  readonly extensions?: Extensions;
}

/** A client that takes part in a session, with what it lends to the session's agents. */
export interface SessionClient {
  readonly id: string;
  readonly name?: string;
  readonly tools: readonly LentTool[];
  readonly plugins?: readonly LentPlugin[];
}
