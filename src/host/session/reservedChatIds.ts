// Reserves ids for the chats of tool calls. Clients may learn the id before the chat starts, so it stays
// reserved until the turn ends.
import type { ChatId, ToolId, TurnId } from '../../model/event.ts';
import type { Ids } from '../ports.ts';

export interface ReservedChatIdsOptions {
  readonly ids: Ids;
  /** Whether any session has a chat of this id. */
  readonly isChat: (id: ChatId) => boolean;
}

export class ReservedChatIds {
  readonly #options: ReservedChatIdsOptions;
  readonly #reserved = new Map<TurnId, Map<ToolId, ChatId>>();

  constructor(options: ReservedChatIdsOptions) {
    this.#options = options;
  }

  /** The id for a call; the same on every request. */
  of(turn: TurnId, tool: ToolId): ChatId {
    const ids = this.#reserved.get(turn) ?? new Map<ToolId, ChatId>();
    const id = ids.get(tool) ?? this.#free(tool);
    this.#reserved.set(turn, ids.set(tool, id));
    return id;
  }

  /** Call this when the turn has ended. */
  release(turn: TurnId): void {
    this.#reserved.delete(turn);
  }

  /** Some models number their calls from one in every conversation, so the id may be in use. */
  #free(tool: ToolId): ChatId {
    const wanted = `subagent-${tool}`;
    const isFree =
      /^[\w.:-]{1,200}$/.test(tool) &&
      !this.#options.isChat(wanted) &&
      ![...this.#reserved.values()].some((ids) => [...ids.values()].includes(wanted));
    return isFree ? wanted : `subagent-${this.#options.ids.next()}`;
  }
}
