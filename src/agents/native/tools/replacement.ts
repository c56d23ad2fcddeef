// Finds the piece of a text that a model wants replaced: exactly as it wrote it, else the one place that differs in blanks only. Pure.
import type { Refused } from './tool.ts';

export interface Wish {
  readonly original: string;
  readonly replacement: string;
  readonly everywhere: boolean;
}

export interface Replaced {
  readonly text: string;
  /** The line of the first place, counted from one. */
  readonly line: number;
  /** Set where only blanks kept it from being found exactly. */
  readonly loosely?: true;
}

/** Models write line feeds and know nothing of a byte order mark; a file that has carriage returns in every line, or such a mark, keeps them. */
export function replaced(text: string, wish: Wish, path: string): Replaced | Refused {
  if (wish.original === '') return { refused: 'original_content is empty; name the text to replace.' };
  const marked = text.startsWith(mark) && !wish.original.startsWith(mark);
  const returns = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  const plainly = (given: string) => (returns ? given.replaceAll('\r\n', '\n') : given);
  const done = replacedIn(plainly(marked ? text.slice(1) : text), { ...wish, original: plainly(wish.original), replacement: plainly(wish.replacement) }, path);
  if ('refused' in done) return done;
  return { ...done, text: `${marked ? mark : ''}${returns ? done.text.replaceAll('\n', '\r\n') : done.text}` };
}

const mark = '\ufeff';

function replacedIn(text: string, { original, replacement, everywhere }: Wish, path: string): Replaced | Refused {
  if (original === replacement) return { refused: 'original_content and new_content are the same; nothing would change.' };
  const places = countOf(text, original);
  const pieces = text.split(original);
  if (places === 1 || (places > 1 && everywhere)) return { text: pieces.join(replacement), line: lineCount(pieces[0] ?? '') };
  if (places > 1) return { refused: `original_content occurs ${places} times in ${path}; give more of the text around it or set all_occurrences.` };
  return loosely(text, { original, replacement }, path);
}

/** Places that overlap count too: which of them was meant nobody knows. */
function countOf(text: string, original: string): number {
  let count = 0;
  for (let at = text.indexOf(original); at >= 0; at = text.indexOf(original, at + 1)) count += 1;
  return count;
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

/** Whole lines that are the same apart from blanks, in one place alone. The new lines get the indentation of the old ones. */
function loosely(text: string, { original, replacement }: Pick<Wish, 'original' | 'replacement'>, path: string): Replaced | Refused {
  const lines = text.split('\n');
  const bare = lines.map(plain);
  const wanted = trimmed(original.split('\n'));
  const sought = wanted.map(plain);
  if (sought.length === 0) return missing(path, lines, '');
  const starts = bare.flatMap((_, at) => (sought.every((line, later) => bare[at + later] === line) ? [at] : []));
  const [start] = starts;
  if (start === undefined) return withinLines(text, { original, replacement }, path) ?? missing(path, lines, sought[0] ?? '');
  if (starts.length > 1) {
    return { refused: `original_content does not occur exactly in ${path}, and apart from blanks it occurs ${starts.length} times, in lines ${starts.map((at) => at + 1).join(', ')}; give the exact text.` };
  }
  const given = trimmed(replacement.split('\n'));
  const fresh = reindented(given, indentOf(wanted[0] ?? ''), indentOf(lines[start] ?? ''));
  return { text: [...lines.slice(0, start), ...fresh, ...lines.slice(start + sought.length)].join('\n'), line: start + 1, loosely: true };
}

/** A longer piece is never a part of lines. */
const longestPiece = 10_000;

/** A piece that begins or ends within a line: the same words and signs with other blanks between them, in one place alone. */
function withinLines(text: string, { original, replacement }: Pick<Wish, 'original' | 'replacement'>, path: string): Replaced | Refused | undefined {
  if (original.length > longestPiece) return undefined;
  const sought = new RegExp(trimmed(original.split('\n')).map(looseLine).join(String.raw`[^\S\n]*\n[^\S\n]*`), 'gu');
  const [place, ...more] = text.matchAll(sought);
  if (!place) return undefined;
  const line = lineCount(text.slice(0, place.index));
  if (more.length > 0) {
    const all = [line, ...more.map(({ index }) => lineCount(text.slice(0, index)))];
    return { refused: `original_content does not occur exactly in ${path}, and apart from blanks it occurs ${all.length} times, in lines ${[...new Set(all)].slice(0, 20).join(', ')}; give the exact text.` };
  }
  // Blanks around the piece were not found, so those around its replacement belong to them.
  const fresh = [/^\s/.test(original) ? /^\s+/ : /^$/, /\s$/.test(original) ? /\s+$/ : /^$/].reduce((given, blanks) => given.replace(blanks, ''), replacement);
  return { text: `${text.slice(0, place.index)}${fresh}${text.slice(place.index + place[0].length)}`, line, loosely: true };
}

/** The words and signs of a line, with blanks between them where there may be some, and where there must. */
function looseLine(line: string): string {
  const parts = line.match(/[\p{L}\p{N}\p{M}_]+|[^\p{L}\p{N}\p{M}_\s]/gu) ?? [];
  const isWord = (part = '') => /^[\p{L}\p{N}\p{M}_]/u.test(part);
  return parts.map((part, at) => `${at === 0 ? '' : isWord(part) && isWord(parts[at - 1]) ? String.raw`[^\S\n]+` : String.raw`[^\S\n]*`}${part.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)}`).join('');
}

function plain(line: string): string {
  return line.trim().replace(/\s+/g, ' ');
}

/** Without the empty lines at both ends. */
function trimmed(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== '');
  return first < 0 ? [] : lines.slice(first, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

function indentOf(line: string): string {
  return /^[^\S\n]*/.exec(line)?.[0] ?? '';
}

function reindented(lines: readonly string[], from: string, to: string): readonly string[] {
  if (from === to) return lines;
  return lines.map((line) => (line.trim() !== '' && line.startsWith(from) ? to + line.slice(from.length) : line));
}

/** Where the beginning is there, a model that is told so finds its mistake by itself. */
function missing(path: string, lines: readonly string[], first: string): Refused {
  const alike = first === '' ? [] : lines.flatMap((line, at) => (plain(line) === first ? [at + 1] : []));
  const hint = alike.length === 0 ? '' : ` Its first line is in line ${alike.slice(0, 5).join(', ')}, but what follows there differs.`;
  return { refused: `original_content does not occur in ${path}; read the file and give the exact text.${hint}` };
}
