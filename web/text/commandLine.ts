// Splits a command line into words and joins them again; quotes and backslashes work as in a shell. Pure.

export function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs);
  return [...words].map(([word]) => [...word.matchAll(piece)].map(unquote).join(''));
}

const piece = /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^"'\\]+)/gs;

function unquote([, double, single, escaped, plain]: RegExpExecArray): string {
  return double?.replaceAll(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain ?? '';
}

export function joinCommand(words: readonly string[]): string {
  return words.map((word) => (/^[\w@%+=:,./~-]+$/.test(word) ? word : quote(word))).join(' ');
}

function quote(word: string): string {
  return word.includes("'") ? `"${word.replaceAll(/["\\$`]/g, '\\$&')}"` : `'${word}'`;
}
