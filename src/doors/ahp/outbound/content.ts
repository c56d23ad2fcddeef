// What tools read, change and produce, as AHP shows it. Large texts stay out of the state and are
// named by URIs of our own.
import { untrackedText } from '../../../model/edits.ts';
import type { ChatId, Content, Json, RunResult, SessionId, ToolId, TurnId } from '../../../model/event.ts';
import { exitCodeOf } from '../../../model/howItRan.ts';
import type { ToolItem } from '../../../model/state.ts';
import type { FileEdit, FileEdits, FileEditSide } from '../../../protocols/ahp/v1_0/content.ts';
import type { ToolCallResult, ToolResultContent } from '../../../protocols/ahp/v1_0/toolCall.ts';
import { memoPerObject } from '../../../base/memo.ts';
import { present } from '../../../base/present.ts';
import { lineCounts } from '../../../base/textDiff.ts';
import type { LineCounts } from '../../../base/textDiff.ts';
import { chatUri } from '../channels/channels.ts';
import { fileUri } from '../../../base/fileUri.ts';
import { json, jsonRecord, parseJson } from './wireJson.ts';
import type { JsonRecord } from './wireJson.ts';
import { isKnown, readContent, readResult, storedContent, storedResult } from '../storedDetails.ts';
import { terminalUri } from '../channels/terminalUri.ts';

/** The ids that lead to a tool call. */
export interface ToolPlace {
  readonly session: SessionId;
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly tool: ToolId;
}

/** One text of a tool call: which list it is in, at which index, and which side of the edit. */
export interface ContentPlace extends ToolPlace {
  readonly from: 'preview' | 'content' | 'result' | 'amended';
  /** Of amended texts: the place in the list of the session. */
  readonly index: number;
  readonly side: 'before' | 'after';
}

const contentScheme = 'parley-content';

/**
 * The path is that of the file, the same on both sides: clients take the name and the language of what they
 * show from it, and VS Code shows a file whose path differs as renamed. The query leads to the text; clients
 * that write an address anew change none of its characters.
 */
export function contentUri(place: ContentPlace, path: string): string {
  const at = Buffer.from(partsOf(place)).toString('base64url');
  return `${contentScheme}:/${path.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/')}?${at}`;
}

/** The text alone, without the name of its file, as it is stored in notes. */
export function namelessUri(uri: string): string {
  const place = readContentUri(uri);
  return place ? `${contentScheme}:/${partsOf(place)}` : '';
}

function partsOf({ session, chat, turn, tool, from, index, side }: ContentPlace): string {
  return [session, chat, turn, tool, from, String(index), side].map(encodeURIComponent).join('/');
}

/** Also reads the form that is stored in notes. */
export function readContentUri(uri: string): ContentPlace | undefined {
  if (!uri.startsWith(`${contentScheme}:/`)) return undefined;
  const query = uri.indexOf('?');
  const named =
    query < 0
      ? uri.slice(contentScheme.length + 2)
      : Buffer.from(uri.slice(query + 1), 'base64url').toString('utf8');
  const parts = named.split('/').map(decoded);
  const [session, chat, turn, tool, from, index, side] = parts;
  if (
    (parts.length !== 7 && parts.length !== 8) ||
    session === undefined ||
    chat === undefined ||
    turn === undefined ||
    tool === undefined
  )
    return undefined;
  if (!isList(from) || (side !== 'before' && side !== 'after')) return undefined;
  return /^\d{1,6}$/.test(index ?? '')
    ? { session, chat, turn, tool, from, index: Number(index), side }
    : undefined;
}

function isList(from: string | undefined): from is ContentPlace['from'] {
  return from === 'preview' || from === 'content' || from === 'result' || from === 'amended';
}

/** The text such an URI names, if the tool call has it. */
export function contentAt(tool: ToolItem, { from, index, side }: ContentPlace): string | undefined {
  if (from === 'amended') return undefined;
  const lists = {
    preview: tool.preview,
    content: tool.content,
    result: tool.result && 'content' in tool.result ? tool.result.content : [],
  };
  const found = lists[from][index];
  return found?.type === 'edit' ? (found[side] ?? undefined) : undefined;
}

function toolContent(
  list: readonly Content[],
  from: ContentPlace['from'],
  place: ToolPlace,
): readonly ToolResultContent[] {
  return list.map((content, index) => toolContentOf(content, { ...place, from, index }));
}

/** The edits in the preview of a tool call. */
export function editsOf(preview: readonly Content[], place: ToolPlace): FileEdits | undefined {
  const items = preview.flatMap((content, index) =>
    content.type === 'edit' ? [fileEdit(content, { ...place, from: 'preview', index })] : [],
  );
  return items.length > 0 ? { items } : undefined;
}

/**
 * What a call shows while it runs. A command has a terminal of its own; other tools show the
 * last of what they print.
 */
export function liveContent(tool: ToolItem, place: ToolPlace): readonly ToolResultContent[] {
  const content = toolContent(tool.content, 'content', place);
  if (hasTerminal(tool)) return [terminalContent(tool, place), ...content];
  return [...(tool.output === '' ? [] : [{ type: 'text', text: lastOf(tool.output) } as const]), ...content];
}

/** What a call shows when it is over. */
export function shownContent(
  tool: ToolItem,
  place: ToolPlace,
  result: RunResult | undefined,
): readonly ToolResultContent[] {
  const returned = toolContent(result?.content ?? [], 'result', place);
  if (returned.length === 0) return liveContent(tool, place);
  return hasTerminal(tool) ? [terminalContent(tool, place), ...returned] : returned;
}

/** A command that runs, or ran, is shown as a terminal, unless it has a real one. */
export function hasTerminal({ toolKind, source, output, content, result, runningAt }: ToolItem): boolean {
  if (
    toolKind !== 'execute' ||
    runningAt === undefined ||
    source === 'client' ||
    (source !== 'native' && output === '')
  )
    return false;
  const returned = result && 'content' in result ? result.content : [];
  return ![...content, ...returned].some(({ type }) => type === 'terminal');
}

function terminalContent(tool: ToolItem, place: ToolPlace): ToolResultContent {
  const { title, output, result } = tool;
  const over =
    result &&
    present({
      exitCode: exitCodeOf(result),
      preview: output === '' ? undefined : lastOf(output),
      truncated: output.length > shownOutput ? true : undefined,
    });
  return present({
    type: 'terminal' as const,
    resource: toolTerminalUri(place),
    title,
    isPty: false,
    result: over,
  });
}

const toolTerminal = 'ahp-terminal:/tool/';

function toolTerminalUri({ session, chat, turn, tool }: ToolPlace): string {
  return `${toolTerminal}${[session, chat, turn, tool].map(encodeURIComponent).join('/')}`;
}

export function readToolTerminal(uri: string): ToolPlace | undefined {
  if (!uri.startsWith(toolTerminal)) return undefined;
  const [session, chat, turn, tool, ...more] = uri.slice(toolTerminal.length).split('/').map(decoded);
  if (
    session === undefined ||
    chat === undefined ||
    turn === undefined ||
    tool === undefined ||
    more.length > 0
  )
    return undefined;
  return { session, chat, turn, tool };
}

const shownOutput = 16_384;

function lastOf(text: string): string {
  if (text.length <= shownOutput) return text;
  const cut = text.slice(-shownOutput);
  return /^[\uDC00-\uDFFF]/.test(cut) ? cut.slice(1) : cut;
}

/**
 * Translates the content of a client tool; content without a counterpart becomes data in the door's own form.
 */
export function fromToolContent(content: ToolResultContent): Content {
  if (!isKnown(content)) return { type: 'data', value: storedContent(content) };
  if (content.type === 'text') return { type: 'text', text: content.text };
  const { contentType: mediaType, data } = content;
  return { type: mediaType.startsWith('image/') ? 'image' : 'blob', mediaType, data };
}

/** Translates the result of a client tool. */
export function fromToolResult(result: ToolCallResult): RunResult {
  const returned = present({
    content: (result.content ?? []).map(fromToolContent),
    structured: result.structuredContent && json(result.structuredContent),
    details: storedResult(result),
  });
  if (result.success) return { status: 'done', ...returned };
  const { pastTenseMessage: said } = result;
  const error = result.error?.message ?? (typeof said === 'string' ? said : said.markdown);
  return { status: 'failed', error, ...returned };
}

/** The result that a client reported for its own tool; undefined for other tools. */
export function clientResult(result: RunResult | undefined): ToolCallResult | undefined {
  const details = result && readResult(result.details);
  if (!details) return undefined;
  const { content: kept, ...said } = details;
  return present({
    ...said,
    success: result.status === 'done',
    content: kept && result.content.flatMap((content, i) => clientContent(content, kept[i] ?? undefined)),
    structuredContent: result.structured === undefined ? undefined : jsonRecord(result.structured),
  });
}

function clientContent(content: Content, more: JsonRecord | undefined): readonly ToolResultContent[] {
  switch (content.type) {
    case 'text':
      return [{ ...more, type: 'text', text: content.text }];
    case 'image':
    case 'blob':
      return [{ ...more, type: 'embeddedResource', data: content.data, contentType: content.mediaType }];
    case 'data':
      return [readContent(content.value) ?? asText(content.value)];
    // No client's tool says these.
    case 'edit':
    case 'untracked':
    case 'terminal':
    case 'chat':
    case 'link':
      return [];
    default:
      return content satisfies never;
  }
}

/** Arguments as a person reads and edits them: a lone command as it is, all else as JSON. */
export function inputText(input: Json): string {
  if (typeof input === 'string') return input;
  return loneCommand(input) ?? JSON.stringify(input, undefined, 2);
}

/** Edited arguments in the shape they had, or undefined where the text cannot be that. */
export function inputFrom(text: string, old: Json | undefined): Json | undefined {
  if (typeof old === 'string') return text;
  if (loneCommand(old) !== undefined) return { command: text };
  return parseJson(text);
}

function loneCommand(input: Json | undefined): string | undefined {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return undefined;
  const entries = Object.entries(input);
  const [key, value] = entries[0] ?? [];
  return entries.length === 1 && key === 'command' && typeof value === 'string' ? value : undefined;
}

type Unsided = Omit<ContentPlace, 'side'>;

function toolContentOf(content: Content, place: Unsided): ToolResultContent {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
    case 'blob':
      return { type: 'embeddedResource', data: content.data, contentType: content.mediaType };
    case 'edit':
      return { type: 'fileEdit', ...fileEdit(content, place) };
    case 'untracked':
      return { type: 'text', text: untrackedText(content) };
    case 'terminal':
      return { type: 'terminal', resource: terminalUri(content.terminal), title: content.title, isPty: true };
    case 'chat':
      return present({
        type: 'subagent' as const,
        resource: chatUri(content.chat),
        title: content.title,
        agentName: content.agent,
        description: content.description,
      });
    case 'link':
      return present({ type: 'resource' as const, uri: content.uri, contentType: content.mediaType });
    case 'data':
      return readContent(content.value) ?? asText(content.value);
    default:
      return content satisfies never;
  }
}

function asText(value: Json): ToolResultContent {
  return { type: 'text', text: JSON.stringify(value) };
}

type Edit = Extract<Content, { type: 'edit' }>;

/** Counting is slow for large files, and a call is shown again with every change of it. */
const countsOf = memoPerObject<Edit, LineCounts>();

function fileEdit(edit: Edit, place: Unsided): FileEdit {
  const { path, before, after } = edit;
  const side = (name: 'before' | 'after'): FileEditSide => ({
    uri: fileUri(path),
    content: { uri: contentUri({ ...place, side: name }, path), contentType: 'text/plain' },
  });
  return present({
    before: before === null ? undefined : side('before'),
    after: after === null ? undefined : side('after'),
    diff: countsOf(edit, () => lineCounts(before, after)),
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
