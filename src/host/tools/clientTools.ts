// Tools that clients provide to the agents of a session. The client runs its tool and reports
// the result to the log.
import type { Json, SessionId } from '../../model/event.ts';

export interface ClientTool {
  /** The client that provides the tool; only it may report results. */
  readonly client: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
}

export class ClientTools {
  readonly #lent = new Map<SessionId, Map<string, readonly ClientTool[]>>();

  /** Replaces the tools of a client in a session. */
  lend(session: SessionId, client: string, tools: readonly ClientTool[]): void {
    const lent = this.#lent.get(session) ?? new Map<string, readonly ClientTool[]>();
    this.#lent.set(session, lent);
    if (tools.length > 0) lent.set(client, tools);
    else lent.delete(client);
    if (lent.size === 0) this.#lent.delete(session);
  }

  of(session: SessionId): readonly ClientTool[] {
    return [...(this.#lent.get(session)?.values() ?? [])].flat();
  }

  forget(session: SessionId): void {
    this.#lent.delete(session);
  }
}
