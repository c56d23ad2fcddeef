// Estimates what fills the context of a chat: system prompt, tools, files, tool calls, conversation. Pure.
import { present } from '../../base/present.ts';
import type { ResolvedPart } from '../../model/event.ts';
import { callLength, textLength, totalLength } from '../../model/usage.ts';
import type { Chat, Item, State, ToolItem, Turn } from '../../model/state.ts';

export type ContextPart = 'system' | 'tools' | 'files' | 'calls' | 'conversation';

/** The parts of every request besides the messages, in characters. */
export interface FixedParts {
  readonly system: number;
  readonly tools: number;
}

export interface ContextParts {
  readonly used: number;
  /** The tokens that the model can hold; absent if nobody reported it. */
  readonly size?: number;
  readonly parts: readonly { readonly part: ContextPart; readonly tokens: number }[];
}

/** A token is about four characters; the parts are scaled to the sum that the provider counted. */
export function contextParts(state: State, chat: Chat, fixed: FixedParts): ContextParts {
  const turns = liveTurns(chat);
  const items = turns.flatMap(({ items: each }) => each);
  const summary = chat.compaction?.summary.length ?? 0;
  const letters: Readonly<Record<ContextPart, number>> = {
    ...fixed,
    files: totalLength(turns.map((turn) => attachedLength(state, turn))) + totalLength(items.map(readLength)),
    calls: totalLength(items.map((item) => (isRead(item) ? 0 : callLength(item)))),
    conversation:
      summary +
      totalLength(turns.map(({ message }) => message.text.length)) +
      totalLength(items.map(textLength)),
  };
  const reported = [...chat.turns, ...(chat.active ? [chat.active] : [])].findLast(
    ({ usage }) => usage?.context !== undefined,
  )?.usage?.context;
  const all = totalLength(Object.values(letters));
  const used = reported?.used ?? Math.round(all / 4);
  return {
    used,
    ...present({ size: reported?.size }),
    parts: order.flatMap((part) => {
      const tokens = Math.round((letters[part] / Math.max(1, all)) * used);
      return tokens > 0 ? [{ part, tokens }] : [];
    }),
  };
}

const order: readonly ContextPart[] = ['system', 'tools', 'files', 'calls', 'conversation'];

/** The turns that no summary replaces. */
function liveTurns({ turns, active, compaction }: Chat): readonly Turn[] {
  const all = active ? [...turns, active] : turns;
  const last = compaction ? all.findIndex(({ id }) => id === compaction.after) : -1;
  return all.slice(last + 1);
}

function attachedLength({ inputs }: State, { message }: Turn): number {
  const input = inputs[message.id];
  return totalLength([...(input?.attachments ?? []), ...(input?.added ?? [])].map(partLength));
}

function partLength(part: ResolvedPart | null): number {
  return typeof part === 'string' ? part.length : 0;
}

function isRead(item: Item): item is ToolItem {
  return item.type === 'tool' && item.toolKind === 'read';
}

function readLength(item: Item): number {
  return isRead(item) ? callLength(item) : 0;
}
