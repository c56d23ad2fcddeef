// Runs the programs that users have set up for a moment of the work, one after the other, and reads what they answer. A program that fails or hangs changes nothing.
import { isRecord } from '../../base/isRecord.ts';
import type { Json } from '../../model/event.ts';
import { tryWhole } from '../policy/expression.ts';
import type { Hook, HookAction, HookEvent } from '../settings/projectKnowledge.ts';
import type { Processes } from '../ports.ts';

export type Facts = { readonly [name: string]: Json };

export interface HookPlace {
  readonly hooks: readonly Hook[];
  readonly processes: Processes;
  /** The first folder of the workspace. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** What every program is told. */
  readonly facts: Facts;
  /** Hears of every program that people may see. */
  readonly told?: (news: HookNews) => void;
}

export interface HookNews {
  readonly name: string;
  readonly action: number;
  readonly finished?: { readonly status: number; readonly output: string; readonly error: string | null };
}

/** What the programs want together; of what only one can have, the last one counts. */
export interface HookAnswers {
  /** What the model is told besides. */
  readonly context: readonly string[];
  /** What people are told. */
  readonly messages: readonly { readonly hook: string; readonly text: string }[];
  /** Somebody wants the turn to end, or what was about to happen not to happen. */
  readonly stop?: Reason;
  readonly blocked?: Reason;
  readonly prompt?: string;
  readonly followUp?: string;
  /** Arguments in place of those the call has; others stay. */
  readonly input?: Facts;
  /** The strictest that was said; nothing that is forbidden elsewhere is allowed by it. */
  readonly approval?: { readonly effect: 'allow' | 'ask' | 'deny' } & Reason;
  readonly output?: string;
}

export interface Reason {
  readonly hook: string;
  readonly reason: string;
}

const nothing: HookAnswers = { context: [], messages: [] };

export async function runHooks(event: HookEvent, facts: Facts, place: HookPlace): Promise<HookAnswers> {
  let answers = nothing;
  for (const hook of place.hooks.filter((each) => each.on === event && fitsCall(each, facts))) {
    for (const [at, action] of hook.actions.entries()) {
      if (place.signal.aborted) return answers;
      const changed = {
        ...(answers.prompt === undefined ? {} : { prompt: answers.prompt }),
        ...(answers.input === undefined
          ? {}
          : { tool_input: { ...asFacts(facts['tool_input']), ...answers.input } }),
      };
      const told = { ...place.facts, ...facts, ...changed, hook_name: hook.name, hook_type: event };
      const ran = await runAction(action, told, {
        ...place,
        told: (news) => hook.visible && place.told?.({ ...news, name: hook.name, action: at }),
      });
      answers = joined(answers, answerOf(event, hook.name, ran));
      if (answers.stop || answers.blocked || answers.approval?.effect === 'deny') return answers;
    }
  }
  return answers;
}

interface Ran {
  readonly status: number;
  readonly output: string;
  readonly error: string;
}

/** Longer answers are cut. */
const longest = 100_000;

async function runAction(
  { run, timeout }: HookAction,
  facts: Facts,
  place: Pick<HookPlace, 'processes' | 'cwd' | 'signal'> & {
    readonly told: (news: Pick<HookNews, 'finished'>) => void;
  },
): Promise<Ran> {
  place.told({});
  const said = { stdout: '', stderr: '' };
  const end = await place.processes.run({
    command: 'command' in run ? run.command : `bash ${quoted(run.file)}`,
    cwd: place.cwd,
    timeout,
    signal: place.signal,
    input: `${JSON.stringify(facts)}\n`,
    output: (stream, text) => void (said[stream] = `${said[stream]}${text}`.slice(0, longest)),
  });
  const status = end.kind === 'exited' ? end.code : 1;
  const how =
    end.kind === 'exited'
      ? ''
      : end.kind === 'timeout'
        ? `It was ended after ${timeout} ms.`
        : end.kind === 'failed'
          ? end.message
          : 'It was stopped.';
  const ran = {
    status,
    output: said.stdout.trim(),
    error: [said.stderr.trim(), how].filter(Boolean).join('\n'),
  };
  const hidden = status === 0 && parsed(ran.output)['suppressOutput'] === true;
  place.told({
    finished: hidden
      ? { status, output: '', error: null }
      : { ...ran, error: ran.error === '' ? null : ran.error },
  });
  return ran;
}

/** Single quotes keep everything but themselves; a home is left to the shell. */
function quoted(file: string): string {
  const [home, rest] = file.startsWith('~/') ? ['~/', file.slice(2)] : ['', file];
  return `${home}'${rest.replaceAll("'", "'\\''")}'`;
}

/** What one program wants: it says so in JSON, or ends with 2 and says why. */
function answerOf(event: HookEvent, hook: string, { status, output, error }: Ran): Partial<HookAnswers> {
  if (status === 2) return refusal(event, hook, error);
  if (status !== 0 || !output.startsWith('{')) return {};
  const said = parsed(output);
  const text = (name: string) =>
    typeof said[name] === 'string' && said[name] !== '' ? said[name] : undefined;
  const context = text('additionalContext');
  const message = text('systemMessage');
  const approval = text('approval');
  const input = said['updatedInput'];
  return {
    ...(context === undefined ? {} : { context: [context] }),
    ...(message === undefined ? {} : { messages: [{ hook, text: message }] }),
    ...(said['continue'] === false
      ? { stop: { hook, reason: text('stopReason') ?? 'no reason given' } }
      : {}),
    ...optional('prompt', event === 'preRequest' ? text('replacedPrompt') : undefined),
    ...optional('followUp', text('followUp')),
    ...optional('output', text('replacedOutput')),
    ...(isRecord(input) ? { input } : {}),
    ...(approval === 'allow' || approval === 'ask' || approval === 'deny'
      ? { approval: { effect: approval, hook, reason: text('reason') ?? context ?? '' } }
      : {}),
  };
}

function refusal(event: HookEvent, hook: string, error: string): Partial<HookAnswers> {
  const reason = error === '' ? 'no reason given' : error;
  switch (event) {
    case 'preRequest':
    case 'preCompact':
      return { blocked: { hook, reason } };
    case 'preToolCall':
      return { approval: { effect: 'deny', hook, reason } };
    case 'postToolCall':
      return { output: `[The output was taken away by the hook ${hook}] ${reason}` };
    case 'postRequest':
    case 'subagentPostRequest':
      return { followUp: reason };
    case 'sessionStart':
    case 'sessionEnd':
    case 'chatStart':
    case 'chatEnd':
    case 'chatStatusChanged':
    case 'subagentStart':
    case 'postCompact':
      return {};
    default:
      return event satisfies never;
  }
}

const order = ['allow', 'ask', 'deny'] as const;

function joined(before: HookAnswers, now: Partial<HookAnswers>): HookAnswers {
  const stricter =
    before.approval &&
    now.approval &&
    order.indexOf(before.approval.effect) > order.indexOf(now.approval.effect)
      ? before.approval
      : (now.approval ?? before.approval);
  return {
    ...before,
    ...now,
    context: [...before.context, ...(now.context ?? [])],
    messages: [...before.messages, ...(now.messages ?? [])],
    ...(stricter ? { approval: stricter } : {}),
    ...(before.input && now.input ? { input: { ...before.input, ...now.input } } : {}),
  };
}

/** A hook for calls says which: by an expression for the whole name, or by tools with expressions for all of the named arguments. One for summaries says whether somebody asked for them. */
export function fitsCall(
  { on, matcher, onlyDone }: Hook,
  { tool_name: tool, server, tool_input: input, error, triggered }: Facts,
): boolean {
  if (on === 'postToolCall' && onlyDone && error === true) return false;
  if ((on === 'preCompact' || on === 'postCompact') && typeof matcher === 'string')
    return triggered === undefined || matcher === triggered;
  if ((on !== 'preToolCall' && on !== 'postToolCall') || matcher === undefined) return true;
  if (typeof tool !== 'string' || typeof server !== 'string') return false;
  const names = [tool, `${server}__${tool}`];
  if (typeof matcher === 'string') return names.some((each) => fitsWhole(matcher, each));
  return Object.entries(matcher).some(
    ([selector, args]) =>
      (names.includes(selector) || selector === server || selector === '*') &&
      Object.entries(args).every(([argument, expressions]) => {
        const value = isRecord(input) ? input[argument] : undefined;
        return (
          value !== undefined &&
          expressions.some((expression) =>
            fitsWhole(expression, typeof value === 'string' ? value : JSON.stringify(value)),
          )
        );
      }),
  );
}

/** A hook may be there to refuse things, so one whose expression cannot be tried runs. */
function fitsWhole(expression: string, text: string): boolean {
  const fits = tryWhole(expression, text);
  return fits === true || fits === 'too-hard';
}

function parsed(text: string): Facts {
  try {
    const value: Json = parseJson(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const parseJson: (text: string) => Json = JSON.parse;

/** What is no map has no members. */
export function asFacts(value: Json | undefined): Facts {
  return isRecord(value) ? value : {};
}

/** What all hooks of a workspace have in common as the name of where they run: the first folder and a number made of all of them. */
export function workspaceKey(roots: readonly string[]): string {
  const number = [...new Set(roots)]
    .toSorted()
    .join('\n')
    .split('')
    .reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);
  return `${roots[0]?.split(/[/\\]/).findLast(Boolean) ?? 'workspace'}_${number.toString(16).padStart(8, '0')}`;
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one member, present exactly where it has a value
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: string };
}
