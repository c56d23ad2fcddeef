// Splits a command line into words and joins them again; quotes and backslashes work as in a shell. Pure.

/** Nothing for a line that ends within quotes or at a backslash. */
export function splitCommand(line: string): readonly string[] | undefined {
  const words = [...line.matchAll(word)];
  if (line.replaceAll(word, '').trim() !== '') return undefined;
  return words.map(([text]) => [...text.matchAll(piece)].map(unquote).join(''));
}

const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
const piece = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'\\]+)/gs;

function unquote([, double, single, escaped, plain]: RegExpExecArray): string {
  return double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain ?? '';
}

export function joinCommand(words: readonly string[]): string {
  return words.map((each) => (/^[\w@%+=:,./~-]+$/.test(each) ? each : quote(each))).join(' ');
}

function quote(text: string): string {
  return text.includes("'") ? `"${text.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${text}'`;
}
