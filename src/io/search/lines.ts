// The lines of a text that hold one of the words, shortened around them.

/** As letters are compared: without case and accents. */
export function folded(text: string): string {
  // Most lines have no such letters, and this is done to every line.
  return (/[^ -~\t]/.test(text) ? text.normalize('NFD').replace(/\p{M}/gu, '') : text).toLowerCase();
}

/** Words come folded. */
export function linesWith(text: string, words: readonly string[], most: number): readonly string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    const lower = folded(line);
    const word = words.find((each) => lower.includes(each));
    if (word === undefined) continue;
    const at = Math.max(0, lower.indexOf(word) - before);
    found.push(`${at > 0 ? '…' : ''}${line.slice(at, at + longest).trim()}`);
    if (found.length >= most) break;
  }
  return found;
}

const before = 60;
const longest = 200;
