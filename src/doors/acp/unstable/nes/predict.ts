// Asks a model to rewrite the lines around the cursor, and reduces its answer to the smallest edit.
import type { EditSuggestion } from '../../../../protocols/acp/v1/messages.ts';
import type { NesContext, PositionEncoding, SuggestParams } from '../../../../protocols/acp/v1/nesSchema.ts';
import { indexOf, positionAt } from './positions.ts';

/** One answer of a model; undefined if there is none. */
export type CompletePrompt = (request: {
  readonly system: string;
  readonly prompt: string;
  readonly signal: AbortSignal;
}) => Promise<string | undefined>;

export interface Prediction {
  readonly complete: CompletePrompt;
  readonly text: string;
  readonly asked: SuggestParams;
  readonly encoding: PositionEncoding;
  readonly signal: AbortSignal;
}

/** The edit without its id; undefined if the model changes nothing. */
export async function predict({
  complete,
  text,
  asked,
  encoding,
  signal,
}: Prediction): Promise<Omit<EditSuggestion, 'id'> | undefined> {
  const cursor = indexOf(text, asked.position, encoding);
  const region = regionAround(text, focusOf(asked, text, encoding) ?? cursor);
  const answer = await complete({ system, prompt: promptOf({ text, region, cursor, asked }), signal });
  const rewritten =
    answer === undefined
      ? undefined
      : /<region>\n?([^]*?)\n?<\/region>/.exec(answer)?.[1]?.replace(cursorMark, '');
  if (rewritten === undefined) return undefined;
  const old = text.slice(region.start, region.end);
  const { at, removed, added } = difference(old, rewritten);
  if (removed === 0 && added === '') return undefined;
  const start = region.start + at;
  const range = {
    start: positionAt(text, start, encoding),
    end: positionAt(text, start + removed, encoding),
  };
  const after = text.slice(0, start) + added;
  return {
    kind: 'edit',
    uri: asked.uri,
    edits: [{ range, newText: added }],
    cursorPosition: positionAt(after, after.length, encoding),
  };
}

const cursorMark = '<|cursor|>';

const system = `You predict the next edit of a programmer. You are given a file with one region marked by
<region> and </region>; ${cursorMark} is where the cursor stands. Answer with the region as it will be after
the next edit, between <region> and </region>, without the mark of the cursor and without a word besides.
Change little. Where nothing is to be done repeat the region as it is.`;

interface Region {
  readonly start: number;
  readonly end: number;
}

/** The lines around the cursor that the model may rewrite, and how much of the file around them it sees. */
const linesBefore = 8;
const linesAfter = 12;
const shownAround = 6_000;

function regionAround(text: string, index: number): Region {
  let start = text.lastIndexOf('\n', index - 1);
  for (let count = 0; count < linesBefore && start > 0; count += 1) start = text.lastIndexOf('\n', start - 1);
  let end = text.indexOf('\n', index);
  for (let count = 0; count < linesAfter && end >= 0; count += 1) end = text.indexOf('\n', end + 1);
  return { start: start + 1, end: end < 0 ? text.length : end };
}

/** A request because of a diagnostic suggests an edit at the diagnostic. */
function focusOf(
  { triggerKind, uri, context }: SuggestParams,
  text: string,
  encoding: PositionEncoding,
): number | undefined {
  const problem =
    triggerKind === 'diagnostic' ? context?.diagnostics?.find((each) => each.uri === uri) : undefined;
  return problem && indexOf(text, problem.range.start, encoding);
}

function promptOf({
  text,
  region,
  cursor,
  asked,
}: {
  text: string;
  region: Region;
  cursor: number;
  asked: SuggestParams;
}): string {
  const marked = (from: number, to: number) =>
    cursor >= from && cursor <= to
      ? text.slice(from, cursor) + cursorMark + text.slice(cursor, to)
      : text.slice(from, to);
  const before = text.slice(Math.max(0, region.start - shownAround), region.start);
  const after = text.slice(region.end, region.end + shownAround);
  return (
    `${besides(asked.context, asked.uri)}File ${asked.uri}:\n${before}<region>\n` +
    `${marked(region.start, region.end)}\n</region>${after}`
  );
}

/** The newest items of each kind, shortened. */
function besides(context: NesContext | undefined, uri: string): string {
  const clip = (text: string) => text.slice(0, 2_000);
  const parts = [
    ...(context?.editHistory ?? []).slice(-5).map((edit) => `Edit in ${edit.uri}:\n${clip(edit.diff)}`),
    ...(context?.diagnostics ?? [])
      .slice(0, 5)
      .map(
        (each) => `${each.severity} in ${each.uri}, line ${each.range.start.line + 1}: ${clip(each.message)}`,
      ),
    ...(context?.relatedSnippets ?? [])
      .slice(0, 3)
      .map(
        (each) => `From ${each.uri}:\n${clip(each.excerpts.map((excerpt) => excerpt.text).join('\n...\n'))}`,
      ),
    ...(context?.recentFiles ?? [])
      .filter((file) => file.uri !== uri)
      .slice(0, 2)
      .map((file) => `Recently viewed, ${file.uri}:\n${clip(file.text)}`),
  ];
  return parts.map((part) => `${part}\n\n`).join('');
}

/** Leaves out the common start and end, without splitting surrogate pairs. */
function difference(
  old: string,
  fresh: string,
): { readonly at: number; readonly removed: number; readonly added: string } {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  if (head > 0 && isHalf(old, head)) head -= 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  if (tail > 0 && isHalf(old, old.length - tail)) tail -= 1;
  return { at: head, removed: old.length - head - tail, added: fresh.slice(head, fresh.length - tail) };
}

function isHalf(text: string, index: number): boolean {
  return /[\uDC00-\uDFFF]/.test(text[index] ?? '');
}
