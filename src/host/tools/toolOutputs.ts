// The port to texts that are too long for the log. They can be read in the session and are deleted with it.
// Implemented under io.
import type { SessionId } from '../../model/event.ts';

export interface Outputs {
  /** The directory of a session's texts, links resolved; reading there needs no approval. */
  directory(session: SessionId): string;
  /** Stores a text and returns its path; undefined if that failed. */
  keep(session: SessionId, name: string, text: string): Promise<string | undefined>;
  forget(session: SessionId): Promise<void>;
}
