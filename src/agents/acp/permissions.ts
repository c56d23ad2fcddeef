// A permission request of an agent as a request of ours, and our verdict as its answer. Decides nothing.
import type { ToolRequest, Verdict } from '../../host/agent.ts';
import type { AskOption, Json } from '../../model/event.ts';
import type { ReadPermissionOption } from '../../protocols/acp/v1/clientSchema.ts';
import type { Deed } from './guard.ts';
import type { Call } from './toolCalls.ts';

export interface PermissionAnswer {
  readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } | { readonly outcome: 'cancelled' };
  readonly _meta?: { readonly reason: string };
}

export const cancelledAnswer: PermissionAnswer = { outcome: { outcome: 'cancelled' } };

/** What is asked of policy and people. A kind that would be allowed unseen counts only where we can see what it touches. */
export function toolRequest(call: Call, offered: readonly ReadPermissionOption[]): ToolRequest {
  const told = commandOf(call.input);
  // A title may say less than the call does, but better judge that than nothing.
  const command = told ?? (call.kind === 'execute' ? call.title : undefined);
  const vague = told === undefined && (call.kind === 'other' || call.kind === 'think' || call.kind === 'execute');
  const paths = pathsOf(call);
  const visible = command === undefined && paths.length > 0 && call.kind !== 'think';
  const harmless = call.kind === 'read' || call.kind === 'search' || call.kind === 'think';
  return {
    tool: call.tool, name: call.name, title: command === undefined ? call.title : `$ ${command}`, input: call.input ?? {}, paths,
    toolKind: harmless && !visible ? 'other' : call.kind,
    ...(command === undefined ? {} : { command }),
    options: usable(offered).map((option) => askOption(option, vague ? 'once' : 'lasting')),
  };
}

/** Whether what was approved covers what the agent does now. A call that does not say what it touches was approved as it is. */
export function approvedFor(call: Call, deed: Deed): boolean {
  if (!call.approved || call.kind === 'read' || call.kind === 'search' || call.kind === 'think') return false;
  const command = commandOf(call.input);
  if (deed.toolKind === 'execute') return call.kind !== 'edit' && (command === undefined || isPart(command, deed.command) || isPart(deed.command, command));
  const paths = pathsOf(call);
  return command === undefined && (paths.length === 0 || paths.some((path) => path === deed.path || deed.path.endsWith(`/${path}`) || deed.path.endsWith(path.replace(/^\.?\//, '/'))));
}

/** Agents wrap a command into a shell or take it out of one. */
function isPart(whole: string, part: string): boolean {
  const bare = (words: string) => words.replaceAll(/['"\\\s]/g, '');
  return bare(part) !== '' && bare(whole).includes(bare(part));
}

/** A stop cancels; every other verdict chooses one of the agent's own options. */
export function permissionAnswer(verdict: Verdict, offered: readonly ReadPermissionOption[]): PermissionAnswer {
  const options = usable(offered);
  const chosen = options.find(({ optionId }) => optionId === verdict.option);
  if (chosen) return selected(chosen, verdict);
  const kinds = verdict.allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const fitting = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0] ?? options.find((option) => effectOf(option) === (verdict.allowed ? 'allow' : 'deny'));
  return fitting ? selected(fitting, verdict) : cancelledAnswer;
}

function selected({ optionId }: ReadPermissionOption, verdict: Verdict): PermissionAnswer {
  return { outcome: { outcome: 'selected', optionId }, ...(verdict.allowed ? {} : { _meta: { reason: verdict.reason } }) };
}

/** An agent that offers nothing is answered in the words of the protocol. */
function usable(offered: readonly ReadPermissionOption[]): readonly ReadPermissionOption[] {
  return offered.length > 0 ? offered : [{ optionId: 'allow_once', name: 'Allow', kind: 'allow_once' }, { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' }];
}

/**
 * Our host remembers "always" for calls whose name and command say what is allowed, and for this session only, since that is what agents
 * usually mean. For all others, such as leaving a plan or a command that only a title hints at, the agent itself may remember it.
 */
function askOption(option: ReadPermissionOption, memory: 'once' | 'lasting'): AskOption {
  const effect = effectOf(option);
  const remembers = effect === 'allow' && option.kind === 'allow_always' && memory === 'lasting';
  return { id: option.optionId, label: option.name || option.optionId, effect: remembers ? 'allow-session' : effect };
}

/** The kind is a hint and may be missing; then the words must do. */
function effectOf({ kind, optionId, name }: ReadPermissionOption): 'allow' | 'deny' {
  if (kind.startsWith('allow')) return 'allow';
  if (kind.startsWith('reject') || kind.startsWith('deny')) return 'deny';
  return /\b(reject|deny|denied|no|never|cancel|abort|stop|decline)/i.test(`${optionId.replaceAll('_', ' ')} ${name}`) ? 'deny' : 'allow';
}

/** The command line of a call that runs one. Some agents give it as a list of words. */
export function commandOf(input: Json | undefined): string | undefined {
  for (const given of [memberOf(input, 'command'), memberOf(input, 'cmd')]) {
    if (typeof given === 'string') return given;
    if (Array.isArray(given) && given.every((word) => typeof word === 'string')) return given.map(quoted).join(' ');
  }
  return undefined;
}

/** A word as a shell must read it to get it back. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function pathsOf({ input, locations, content }: Call): readonly string[] {
  const named = pathKeys.map((key) => memberOf(input, key)).filter((value) => typeof value === 'string' && value !== '');
  const edited = (content ?? []).flatMap((item) => (item.type === 'diff' ? [item.path] : []));
  return [...new Set([...locations.map(({ path }) => path), ...named.map(String), ...edited])];
}

const pathKeys = ['path', 'file_path', 'filePath', 'absolute_path', 'abs_path', 'file', 'filename', 'directory', 'dir', 'dir_path', 'notebook_path', 'cwd', 'workdir', 'source', 'destination'];

function memberOf(value: Json | undefined, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
