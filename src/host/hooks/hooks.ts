// Runs the user's hooks for an event, one after the other, and reads their answers. A hook that fails or
// hangs changes nothing.
import { isRecord } from '../../base/isRecord.ts';
import type { Json } from '../../model/event.ts';
import { tryWhole } from '../policy/expression.ts';
import type { Hook, HookAction, HookEvent } from '../settings/projectKnowledge.ts';
import type { Confinement, Processes, ShellEnd } from '../ports.ts';
import { present } from '../../base/present.ts';

/** The JSON object that a hook reads on standard input. */
export type HookFacts = { readonly [name: string]: Json };

export interface HookRunOptions {
  readonly hooks: readonly Hook[];
  readonly processes: Processes;
  /** The first folder of the workspace. */
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** HookFacts for every hook. */
  readonly facts: HookFacts;
  /** The sandbox that hooks run in, unless their settings say otherwise. */
  readonly confined?: Confinement | undefined;
  /** Called when a visible hook starts and when it has finished. */
  readonly onProgress?: (progress: HookProgress) => void;
}

export interface HookProgress {
  readonly name: string;
  readonly action: number;
  readonly finished?: { readonly status: number; readonly output: string; readonly error: string | null };
}

/** The combined answers of all hooks. Where only one value is possible, the last one wins. */
export interface HookAnswers {
  /** Additional context for the model. */
  readonly context: readonly string[];
  /** Messages for the user. */
  readonly messages: readonly { readonly hook: string; readonly text: string }[];
  /** A hook ends the turn. */
  readonly stop?: HookReason;
  /** A hook prevents the request or the compaction. */
  readonly blocked?: HookReason;
  readonly prompt?: string;
  readonly followUp?: string;
  /** Arguments that replace those of the call; others stay. */
  readonly input?: HookFacts;
  /** The strictest answer. It never allows what a rule denies. */
  readonly approval?: HookApproval;
  readonly output?: string;
}

export interface HookReason {
  readonly hook: string;
  readonly reason: string;
}

export interface HookApproval extends HookReason {
  readonly effect: 'allow' | 'ask' | 'deny';
}

const noAnswers: HookAnswers = { context: [], messages: [] };

export async function runHooks(
  event: HookEvent,
  facts: HookFacts,
  options: HookRunOptions,
): Promise<HookAnswers> {
  let answers = noAnswers;
  for (const hook of options.hooks.filter((each) => each.on === event && matchesFacts(each, facts))) {
    for (const [at, action] of hook.actions.entries()) {
      if (options.signal.aborted) return answers;
      const changed = present({
        prompt: answers.prompt,
        tool_input: answers.input && { ...asFacts(facts['tool_input']), ...answers.input },
      });
      const input = { ...options.facts, ...facts, ...changed, hook_name: hook.name, hook_type: event };
      const confined = hook.unconfined ? undefined : options.confined;
      const result = await runAction(action, input, {
        ...options,
        confined,
        onProgress: (progress) =>
          hook.visible && options.onProgress?.({ ...progress, name: hook.name, action: at }),
      });
      const answer = answerOf(event, hook.name, result);
      answers = combine(answers, confined ? careful(event, hook.name, { result, answer }) : answer);
      if (answers.stop || answers.blocked || answers.approval?.effect === 'deny') return answers;
    }
  }
  return answers;
}

interface ActionResult {
  readonly status: number;
  readonly output: string;
  readonly error: string;
}

/** Longer output is cut. */
const longestOutput = 100_000;

async function runAction(
  { run, timeout }: HookAction,
  facts: HookFacts,
  options: Pick<HookRunOptions, 'processes' | 'cwd' | 'signal' | 'confined'> & {
    readonly onProgress: (progress: Pick<HookProgress, 'finished'>) => void;
  },
): Promise<ActionResult> {
  options.onProgress({});
  const output = { stdout: '', stderr: '' };
  const end = await options.processes.run({
    command: 'command' in run ? run.command : `bash ${quoted(run.file)}`,
    cwd: options.cwd,
    timeout,
    signal: options.signal,
    confined: options.confined,
    input: `${JSON.stringify(facts)}\n`,
    output: (stream, text) => void (output[stream] = `${output[stream]}${text}`.slice(0, longestOutput)),
  });
  const status = end.kind === 'exited' ? end.code : 1;
  const result = {
    status,
    output: output.stdout.trim(),
    error: [output.stderr.trim(), endText(end, timeout)].filter(Boolean).join('\n'),
  };
  const isHidden = status === 0 && parseFacts(result.output)['suppressOutput'] === true;
  options.onProgress({
    finished: isHidden
      ? { status, output: '', error: null }
      : { ...result, error: result.error === '' ? null : result.error },
  });
  return result;
}

/** Why the program did not exit on its own; empty if it did. */
function endText(end: ShellEnd, timeout: number): string {
  switch (end.kind) {
    case 'exited':
      return '';
    case 'timeout':
      return `It was ended after ${timeout} ms.`;
    case 'failed':
      return end.message;
    case 'signalled':
    case 'stopped':
      return 'It was stopped.';
    default:
      return end satisfies never;
  }
}

/** Quotes the path for a shell, which still expands a leading `~/`. */
function quoted(file: string): string {
  const [home, rest] = file.startsWith('~/') ? ['~/', file.slice(2)] : ['', file];
  return `${home}'${rest.replaceAll("'", "'\\''")}'`;
}

/** The answer of one program: a JSON object, or exit code 2 with a reason on standard error. */
function answerOf(
  event: HookEvent,
  hook: string,
  { status, output, error }: ActionResult,
): Partial<HookAnswers> {
  if (status === 2) return refusal(event, hook, error);
  if (status !== 0 || !output.startsWith('{')) return {};
  const answer = parseFacts(output);
  const text = (name: string) =>
    typeof answer[name] === 'string' && answer[name] !== '' ? answer[name] : undefined;
  const context = text('additionalContext');
  const message = text('systemMessage');
  const approval = text('approval');
  const input = answer['updatedInput'];
  return {
    ...(context === undefined ? {} : { context: [context] }),
    ...(message === undefined ? {} : { messages: [{ hook, text: message }] }),
    ...(answer['continue'] === false
      ? { stop: { hook, reason: text('stopReason') ?? 'no reason given' } }
      : {}),
    ...present({
      prompt: event === 'preRequest' ? text('replacedPrompt') : undefined,
      followUp: text('followUp'),
      output: text('replacedOutput'),
    }),
    ...(isRecord(input) ? { input } : {}),
    ...(approval === 'allow' || approval === 'ask' || approval === 'deny'
      ? { approval: { effect: approval, hook, reason: text('reason') ?? context ?? '' } }
      : {}),
  };
}

/** A hook that only the sandbox may have kept from refusing a call makes it ask. */
function careful(
  event: HookEvent,
  hook: string,
  { result, answer }: { readonly result: ActionResult; readonly answer: Partial<HookAnswers> },
): Partial<HookAnswers> {
  const isLost = event === 'preToolCall' && result.status !== 0 && !answer.approval;
  return isLost ? { ...answer, approval: { effect: 'ask', hook, reason: failedInside } } : answer;
}

const failedInside = 'it failed in the sandbox; hooks.<name>.sandbox can be off';

function refusal(event: HookEvent, hook: string, error: string): Partial<HookAnswers> {
  const reason = error === '' ? 'no reason given' : error;
  switch (event) {
    case 'preRequest':
    case 'preCompact':
      return { blocked: { hook, reason } };
    case 'preToolCall':
      return { approval: { effect: 'deny', hook, reason } };
    case 'postToolCall':
      return { output: `[The hook ${hook} removed the output] ${reason}` };
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

const byStrictness = ['allow', 'ask', 'deny'] as const;

function combine(before: HookAnswers, now: Partial<HookAnswers>): HookAnswers {
  const stricter =
    before.approval &&
    now.approval &&
    byStrictness.indexOf(before.approval.effect) > byStrictness.indexOf(now.approval.effect)
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

/**
 * Whether the hook applies to these facts. A matcher for tool calls is an expression for the whole tool name,
 * or tools with expressions for their arguments. A matcher for compactions is the trigger.
 */
export function matchesFacts(
  { on, matcher, onlyDone }: Hook,
  { tool_name: tool, server, tool_input: input, error, triggered }: HookFacts,
): boolean {
  if (on === 'postToolCall' && onlyDone && error === true) return false;
  if ((on === 'preCompact' || on === 'postCompact') && typeof matcher === 'string')
    return triggered === undefined || matcher === triggered;
  if ((on !== 'preToolCall' && on !== 'postToolCall') || matcher === undefined) return true;
  if (typeof tool !== 'string' || typeof server !== 'string') return false;
  const names = [tool, `${server}__${tool}`];
  if (typeof matcher === 'string') return names.some((each) => matchesWhole(matcher, each));
  return Object.entries(matcher).some(
    ([selector, args]) =>
      (names.includes(selector) || selector === server || selector === '*') &&
      Object.entries(args).every(([argument, expressions]) => {
        const value = isRecord(input) ? input[argument] : undefined;
        return (
          value !== undefined &&
          expressions.some((expression) =>
            matchesWhole(expression, typeof value === 'string' ? value : JSON.stringify(value)),
          )
        );
      }),
  );
}

/** A hook may exist to deny calls, so it runs if its expression is too expensive to evaluate. */
function matchesWhole(expression: string, text: string): boolean {
  const result = tryWhole(expression, text);
  return result === true || result === 'too-hard';
}

function parseFacts(text: string): HookFacts {
  try {
    const value: Json = parseJson(text);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

const parseJson: (text: string) => Json = JSON.parse;

/** The value if it is an object, or an empty object. */
export function asFacts(value: Json | undefined): HookFacts {
  return isRecord(value) ? value : {};
}

/** The `session_id` for hooks: the same for the same workspace folders. */
export function workspaceKey(roots: readonly string[]): string {
  const number = [...new Set(roots)]
    .toSorted()
    .join('\n')
    .split('')
    .reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 16_777_619) >>> 0, 2_166_136_261);
  return `${roots[0]?.split(/[/\\]/).findLast(Boolean) ?? 'workspace'}_${number.toString(16).padStart(8, '0')}`;
}
