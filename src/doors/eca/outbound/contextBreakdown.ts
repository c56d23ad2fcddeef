// Estimates what fills the context of a chat. Pure; the measures of turns and items are cached.
import { memoPerObject } from '../../../base/memo.ts';
import { callLength, countedTokens, textLength, totalLength } from '../../../model/usage.ts';
import type { EndedTurn, State, Turn } from '../../../model/state.ts';
import type { ContextBreakdown } from '../../../protocols/eca/messages.ts';

/** Names, colours and emoji are the same in every ECA client. */
const looks = {
  system: { name: 'System prompt', color: '#61afef', emoji: '🟦' },
  rules: { name: 'Rules', color: '#c678dd', emoji: '🟪' },
  skills: { name: 'Skills', color: '#e5c07b', emoji: '🟨' },
  agentsFile: { name: 'AGENTS.md', color: '#d19a66', emoji: '🟫' },
  tools: { name: 'Tool definitions', color: '#e8924a', emoji: '🟧' },
  calls: { name: 'Tool calls', color: '#e06c75', emoji: '🟥' },
  talk: { name: 'Conversation', color: '#98c379', emoji: '🟩' },
} as const;

const free = { freeColor: '#5c6370', freeEmoji: '⬜' } as const;

type Part = keyof typeof looks;

/** The parts of a request besides the conversation, in characters. */
export type Preamble = { readonly [P in Exclude<Part, 'calls' | 'talk'>]?: number };

/** A token is about four characters; the parts are scaled to the sum that the provider reported. */
export function breakdown(
  state: State,
  chat: string,
  { preamble, size }: { readonly preamble: Preamble; readonly size: number | undefined },
): ContextBreakdown {
  const turns = turnsOf(state, chat);
  const measured = turns.map(measure);
  const letters: { readonly [P in Part]?: number } = {
    ...preamble,
    calls: totalLength(measured.map(({ calls }) => calls)),
    talk: totalLength(measured.map(({ talk }) => talk)),
  };
  const usage = turns.findLast((turn) => turn.usage)?.usage;
  const all = totalLength(Object.values(letters));
  const reported = usage?.context?.used ?? countedTokens(usage ?? {}).total;
  const used = reported > 0 ? reported : Math.round(all / 4);
  const parts = keys.flatMap((key) =>
    letters[key] ? [{ ...looks[key], tokens: Math.round((letters[key] / Math.max(1, all)) * used) }] : [],
  );
  return {
    categories: parts,
    usedTokens: used,
    ...free,
    ...(size === undefined ? {} : { freeTokens: Math.max(0, size - used), contextLimit: size }),
  };
}

const keys: readonly Part[] = ['system', 'rules', 'skills', 'agentsFile', 'tools', 'calls', 'talk'];

function turnsOf(state: State, chat: string): readonly (Turn | EndedTurn)[] {
  const { turns = [], active } = state.chats[chat] ?? {};
  return active ? [...turns, active] : turns;
}

interface Measured {
  readonly calls: number;
  readonly talk: number;
}

/** An ended turn never changes, so its measure is cached. */
const measures = memoPerObject<Turn, Measured>();

function measure(turn: Turn): Measured {
  return measures(turn, () => ({
    calls: totalLength(turn.items.map(callLength)),
    talk: turn.message.text.length + totalLength(turn.items.map(textLength)),
  }));
}
