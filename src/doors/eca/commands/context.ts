// Draws the context use of a chat, and sums up its token usage. Pure.
import type { State } from '../../../model/state.ts';
import type { ContextBreakdown } from '../../../protocols/eca/messages.ts';

const squares = 100;

export function drawing(
  { model }: State,
  { categories, usedTokens, freeTokens, contextLimit, freeEmoji }: ContextBreakdown,
): string {
  const whole = contextLimit ?? usedTokens;
  const share = (tokens: number) => (whole === 0 ? 0 : (tokens / whole) * 100);
  const filled = categories.flatMap(({ tokens, emoji }) =>
    Array.from({ length: Math.round((share(tokens) / 100) * squares) }, () => emoji),
  );
  const grid = [...filled, ...Array.from({ length: squares }, () => freeEmoji)].slice(0, squares);
  const rows = Array.from({ length: 10 }, (_, at) => grid.slice(at * 10, at * 10 + 10).join(''));
  const legend = [
    ...categories.map(
      ({ emoji, name, tokens }) => `${emoji} ${name}: ${short(tokens)} tokens (${share(tokens).toFixed(1)}%)`,
    ),
    ...(freeTokens === undefined
      ? []
      : [`${freeEmoji} Free space: ${short(freeTokens)} tokens (${share(freeTokens).toFixed(1)}%)`]),
  ];
  const head =
    `${model ?? 'No model'}: ` +
    `${short(usedTokens)}${contextLimit === undefined ? '' : ` of ${short(contextLimit)}`} tokens ` +
    `(${share(usedTokens).toFixed(1)}% used), estimated`;
  const lines = rows.map((row, at) => (legend[at] === undefined ? row : `${row}  ${legend[at]}`));
  return `Context\n\n${head}\n\n${lines.join('\n')}`;
}

function short(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${(tokens / 1_000).toFixed(1)}k`;
}
