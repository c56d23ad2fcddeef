// What fills the context of a chat, estimated from what was said. Pure.
import type { Item, State } from '../../../model/state.ts';
import type { ContextBreakdown } from '../../../protocols/eca/messages.ts';
import type { EcaDoorOptions } from '../options.ts';

/** Names, colours and signs are the same in every ECA client. */
const looks = {
  system: { name: 'System prompt', color: '#61afef', emoji: '🟦' },
  tools: { name: 'Tool definitions', color: '#e8924a', emoji: '🟧' },
  calls: { name: 'Tool calls', color: '#e06c75', emoji: '🟥' },
  talk: { name: 'Conversation', color: '#98c379', emoji: '🟩' },
} as const;

const free = { freeColor: '#5c6370', freeEmoji: '⬜' } as const;

/** A token is about four characters; the parts are scaled to the sum that the provider reported. */
export function breakdown(state: State, chat: string, options: Pick<EcaDoorOptions, 'systemPrompt' | 'tools'>): ContextBreakdown {
  const turns = turnsOf(state, chat);
  const items = turns.flatMap((turn) => turn.items);
  const letters = {
    system: (options.systemPrompt?.(state.roots) ?? '').length,
    tools: JSON.stringify(options.tools?.() ?? []).length,
    calls: sum(items.map(callLength)),
    talk: sum(turns.map(({ message }) => message.text.length)) + sum(items.map(textLength)),
  };
  const usage = turns.findLast((turn) => turn.usage)?.usage;
  const guessed = Math.round(sum(Object.values(letters)) / 4);
  const reported = usage?.context?.used ?? (usage?.input ?? 0) + (usage?.output ?? 0);
  const used = reported > 0 ? reported : guessed;
  const keys = ['system', 'tools', 'calls', 'talk'] as const;
  const all = Math.max(1, sum(Object.values(letters)));
  const categories = keys.filter((key) => letters[key] > 0).map((key) => ({ ...looks[key], tokens: Math.round((letters[key] / all) * used) }));
  const size = usage?.context?.size;
  return { categories, usedTokens: used, ...free, ...(size === undefined ? {} : { freeTokens: Math.max(0, size - used), contextLimit: size }) };
}

const squares = 100;

export function drawing({ model }: State, { categories, usedTokens, freeTokens, contextLimit, freeEmoji }: ContextBreakdown): string {
  const whole = contextLimit ?? usedTokens;
  const share = (tokens: number) => (whole === 0 ? 0 : (tokens / whole) * 100);
  const filled = categories.flatMap(({ tokens, emoji }) => Array.from({ length: Math.round((share(tokens) / 100) * squares) }, () => emoji));
  const grid = [...filled, ...Array.from({ length: squares }, () => freeEmoji)].slice(0, squares);
  const rows = Array.from({ length: 10 }, (_, at) => grid.slice(at * 10, at * 10 + 10).join(''));
  const legend = [
    ...categories.map(({ emoji, name, tokens }) => `${emoji} ${name}: ${short(tokens)} tokens (${share(tokens).toFixed(1)}%)`),
    ...(freeTokens === undefined ? [] : [`${freeEmoji} Free space: ${short(freeTokens)} tokens (${share(freeTokens).toFixed(1)}%)`]),
  ];
  const head = `${model ?? 'No model'}: ${short(usedTokens)}${contextLimit === undefined ? '' : ` of ${short(contextLimit)}`} tokens (${share(usedTokens).toFixed(1)}% used), estimated`;
  return `Context\n\n${head}\n\n${rows.map((row, at) => `${row}${legend[at] === undefined ? '' : `  ${legend[at]}`}`).join('\n')}`;
}

/** What all turns of a chat have used together. */
export function tally(state: State, chat: string): { readonly input: number; readonly output: number; readonly cost: number | undefined } {
  const usages = turnsOf(state, chat).flatMap(({ usage }) => usage ?? []);
  const prices = usages.flatMap(({ cost }) => cost ?? []);
  return { input: sum(usages.map(({ input = 0 }) => input)), output: sum(usages.map(({ output = 0 }) => output)), cost: prices.length === 0 ? undefined : sum(prices) };
}

function turnsOf(state: State, chat: string) {
  const { turns = [], active } = state.chats[chat] ?? {};
  return active ? [...turns, active] : turns;
}

function textLength(item: Item): number {
  if (item.type === 'text') return item.text.length;
  return item.type === 'message' ? item.message.text.length : 0;
}

function callLength(item: Item): number {
  if (item.type !== 'tool') return 0;
  const content = item.result && 'content' in item.result ? item.result.content : [];
  return item.inputText.length + sum(content.map((part) => (part.type === 'text' ? part.text.length : 0)));
}

function short(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
