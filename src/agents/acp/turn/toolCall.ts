// One tool call of an agent: its name, its command and the files it touches, as far as the agent reports
// them.
import { isRecord } from '../../../base/isRecord.ts';
import { isAbsolute, resolvePath } from '../../../base/paths.ts';
import type { Json, ToolKind } from '../../../model/event.ts';
import type { ReadToolCall, ReadToolContent } from '../../../protocols/acp/v1/toolCallSchema.ts';
import type { SeenFile, WrittenFile } from '../../../host/workspace/fileObserver.ts';
import { commandText, wordsText } from './commandText.ts';
import type { ProgramStart } from './commandText.ts';

export interface AgentToolCall {
  /** Its id in our log; an agent may use its own id again. */
  readonly tool: string;
  readonly name: string;
  title: string;
  kind: ToolKind;
  content: readonly ReadToolContent[] | undefined;
  locations: NonNullable<ReadToolCall['locations']>;
  input: Json | undefined;
  output: Json | undefined;
  readonly progress: CallProgress;
  /** What policy or a user approved; the agent's own decision does not count. */
  approval: CallApproval | undefined;
  readonly files: {
    /** The files that it wrote through the host, with their content before and after. */
    readonly written: Map<string, WrittenFile>;
    /** The files that it names, as the host saw them at their first mention. */
    readonly seen: Map<string, Promise<SeenFile | undefined>>;
    /** The last arguments that it told: some agents tell others when they ask. */
    readonly inputs: Json[];
  };
  readonly terminals: Set<string>;
}

export interface CallProgress {
  phase: 'preparing' | 'asking' | 'running' | 'ended';
  previewed: boolean;
  denied: boolean;
  /** How many characters of its terminals are shown. */
  printed: number;
}

/** What was approved of a call, as it was asked about: the agent may describe the call differently later. */
export interface CallApproval {
  readonly kind: ToolKind;
  /** The line that was shown; it may run once. */
  readonly command: string | undefined;
  /** Where the line runs, as the call says it. */
  readonly folder: string | undefined;
  /** The files that the call names. */
  readonly paths: readonly string[];
  /** The changes that were shown. */
  readonly changes: readonly ShownChange[];
  /** Set where a rule allowed git, which must then run without programs that a repository names. */
  readonly safeGit: boolean;
  /** Whether the command has run. */
  used: boolean;
}

export interface ShownChange {
  readonly path: string;
  readonly oldText?: string | null | undefined;
  readonly newText: string;
}

/** A new call. `tool` is its id in our log. */
export function newCall(said: ReadToolCall, tool: string): AgentToolCall {
  const kind = kindOf(said.kind ?? 'other');
  const title = said.title ?? said.name ?? 'Tool call';
  return {
    tool,
    name: nameOf(said, title, kind),
    title,
    kind,
    content: undefined,
    locations: [],
    input: undefined,
    output: undefined,
    progress: { phase: 'preparing', previewed: false, denied: false, printed: 0 },
    approval: undefined,
    files: { written: new Map(), seen: new Map(), inputs: [] },
    terminals: new Set(),
  };
}

export function kindOf(kind: string): ToolKind {
  return toolKinds[kind] ?? 'other';
}

const toolKinds: { readonly [kind: string]: ToolKind | undefined } = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
  execute: 'execute',
  think: 'think',
  fetch: 'fetch',
  other: 'other',
};

/**
 * Rules refer to tools by name. Without a name, a specific kind is used. A call of an unspecific kind goes by
 * its title, so that "always allow" applies to nothing else, unless it shows its command.
 */
function nameOf({ name, rawInput, _meta: meta }: ReadToolCall, title: string, kind: ToolKind): string {
  const own = name ?? metaName(meta);
  if (own !== undefined && own !== '') return plainName(own);
  if (kind !== 'other' && kind !== 'think') return kind;
  return commandOf(rawInput) === undefined ? plainName(title) : 'execute';
}

/** Replaces wildcards in a tool name, so that 'always allow' applies to this tool only. */
function plainName(name: string): string {
  return name.replaceAll(/[*?]/g, '_').replace(/^@/, '_');
}

/** One widely used agent sends the name in an extension. */
function metaName(meta: ReadToolCall['_meta']): string | undefined {
  const vendor = meta?.['claudeCode'];
  const name = isRecord(vendor) ? vendor['toolName'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** The command line of a call that runs one. Some agents send a list of words, or arguments apart. */
export function commandOf(input: Json | undefined): string | undefined {
  const more = memberOf(input, 'args');
  const args = isWords(more) ? more : [];
  const env = variablesOf(memberOf(input, 'env'));
  for (const given of [memberOf(input, 'command'), memberOf(input, 'cmd')]) {
    if (typeof given === 'string') return commandText({ command: given, args, env });
    if (isWords(given)) return commandText({ command: wordsText([...given, ...args]), args: [], env });
  }
  return undefined;
}

/** The folder that a call names for its command. */
export function commandFolder(input: Json | undefined): string | undefined {
  const named: readonly unknown[] = folderKeys.map((key) => memberOf(input, key));
  return named.find((value): value is string => typeof value === 'string' && value !== '');
}

function isWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}

function variablesOf(value: unknown): ProgramStart['env'] {
  if (Array.isArray(value))
    return value.flatMap((each: unknown) =>
      isRecord(each) && typeof each['name'] === 'string'
        ? [{ name: each['name'], value: String(each['value']) }]
        : [],
    );
  return isRecord(value) ? Object.entries(value).map(([name, each]) => ({ name, value: String(each) })) : [];
}

export function pathsOf({ input, locations, content }: AgentToolCall): readonly string[] {
  const named = pathKeys
    .map((key) => memberOf(input, key))
    .filter((value) => typeof value === 'string' && value !== '');
  const edited = (content ?? []).flatMap((item) => (item.type === 'diff' ? [item.path] : []));
  return [...new Set([...locations.map(({ path }) => path), ...named.map(String), ...edited])];
}

const folderKeys = [
  'cwd',
  'workdir',
  'working_directory',
  'workingDirectory',
  'directory',
  'dir',
  'dir_path',
];

const pathKeys = [
  'path',
  'file_path',
  'filePath',
  'absolute_path',
  'abs_path',
  'file',
  'filename',
  'notebook_path',
  'source',
  'destination',
  ...folderKeys,
];

function memberOf(value: Json | undefined, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

/** The path of a change. If only the file name is given, the locations of the call may complete it. */
export function wholePath(path: string, locations: AgentToolCall['locations'], cwd: string): string {
  if (isAbsolute(path)) return path;
  return locations.find((location) => location.path.endsWith(`/${path}`))?.path ?? resolvePath(cwd, path);
}

/** Some agents show the arguments of a call as text. */
export function argumentsIn(item: ReadToolContent | undefined): Json | undefined {
  const text = item?.type === 'content' && item.content.type === 'text' ? item.content.text.trim() : '';
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

const parse: (text: string) => Json = JSON.parse;
