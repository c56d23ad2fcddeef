// Says in one line what a tool call does or did: an icon, a verb and what it is about. Pure.
import { isStopped, withoutEditor } from '../../../client/callText.ts';
import type { StringOrMarkdown } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { PendingToolCall, ToolCallState } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import { parseObject } from '../../text/parseObject.ts';
import type { IconName } from '../parts/Icon.tsx';

export interface CallLine {
  readonly icon: IconName;
  readonly verb: string;
  /** The rest of the title; empty if the verb says all. */
  readonly object: StringOrMarkdown;
  /** A command line is shown as code. */
  readonly isCommand: boolean;
}

/** Titles say what a call is doing; a finished one is told in the past, a question in the plain form. */
const verbs: ReadonlyMap<string, readonly [plain: string, past: string]> = new Map([
  ['Checking', ['Check', 'Checked']],
  ['Creating', ['Create', 'Created']],
  ['Deleting', ['Delete', 'Deleted']],
  ['Editing', ['Edit', 'Edited']],
  ['Fetching', ['Fetch', 'Fetched']],
  ['List', ['List', 'Listed']],
  ['Loading', ['Load', 'Loaded']],
  ['Moving', ['Move', 'Moved']],
  ['Overwriting', ['Overwrite', 'Overwrote']],
  ['Previewing', ['Preview', 'Previewed']],
  ['Reading', ['Read', 'Read']],
  ['Running', ['Run', 'Ran']],
  ['Searching', ['Search', 'Searched']],
  ['View', ['View', 'Viewed']],
  ['Writing', ['Write', 'Wrote']],
]);

const outcomes: Readonly<Record<string, string>> = {
  denied: 'Denied',
  skipped: 'Stopped',
  'result-denied': 'Result not sent',
};

export function callLine(call: ToolCallState): CallLine {
  const title = titleOf(call);
  const [first, rest] = splitVerb(title);
  const icon = iconOf(call);
  const isCommand = first === '$';
  const object = first === '' ? title : wholeCommand(call, rest);
  const whole = first === '' || isCommand ? object : title;
  if (call.status === 'cancelled')
    return { icon: 'x', verb: outcomes[call.reason] ?? 'Stopped', object: whole, isCommand };
  if (isStopped(call)) return { icon: 'x', verb: 'Stopped', object: whole, isCommand };
  if (isCommand) return { icon, verb: commandVerb(call), object, isCommand };
  if (call.status === 'streaming') return { icon, ...plannedLine(call, title) };
  if (first === '') return { icon, verb: rawOf(title) === '' ? call.displayName : '', object, isCommand };
  return { icon, verb: isOver(call) ? (verbs.get(first)?.[1] ?? first) : first, object, isCommand };
}

/** A call that is still written: what it will do, as far as its arguments are there. */
function plannedLine(call: ToolCallState, title: StringOrMarkdown): Omit<CallLine, 'icon'> {
  const command = argumentOf(call, 'command');
  if (typeof command === 'string')
    return { verb: 'Run', object: visibleText(command.replaceAll(/\s+/g, ' ').trim()), isCommand: true };
  const [first, rest] = splitVerb(title);
  if (first === 'Preparing') return { verb: capitalised(rawOf(rest)), object: '', isCommand: false };
  const path = argumentOf(call, 'path');
  const verb = verbs.get(first)?.[0] ?? first;
  if (verb !== '' && typeof path === 'string') return { verb, object: visibleText(path), isCommand: false };
  if (verb === '' && rawOf(title) === '') return { verb: call.displayName, object: '', isCommand: false };
  return { verb, object: verb === '' ? title : rest, isCommand: false };
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The heading of an approval; without arguments to show, only it can say the command. */
export function approvalHeading(call: PendingToolCall, title: StringOrMarkdown): string {
  const [first, rest] = splitVerb(title);
  if (first === '$') return call.toolInput === undefined ? `Run ${rawOf(rest)}?` : 'Run this command?';
  const plain = verbs.get(first)?.[0];
  if (plain !== undefined) return `${plain} ${rawOf(rest)}?`;
  return rawOf(title) === '' ? `Allow ${call.displayName}?` : rawOf(title);
}

/** What a session that waits wants, in one line. */
export function wantOf(call: ToolCallState): string {
  const { verb, object, isCommand } = callLine(call);
  if (isCommand) return `Wants to run ${rawOf(object)}`;
  const plain = verbs.get(verb)?.[0];
  return plain === undefined ? 'Needs approval' : `Wants to ${plain.toLowerCase()} ${rawOf(object)}`;
}

function titleOf(call: ToolCallState): StringOrMarkdown {
  const isDone = call.status === 'completed' || call.status === 'pending-result-confirmation';
  return withoutEditor((isDone ? call.pastTenseMessage : call.invocationMessage) ?? call.displayName, call);
}

function isOver({ status }: ToolCallState): boolean {
  return status === 'completed' || status === 'pending-result-confirmation';
}

function commandVerb(call: ToolCallState): string {
  if (isOver(call)) return runsOn(call) ? 'Started' : 'Ran';
  return call.status === 'running' ? 'Running' : 'Run';
}

/** A background job goes on when its call is over. */
function runsOn(call: ToolCallState): boolean {
  const background = argumentOf(call, 'background');
  return typeof background === 'string' && background !== '';
}

/** A host sends a lone command as it is, and all other arguments as JSON. */
function argumentOf(call: ToolCallState, name: string): unknown {
  if (call.status === 'streaming') return parseObject(call.partialInput ?? '')?.[name];
  if (typeof call.toolInput !== 'string') return undefined;
  const given = parseObject(call.toolInput) ?? { command: call.toolInput };
  return given[name];
}

/** Hosts shorten a long command in the title; how much fits is known here only. */
function wholeCommand(call: ToolCallState, shortened: StringOrMarkdown): StringOrMarkdown {
  const command = argumentOf(call, 'command');
  if (typeof command !== 'string') return shortened;
  const [beginning = '', end] = rawOf(shortened).split(/(?:\.{3}|…)$/);
  const whole = command.replaceAll(/\s+/g, ' ').trim();
  const from = whole.indexOf(beginning.trim());
  return end !== undefined && from >= 0 ? visibleText(whole.slice(from)) : shortened;
}

/** The first word, if it is a plain word or the `$` of a command line. */
function splitVerb(title: StringOrMarkdown): readonly [string, StringOrMarkdown] {
  const raw = rawOf(title);
  const [, first, rest = ''] = /^(\$|\p{Lu}\p{Ll}+)(?:\s+(.*))?$/su.exec(raw) ?? [];
  if (first === undefined) return ['', title];
  return [first, typeof title === 'string' ? rest : { markdown: rest }];
}

export function rawOf(text: StringOrMarkdown): string {
  return typeof text === 'string' ? text : text.markdown;
}

const icons: readonly (readonly [RegExp, IconName])[] = [
  [/shell|command|bash|terminal|exec|job|git/i, 'terminal'],
  [/edit|write|create|patch|replace|move|delete/i, 'edit'],
  [/search|grep|glob|find/i, 'search'],
  [/fetch|web|http|url/i, 'globe'],
  [/ask|question/i, 'question'],
  [/agent|task/i, 'sub'],
  [/plan|todo/i, 'plan'],
  [/read|view|list|tree|file/i, 'file'],
];

function iconOf(call: ToolCallState): IconName {
  const content = 'content' in call ? (call.content ?? []) : [];
  if (Array.isArray(content)) {
    if (content.some(({ type }) => type === 'terminal')) return 'terminal';
    if (content.some(({ type }) => type === 'fileEdit')) return 'edit';
  }
  return icons.find(([pattern]) => pattern.test(call.toolName))?.[1] ?? 'plug';
}
