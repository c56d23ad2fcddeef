// Finds the lines of a text that contain one of the words, and shortens them around the match.

/** Folds text for comparison: no case, no accents. */
export function foldText(text: string): string {
  // Most lines have no such letters, and this is done to every line.
  return (/[^ -~\t]/.test(text) ? text.normalize('NFD').replace(/\p{M}/gu, '') : text).toLowerCase();
}

/** The words must be folded already. */
export function linesWith(text: string, words: readonly string[], most: number): readonly string[] {
  const found: string[] = [];
  for (const line of text.split('\n')) {
    const lower = foldText(line);
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
