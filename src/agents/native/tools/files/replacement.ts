// Finds the text that a model wants to replace: an exact match, else the only match that
// differs in whitespace. Pure.
import type { ToolRefusal } from '../tool.ts';

export interface Replacement {
  readonly original: string;
  readonly replacement: string;
  readonly everywhere: boolean;
}

export interface ReplacementResult {
  readonly text: string;
  /** The line of the first match, counted from one. */
  readonly line: number;
  /** Set if the match differs in whitespace. */
  readonly loosely?: true;
}

/**
 * Models write line feeds and no byte order mark; a file with CRLF in every line, or with a mark, keeps them.
 */
export function replaceText(text: string, wish: Replacement, path: string): ReplacementResult | ToolRefusal {
  if (wish.original === '') return { refused: 'original_content is empty; name the text to replace.' };
  const marked = text.startsWith(mark) && !wish.original.startsWith(mark);
  const returns = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  const plainly = (given: string) => (returns ? given.replaceAll('\r\n', '\n') : given);
  const done = replacedIn(
    plainly(marked ? text.slice(1) : text),
    { ...wish, original: plainly(wish.original), replacement: plainly(wish.replacement) },
    path,
  );
  if ('refused' in done) return done;
  return {
    ...done,
    text: `${marked ? mark : ''}${returns ? done.text.replaceAll('\n', '\r\n') : done.text}`,
  };
}

const mark = '\ufeff';

function replacedIn(
  text: string,
  { original, replacement, everywhere }: Replacement,
  path: string,
): ReplacementResult | ToolRefusal {
  if (original === replacement)
    return { refused: 'original_content and new_content are the same; nothing would change.' };
  const places = countOf(text, original);
  const pieces = text.split(original);
  if (places === 1 || (places > 1 && everywhere))
    return { text: pieces.join(replacement), line: lineCount(pieces[0] ?? '') };
  if (places > 1)
    return {
      refused:
        `original_content occurs ${places} times in ${path}; give more of the text around it or set ` +
        'all_occurrences.',
    };
  return loosely(text, { original, replacement }, path);
}

/** Overlapping matches count too: it is not known which one was meant. */
function countOf(text: string, original: string): number {
  let count = 0;
  for (let at = text.indexOf(original); at >= 0; at = text.indexOf(original, at + 1)) count += 1;
  return count;
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

/**
 * The only run of whole lines that differs in whitespace. The new lines get the indentation of the old ones.
 */
function loosely(
  text: string,
  { original, replacement }: Pick<Replacement, 'original' | 'replacement'>,
  path: string,
): ReplacementResult | ToolRefusal {
  const lines = text.split('\n');
  const bare = lines.map(plain);
  const wanted = trimmed(original.split('\n'));
  const sought = wanted.map(plain);
  if (sought.length === 0) return missing(path, lines, '');
  const starts = bare.flatMap((_, at) =>
    sought.every((line, later) => bare[at + later] === line) ? [at] : [],
  );
  const [start] = starts;
  if (start === undefined)
    return withinLines(text, { original, replacement }, path) ?? missing(path, lines, sought[0] ?? '');
  if (starts.length > 1) {
    return {
      refused:
        `original_content does not occur exactly in ${path}, and apart from blanks it occurs ` +
        `${starts.length} times, in lines ${starts.map((at) => at + 1).join(', ')}; give the exact text.`,
    };
  }
  const given = trimmed(replacement.split('\n'));
  const fresh = reindented(given, indentOf(wanted[0] ?? ''), indentOf(lines[start] ?? ''));
  return {
    text: [...lines.slice(0, start), ...fresh, ...lines.slice(start + sought.length)].join('\n'),
    line: start + 1,
    loosely: true,
  };
}

/** Longer texts are not split into tokens. */
const longestText = 2_000_000;

/** The only match that begins or ends within a line and has the same tokens with other whitespace. */
function withinLines(
  text: string,
  { original, replacement }: Pick<Replacement, 'original' | 'replacement'>,
  path: string,
): ReplacementResult | ToolRefusal | undefined {
  if (text.length > longestText) return undefined;
  const [parts, sought] = [partsOf(text), partsOf(original.trim()).map(([part]) => part)];
  const places = placesOf(
    sought,
    parts.map(([part]) => part),
  ).map((at) => parts[at]?.[1] ?? 0);
  const [place] = places;
  const last = parts[parts.findIndex(([, at]) => at === place) + sought.length - 1];
  if (place === undefined || !last) return undefined;
  const line = lineCount(text.slice(0, place));
  if (places.length > 1) {
    const lines = new Set(places.slice(0, 20).map((at) => lineCount(text.slice(0, at))));
    return {
      refused:
        `original_content does not occur exactly in ${path}, and apart from blanks it occurs ` +
        `${places.length} times, in lines ${[...lines].join(', ')}; give the exact text.`,
    };
  }
  // The match has no whitespace at its ends, so the replacement must not have any either.
  const fresh = [/^\s/.test(original) ? /^\s+/ : /^$/, /\s$/.test(original) ? /\s+$/ : /^$/].reduce(
    (given, blanks) => given.replace(blanks, ''),
    replacement,
  );
  return {
    text: `${text.slice(0, place)}${fresh}${text.slice(last[1] + last[0].length)}`,
    line,
    loosely: true,
  };
}

/** The words, symbols and line feeds of a text, with their positions. */
function partsOf(text: string): readonly (readonly [part: string, at: number])[] {
  return [...text.matchAll(/\n|[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]/gu)].map(({ 0: part, index }) => [
    part,
    index,
  ]);
}

/** The positions of one list within another. Runs in linear time, so that no text can block the process. */
function placesOf(sought: readonly string[], all: readonly string[]): readonly number[] {
  if (sought.length === 0) return [];
  const back = [0];
  for (let at = 1, same = 0; at < sought.length; at += 1) {
    while (same > 0 && sought[at] !== sought[same]) same = back[same - 1] ?? 0;
    if (sought[at] === sought[same]) same += 1;
    back.push(same);
  }
  const found: number[] = [];
  for (let at = 0, same = 0; at < all.length; at += 1) {
    while (same > 0 && all[at] !== sought[same]) same = back[same - 1] ?? 0;
    if (all[at] === sought[same]) same += 1;
    if (same < sought.length) continue;
    found.push(at - same + 1);
    same = back[same - 1] ?? 0;
  }
  return found;
}

function plain(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** Removes empty lines at both ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function indentOf(line: string): string {
  return /^[^\S\n]*/.exec(line)?.[0] ?? '';
}

function reindented(lines: readonly string[], from: string, to: string): readonly string[] {
  if (from === to) return lines;
  return lines.map((line) =>
    line.trim() !== '' && line.startsWith(from) ? to + line.slice(from.length) : line,
  );
}

/** If the beginning of the text is found, the model is told so and can find its mistake. */
function missing(path: string, lines: readonly string[], first: string): ToolRefusal {
  const alike = first === '' ? [] : lines.flatMap((line, at) => (plain(line) === first ? [at + 1] : []));
  const hint =
    alike.length === 0
      ? ''
      : ` Its first line is in line ${alike.slice(0, 5).join(', ')}, but what follows there differs.`;
  return {
    refused: `original_content does not occur in ${path}; read the file and give the exact text.${hint}`,
  };
}
