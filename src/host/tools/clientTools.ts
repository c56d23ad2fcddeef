// Tools that clients lend to the agents of a session. A client runs its tool itself and says in the log what came of it.
import type { Json, SessionId } from '../../model/event.ts';

export interface ClientTool {
  /** Whose tool it is; nobody else may say what came of a call. */
  readonly client: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  /** A JSON Schema of the arguments. */
  readonly parameters: Json;
}

export class ClientTools {
  readonly #lent = new Map<SessionId, Map<string, readonly ClientTool[]>>();

  /** From now on these are the tools of a client in a session. */
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
