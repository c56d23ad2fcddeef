// Names for chats that calls begin. Clients find such a chat by its call, and may be told of it before it begins, so a name that was given is kept until the turn is over.
import type { ChatId, ToolId, TurnId } from '../../model/event.ts';
import type { Ids } from '../ports.ts';

export interface ChatNamesOptions {
  readonly ids: Ids;
  /** Whether any session has a chat of this id. */
  readonly isChat: (id: ChatId) => boolean;
}

export class ChatNames {
  readonly #options: ChatNamesOptions;
  readonly #given = new Map<TurnId, Map<ToolId, ChatId>>();

  constructor(options: ChatNamesOptions) {
    this.#options = options;
  }

  /** The same for the same call, whenever it is asked for. */
  of(turn: TurnId, tool: ToolId): ChatId {
    const own = this.#given.get(turn) ?? new Map<ToolId, ChatId>();
    const name = own.get(tool) ?? this.#free(tool);
    this.#given.set(turn, own.set(tool, name));
    return name;
  }

  /** The turn is over: what it has begun has its name, and what it has not needs none. */
  release(turn: TurnId): void {
    this.#given.delete(turn);
  }

  /** Some models number their calls in every conversation anew, so the name of the call may be taken. */
  #free(tool: ToolId): ChatId {
    const wanted = `subagent-${tool}`;
    const isFree =
      /^[\w.:-]{1,200}$/.test(tool) &&
      !this.#options.isChat(wanted) &&
      ![...this.#given.values()].some((names) => [...names.values()].includes(wanted));
    return isFree ? wanted : `subagent-${this.#options.ids.next()}`;
  }
}
