// The whole of what a call that waits would do, as lines: its title, every argument, every change. Nothing is cut, and nothing in it hides.
import { visibleText } from '../../base/visibleText.ts';
import { filePath } from '../../base/fileUri.ts';
import type {
  ContentRef,
  FileEdit,
  FileEditSide,
  StringOrMarkdown,
} from '../../protocols/ahp/v1_0/content.ts';
import type { PendingToolCall, ToolInput } from '../../protocols/ahp/v1_0/toolCall.ts';
import type { Paint } from '../output.ts';
import { short } from '../say.ts';
import { diffLines } from '../sessions/transcript.ts';

/** The text that a reference names. */
export type ReadText = (uri: string) => Promise<string>;

export async function approvalLines(
  call: PendingToolCall,
  paint: Paint,
  read: ReadText,
): Promise<readonly string[]> {
  const title = plainText(call.invocationMessage);
  // A title that repeats the command, which follows, is only begun.
  const [first = '', ...more] =
    title === visibleText(`$ ${String(call.toolInput)}`)
      ? [short(title, 100)]
      : visibleText(title).split('\n');
  const asked = call.confirmationTitle === undefined ? '' : plainText(call.confirmationTitle);
  const repeats = asked === '' || asked === title || asked === visibleText(`$ ${String(call.toolInput)}`);
  const edits = await Promise.all((call.edits?.items ?? []).map((edit) => readEdit(edit, read)));
  const known = edits.flatMap(({ before, after }) => [before ?? '', after ?? '']);
  return [
    `${paint.bold('*')} ${first}`,
    ...indented(more),
    ...edits.flatMap((edit) => editLines(edit, paint)),
    ...indented(call.toolInput === undefined ? [] : await inputLines(call.toolInput, known, read)),
    ...(repeats
      ? []
      : visibleText(asked)
          .split('\n')
          .map((line) => paint.yellow(line))),
  ];
}

interface ReadEdit {
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
  return edit.unreadable
    ? [`  ${paint.bold(visibleText(edit.path))} ${paint.red('the change cannot be read')}`]
    : diffLines(edit, paint);
}

export function plainText(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}

/** The fields of an object one by one, their texts as they are. What the changes show already is not repeated. */
async function inputLines(
  input: ToolInput,
  known: readonly string[],
  read: ReadText,
): Promise<readonly string[]> {
  const text = typeof input === 'string' ? input : await readInput(input, read);
  const fields = fieldsOf(text);
  if (!fields) return visibleText(text).split('\n');
  const shown = Object.entries(fields).filter(
    ([, value]) => !(typeof value === 'string' && value !== '' && known.some((side) => side.includes(value))),
  );
  return shown.flatMap(([name, value]) => {
    const [first = '', ...more] = visibleText(
      typeof value === 'string' ? value : JSON.stringify(value, null, 2),
    ).split('\n');
    return more.length === 0
      ? [`${visibleText(name)}: ${first}`]
      : [`${visibleText(name)}:`, `  ${first}`, ...more.map((line) => `  ${line}`)];
  });
}

function readInput(input: ContentRef, read: ReadText): Promise<string> {
  return read(input.uri).catch(() => 'The arguments cannot be read.');
}

function fieldsOf(text: string): { readonly [name: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  | ${line}`);
}
