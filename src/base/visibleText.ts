// Makes untrusted text safe to show: control, hidden and direction-changing characters are shown as escapes.
import { once } from './memo.ts';

/**
 * Control characters but tab and line feed, letters without width, line separators, and marks that change the
 * direction of writing.
 */
export const hidden = /[^\P{Cc}\t\n]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Invisible characters: fillers, variation selectors, tags, blank glyphs, surrogates and
 * private-use characters.
 */
const empty = () =>
  /[\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}\u2800\u{13441}\u{13442}\u{1d159}]|\u{16fe4}/gu;

/** Every space character except U+0020. */
const unusualSpace = () => /[^\P{Zs} ]/gu;

/** This many combining marks on one letter cover the lines above and below. */
const pileOfMarks = () => /\p{M}{8,}/gu;

/** Emoji, and letters of some scripts, are joined by characters without width. */
const emoji = () =>
  /\p{Extended_Pictographic}(?:[\p{Emoji_Modifier}\ufe0e\ufe0f]|\u200d(?=\p{Extended_Pictographic}))+/gu;
const joinedLetter = () => /[^\P{L}\0-\u052f]\p{M}*[\u200c\u200d]/gu;
/** Digits in a box, and flags of regions. */
const keycap = () => /[\d#*]\ufe0f?\u20e3/gu;
const regionFlag = () => /\u{1f3f4}[\u{e0061}-\u{e007a}\u{e0030}-\u{e0039}]{2,6}\u{e007f}/gu;
/** Marks after right-to-left letters that say which way the next sign is written; they turn no letters. */
const directionMark = () =>
  /[\u200e\u200f\u061c](?<=(?:\p{Script=Arabic}|\p{Script=Hebrew})[\p{P}\d ]{0,8}[\u200e\u200f\u061c])/gu;

// These take milliseconds to make, and every program start loads this file.
const unclear = once(() => anyOf(hidden, empty(), unusualSpace(), pileOfMarks()));
const repeated = once(() => new RegExp(`(${anyOf(hidden, empty(), unusualSpace()).source})\\1{7,}`, 'gu'));
const unclearInProse = once(() => {
  const joined = `(${anyOf(regionFlag(), emoji(), keycap(), joinedLetter(), directionMark()).source})`;
  return new RegExp(`${joined}|${anyOf(hidden, empty()).source}`, 'gu');
});

/** Signs that are always shown as they are: ASCII, Latin letters, quotes, arrows, boxes and symbols. */
const clear = /^[\t\n -~\u00a0-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u27bf]*$/;

const openSign = once(
  () =>
    /\S?[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]+$|[^\0-\x7f]$|[\d#*\r]$/u,
);

/** A wider gap could push the following text out of sight. */
const widestGap = 40;
const mostEmptyLines = 3;

/**
 * For whatever a person decides on: a command, a path, a title, a change. Each hidden character appears as
 * its escape, a long gap as its length. Nothing is dropped and nothing is overwritten.
 */
export function visibleText(text: string): string {
  return text
    .replace(repeated(), (run, letter: string) => `[${run.length / letter.length} times ${spelled(letter)}]`)
    .replace(unclear(), spelled)
    .replace(/[ \t]{5,}/g, (gap) => (widthOf(gap) < widestGap ? gap : ` [${gapWords(gap)}] `))
    .replace(/\n(?:[ \t]*\n)+/g, (gap) => {
      const lines = gap.split('\n').length - 2;
      return lines > mostEmptyLines ? `\n[${lines} empty lines]\n` : gap;
    });
}

/**
 * For prose and output that nobody decides on: nothing in it acts or hides, but gaps, joined letters and the
 * line ends of any system stay as they are.
 */
export function readableText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  if (clear.test(lines)) return lines;
  return lines.replace(unclearInProse(), (found, kept: string | undefined) => kept ?? spelled(found));
}

/**
 * How much of a growing prose can be shown by itself. Its last sign waits if what follows may join it, and
 * would be spelled out alone.
 */
export function wholeLength(text: string): number {
  const end = text.slice(-longestSign);
  const open = end.search(openSign());
  return open < 0 ? text.length : text.length - end.length + open;
}

const longestSign = 64;

function spelled(text: string): string {
  return Array.from(text, (letter) => {
    const code = (letter.codePointAt(0) ?? 0).toString(16);
    if (letter === '\r') return '\\r';
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
  }).join('');
}

/** A tab counts as eight columns. */
function widthOf(gap: string): number {
  return gap.replaceAll('\t', ' '.repeat(8)).length;
}

function gapWords(gap: string): string {
  const tabs = gap.split('\t').length - 1;
  const spaces = gap.length - tabs;
  return [...(spaces > 0 ? [`${spaces} spaces`] : []), ...(tabs > 0 ? [`${tabs} tabs`] : [])].join(' and ');
}

function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'gu');
}
