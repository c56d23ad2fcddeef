// The port to texts that were too long for the log: kept beside it, read by whoever works in the session, gone with it. Implemented under io.
import type { SessionId } from '../../model/event.ts';

export interface Outputs {
  /** Where those of a session lie, links resolved; looking there needs no approval. */
  directory(session: SessionId): string;
  /** The path of the file that holds the text; undefined where it could not be kept. */
  keep(session: SessionId, name: string, text: string): Promise<string | undefined>;
  forget(session: SessionId): Promise<void>;
}
