// One tool call of a transcript: while it runs, and when it has ended.
import { relative } from 'node:path';
import {
  decisionText,
  isStopped,
  sandboxText,
  withoutCode,
  withoutEditor,
} from '../../../../client/callText.ts';
import type { ToolCallState, ToolResultContent } from '../../../protocols/ahp/v1_0/toolCall.ts';
import type { FileEdit } from '../../../protocols/ahp/v1_0/content.ts';
import type { Paint } from '../../output.ts';
import { counted, safe, short } from '../../say.ts';
import { editDiff } from '../../terminal/editDiff.ts';
import { cutText, padText, spread, wrapText } from '../../terminal/styledText.ts';
import { plainText, readEdit } from '../approvalText.ts';
import type { ReadText } from '../approvalText.ts';

export interface ToolLines {
  readonly lines: readonly string[];
  /** Everything, where the lines show only a part. */
  readonly whole?: readonly string[];
}

interface ToolLook {
  readonly paint: Paint;
  readonly width: number;
}

/** How much of an output and of a change is shown. */
const outputLines = 5;
const diffLines = 40;
const liveLines = 4;

/** What a call that has ended leaves in the transcript. */
export async function endedToolLines(
  call: Extract<ToolCallState, { status: 'completed' | 'cancelled' }>,
  look: ToolLook,
  read: ReadText,
): Promise<ToolLines> {
  const { paint } = look;
  const { _meta: ours } = call;
  const right = paint.dim(durationText(ours?.['duration']));
  const head = heading(call, endWord(call, paint), { ...look, right });
  const decided = decision(call);
  const top = decided === '' ? [head] : [head, ...belowTitle(paint.dim(decided), look)];
  if (call.status === 'cancelled') {
    const reason = call.reasonMessage === undefined ? '' : safe(plainText(call.reasonMessage));
    return { lines: reason === '' ? top : [...top, ...belowTitle(paint.yellow(reason), look)] };
  }
  const problem = safe(withoutCode(call.error?.message ?? 'It failed.'));
  const failed = call.success || isStopped(call) ? [] : belowTitle(paint.red(problem), look);
  const { shown, whole } = await resultLines(call, look, read);
  const lines = [...top, ...shown, ...failed];
  return whole ? { lines, whole: [head, ...whole] } : { lines };
}

/** The output and the changes of files, and everything where a part was cut. */
async function resultLines(
  call: Extract<ToolCallState, { status: 'completed' }>,
  { paint, width }: ToolLook,
  read: ReadText,
): Promise<{ readonly shown: readonly string[]; readonly whole?: readonly string[] }> {
  const content = call.content ?? [];
  const edits = content.filter((each) => each.type === 'fileEdit');
  const changed = await Promise.all(edits.map((edit) => changeLines(edit, paint, read)));
  // The output of a tool that edits files says no more than its changes.
  const output = isEdit(call) ? [] : outputOf(content).map((line) => paint.dim(`│ ${line}`));
  const parts = [
    { body: output, most: showsOutput(call) ? outputLines : 0 },
    { body: changed.flat(), most: diffLines },
  ];
  const shown = parts.flatMap(({ body, most }) => {
    const rest = body.length - most;
    const more = rest > 0 && most > 0 ? [paint.dim(`… ${counted(rest, 'more line')} (ctrl-o)`)] : [];
    return [...body.slice(0, most), ...more].map((line) => cutText(`  ${line}`, width));
  });
  const isCut = parts.some(({ body, most }) => body.length > most);
  return isCut ? { shown, whole: parts.flatMap(({ body }) => body.map((line) => `  ${line}`)) } : { shown };
}

/** Whether the call is there to change files. A command that changes files on its way is not. */
function isEdit({ content = [], _meta: ours }: Extract<ToolCallState, { status: 'completed' }>): boolean {
  return ours?.['kind'] !== 'execute' && content.some(({ type }) => type === 'fileEdit');
}

/** A call that runs, with the end of what it has printed. */
export function runningToolLines(
  call: ToolCallState,
  look: ToolLook & { readonly seconds: number; readonly output: string },
): readonly string[] {
  const { paint, width, seconds, output } = look;
  const right = seconds >= 1 ? paint.dim(`${seconds} s`) : '';
  const lines = safe(output.trimEnd())
    .split('\n')
    .filter((line) => line !== '');
  const hidden = lines.length - liveLines;
  return [
    heading(call, paint.cyan('Running'), { ...look, right }),
    ...(hidden > 0 ? [paint.dim(`  │ … ${counted(hidden, 'line')} above`)] : []),
    ...lines.slice(-liveLines).map((line) => cutText(paint.dim(`  │ ${line}`), width)),
  ];
}

function heading(call: ToolCallState, word: string, look: ToolLook & { readonly right: string }): string {
  const title = short(plainText(withoutEditor(call.invocationMessage ?? call.displayName, call)), 400);
  return spread(`${padText(word, wordWidth)}${title}`, look.right, look.width);
}

const wordWidth = 10;

/** A text below the title of a call, as far to the right as the title begins. */
function belowTitle(text: string, { width }: ToolLook): readonly string[] {
  return wrapText(text, width - wordWidth).map((line) => ' '.repeat(wordWidth) + line);
}

function endWord(call: Extract<ToolCallState, { status: 'completed' | 'cancelled' }>, paint: Paint): string {
  if (call.status === 'cancelled') return paint.yellow(call.reason === 'denied' ? 'Denied' : 'Skipped');
  if (isStopped(call)) return paint.yellow('Stopped');
  if (!call.success) return paint.red('Failed');
  return isEdit(call) ? paint.green('Edited') : 'Done';
}

/** Who decided about the call, who has edited it, and how it ran, as far as the host says so. */
function decision(call: ToolCallState): string {
  const { _meta: ours } = call;
  const { editedBy, original, sandbox } = ours ?? {};
  const facts = [
    decisionText(call) ?? '',
    typeof editedBy === 'string' ? `edited by ${editedBy}` : '',
    typeof original === 'string' ? `was: ${short(original, 60)}` : '',
    sandboxText(sandbox) ?? '',
  ];
  return safe(facts.filter((fact) => fact !== '').join(' · '));
}

/** What was read for the model is not repeated for people; what ran and what failed is. */
function showsOutput({ _meta: ours, ...call }: Extract<ToolCallState, { status: 'completed' }>): boolean {
  return ours?.['kind'] === 'execute' || ours?.['kind'] === undefined || !call.success;
}

function outputOf(content: readonly ToolResultContent[]): readonly string[] {
  return content.flatMap((each) => {
    if (each.type !== 'text') return [];
    return safe(each.text.trimEnd()).split('\n');
  });
}

async function changeLines(edit: FileEdit, paint: Paint, read: ReadText): Promise<readonly string[]> {
  const { path, before, after, unreadable } = await readEdit(edit, read);
  if (unreadable) return [`${shownPath(path)} ${paint.red('the change cannot be read')}`];
  const { lines, added, removed } = editDiff(before, after, paint);
  return [`${paint.bold(shownPath(path))} ${paint.green(`+${added}`)} ${paint.red(`-${removed}`)}`, ...lines];
}

/** A path inside of this folder without the folder. */
function shownPath(path: string): string {
  const inside = relative(process.cwd(), path);
  return safe(inside.startsWith('..') ? path : inside);
}

function durationText(duration: unknown): string {
  if (typeof duration !== 'number' || duration < 100) return '';
  return `${(duration / 1_000).toFixed(1)} s`;
}
