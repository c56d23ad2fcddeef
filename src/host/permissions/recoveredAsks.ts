// The questions that were open when the last host ended, and which of them an agent has asked again. Each is
// found once: the next question of the same words is a new one.
import type { Ask, AskId, ChatId, Json, ToolId, TurnId } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Chat } from '../../model/state.ts';

/** A subagent that works for a call of the last host. */
export interface BegunSubagent {
  readonly chat: ChatId;
  readonly turn: TurnId;
}

export class RecoveredAsks {
  /** Some may be answered by now. */
  readonly all: readonly Ask[];
  /** The subagents whose questions were open, by the calls that they work for. */
  readonly subagents: ReadonlyMap<ToolId, BegunSubagent>;
  readonly #found = new Set<AskId>();

  constructor(asks: readonly Ask[] = [], subagents: RecoveredAsks['subagents'] = new Map()) {
    this.all = asks;
    this.subagents = subagents;
  }

  /** The calls that waited; no host has run them since. */
  get calls(): readonly ToolId[] {
    const asking = this.all.flatMap((ask) => (ask.kind === 'signin' ? [] : (ask.tool ?? [])));
    return [...asking, ...this.subagents.keys()];
  }

  /** The approval of the same call, for agents that make it again. */
  approvalOf(tool: string): Approval | undefined {
    return this.all.filter(isApproval).find((ask) => ask.tool === tool);
  }

  /** The question that is asked again. An agent that was started anew asks about a new call. */
  take(question: Ask): Ask | undefined {
    const left = this.#left();
    const found =
      left.find((ask) => isSameAsk(ask, question)) ??
      left.find((ask) => ask.kind === 'question' && isSameAsk(withoutCall(ask), withoutCall(question)));
    return this.#use(found);
  }

  /** The approval of an equal call. People must have seen the same, and its arguments must be the same. */
  takeEqual(question: Ask, input: Json, chat: Chat | undefined): Ask | undefined {
    return this.#use(
      this.#left()
        .filter(isApproval)
        .find(
          (ask) =>
            !chat?.asks[ask.id] &&
            isSameAsk(withoutCall(ask), withoutCall(question)) &&
            JSON.stringify(findTool(chat?.active, ask.tool)?.input ?? {}) === JSON.stringify(input),
        ),
    );
  }

  #left(): readonly Ask[] {
    return this.all.filter(({ id }) => !this.#found.has(id));
  }

  #use(ask: Ask | undefined): Ask | undefined {
    if (ask) this.#found.add(ask.id);
    return ask;
  }
}

export type Approval = Extract<Ask, { readonly kind: 'approval' }>;

function isApproval(ask: Ask): ask is Approval {
  return ask.kind === 'approval';
}

export function isSameAsk(one: Ask, other: Ask): boolean {
  return JSON.stringify(seenIn(one)) === JSON.stringify(seenIn(other));
}

/** Without its id, and without why a call is not confined, which may change while it waits. */
function seenIn(ask: Ask): Ask {
  if (ask.kind !== 'approval') return { ...ask, id: '' };
  const { sandbox, ...seen } = { ...ask, id: '' };
  return sandbox && !('because' in sandbox) ? { ...seen, sandbox } : seen;
}

function withoutCall(ask: Ask): Ask {
  return ask.kind === 'signin' ? ask : { ...ask, tool: '' };
}
