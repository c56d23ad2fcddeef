// A message of the user as a transcript shows it: a long one by its begin and its end.

/** A message with more lines, or a line with more letters, is shortened. */
const mostLines = 20;
const mostLetters = 2_000;
const begin = 10;
const end = 3;

export function shortMessage(text: string): string {
  const lines = text.split('\n');
  if (lines.length <= mostLines) return lines.map(shortLine).join('\n');
  const hidden = lines.slice(begin, -end);
  const letters = hidden.reduce((sum, line) => sum + line.length + 1, 0);
  return [
    ...lines.slice(0, begin).map(shortLine),
    `… ${count(hidden.length)} more lines, ${count(letters)} characters, which were sent, too …`,
    ...lines.slice(-end).map(shortLine),
  ].join('\n');
}

function shortLine(line: string): string {
  if (line.length <= mostLetters) return line;
  const hidden = line.length - mostLetters / 2;
  return `${line.slice(0, mostLetters / 2)} … ${count(hidden)} more characters, which were sent, too …`;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
