// The complete text of a pending call for its approval: title, changes, arguments. Nothing is cut.
import { isRecord } from '../../base/isRecord.ts';
import { visibleText } from '../../base/visibleText.ts';
import { filePath } from '../../base/fileUri.ts';
import { diffTexts } from '../../base/textDiff.ts';
import type { FileEdit, FileEditSide, StringOrMarkdown } from '../../protocols/ahp/v1_0/content.ts';
import type { PendingToolCall, ToolInput } from '../../protocols/ahp/v1_0/toolCall.ts';
import { short } from '../say.ts';
import { diffLines } from '../sessions/transcript.ts';
import type { Paint } from '../output.ts';

/** The text that a reference names. */
export type ReadText = (uri: string) => Promise<string>;

export interface ApprovalLook {
  readonly paint: Paint;
  readonly read: ReadText;
  /** Draws a change; as a unified diff if absent. */
  readonly drawEdit?: (edit: ReadEdit, paint: Paint) => readonly string[];
  /** In a box, whose title asks, there are no marks in front of lines, and a command stands there once. */
  readonly isBoxed?: boolean;
}

/** What the host asks about a command that is too long for a title. */
const runQuestion = 'Run this command?';

export async function approvalLines(
  call: PendingToolCall,
  { paint, read, drawEdit = editLines, isBoxed = false }: ApprovalLook,
): Promise<readonly string[]> {
  const edits = await Promise.all((call.edits?.items ?? []).map((edit) => readEdit(edit, read)));
  const input = await readInput(call.toolInput, read);
  const title = visibleText(plainText(call.invocationMessage));
  const asked = call.confirmationTitle === undefined ? title : visibleText(plainText(call.confirmationTitle));
  const command = visibleText(`$ ${input}`);
  const isSaid = asked === title || asked === command || (isBoxed && asked === runQuestion);
  const question = isSaid ? [] : asked.split('\n').map((line) => paint.yellow(line));
  const changes = edits.flatMap((edit) => drawEdit(edit, paint));
  const fields = inputLines(input, edits.flatMap(changedTexts));
  if (isBoxed) return [...title.split('\n'), ...changes, ...(title === command ? [] : fields), ...question];
  // The command follows in full, so a title that is only that command is cut.
  const [first = '', ...more] = title === command ? [short(title, 100)] : title.split('\n');
  return [`${paint.bold('*')} ${first}`, ...indented(more), ...changes, ...indented(fields), ...question];
}

export interface ReadEdit {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly unreadable?: true;
}

export async function readEdit({ before, after }: FileEdit, read: ReadText): Promise<ReadEdit> {
  const uri = after?.uri ?? before?.uri ?? '';
  const path = filePath(uri) ?? uri;
  const side = async (given: FileEditSide | undefined) => (given ? read(given.content.uri) : null);
  try {
    const [old, now] = await Promise.all([side(before), side(after)]);
    return { path, before: old, after: now };
  } catch {
    return { path, before: null, after: null, unreadable: true };
  }
}

/** A change that cannot be read is not passed off as none. */
export function editLines(edit: ReadEdit, paint: Paint): readonly string[] {
  if (!edit.unreadable) return diffLines(edit, paint);
  return [`  ${paint.bold(visibleText(edit.path))} ${paint.red('the change cannot be read')}`];
}

/** The removed and added lines of a change. */
function changedTexts({ before, after }: ReadEdit): readonly string[] {
  const lines = diffTexts(before, after).diff.split('\n');
  const marked = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1));
  return [marked('-').join('\n'), marked('+').join('\n')];
}

export function plainText(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}

/** The fields of an object one by one, their texts as they are. What the changes show is not repeated. */
function inputLines(input: string, changed: readonly string[]): readonly string[] {
  const fields = fieldsOf(input);
  if (!fields) return input === '' ? [] : visibleText(input).split('\n');
  const isShown = (value: unknown) => {
    if (typeof value !== 'string' || value === '') return false;
    return changed.some((text) => text.includes(value.replace(/\n$/, '')));
  };
  return Object.entries(fields).flatMap(([name, value]) => (isShown(value) ? [] : fieldLines(name, value)));
}

function fieldLines(name: string, value: unknown): readonly string[] {
  const text = visibleText(typeof value === 'string' ? value : JSON.stringify(value, null, 2));
  const [first = '', ...more] = text.split('\n');
  if (more.length === 0) return [`${visibleText(name)}: ${first}`];
  return [`${visibleText(name)}:`, ...[first, ...more].map((line) => `  ${line}`)];
}

/** The arguments of a call as text. */
export async function readInput(input: ToolInput | undefined, read: ReadText): Promise<string> {
  if (input === undefined || typeof input === 'string') return input ?? '';
  return read(input.uri).catch(() => 'The arguments cannot be read.');
}

function fieldsOf(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  | ${line}`);
}
