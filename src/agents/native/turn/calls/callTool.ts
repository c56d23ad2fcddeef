// Takes one tool call from its arguments to its result: prepare, show, ask, run. A failure on the way becomes
// a result for the model.
import { errorText } from '../../../../base/errorText.ts';
import { hasMoreValuesThan, nestsDeeperThan } from '../../../../base/jsonSize.ts';
import { present } from '../../../../base/present.ts';
import type { TurnContext, Verdict } from '../../../../host/agent.ts';
import type { ToolIntent, ToolRequest } from '../../../../host/policy/toolRequest.ts';
import { stopNotice } from '../../../../host/hooks/turnHooks.ts';
import { safeGitEnvironment } from '../../../../host/policy/safeGit.ts';
import type { Content, Json, Rule, ToolResult } from '../../../../model/event.ts';
import { findTool, findTurn } from '../../../../model/state.ts';
import type { ModelUsage } from '../../model.ts';
import { unreadRules } from '../../prompt/unreadRules.ts';
import { readFile } from '../../tools/files/readFile.ts';
import { failed } from '../../tools/tool.ts';
import type { CommandEnvironment, PreparedCall, Tool, ToolContext, ToolRefusal } from '../../tools/tool.ts';
import type { Call } from '../answerRecorder.ts';
import { deniedText, modelResult } from '../modelMessages.ts';
import type { SeenResult } from '../modelMessages.ts';
import type { CallRestrictions } from '../toolSet.ts';
import type { TurnSetup } from '../turnSetup.ts';
import { callHooks } from './callHooks.ts';
import type { CallHooks } from './callHooks.ts';
import { liveOutput, shortenResult } from './callOutput.ts';
import { toolContext } from './toolContext.ts';

export interface CallOptions {
  readonly setup: TurnSetup;
  /** The tools of the answer that the call belongs to. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** Counts the model requests that a call made. */
  readonly onUsage: (usage: ModelUsage) => void;
  /** Set for a call that an earlier host has made: its hooks have run, and its arguments are theirs. */
  readonly isRepeated?: true;
}

export interface CallOutcome {
  readonly input: Json;
  readonly result: SeenResult;
  /** Set if the user refused and wants the turn to end. */
  readonly stop?: true;
}

type Result = Pick<SeenResult, 'status' | 'text' | 'images'> & Pick<CallOutcome, 'stop'>;

export async function callTool(call: Call, turn: TurnContext, options: CallOptions): Promise<CallOutcome> {
  const context = toolContext(call.id, turn, options);
  const running = { call, turn, options, context, tool: options.tools.get(call.name) };
  const hooks = await callHooks(options.setup.hooks, {
    call,
    tool: running.tool,
    input: parseInput(call.input),
    conventions: options.setup.conventions,
    isRepeated: options.isRepeated ?? false,
    judged: (input) => judgeBeforeHooks(running, input),
  });
  const { stop, ...result } = await attempt(running, hooks);
  return {
    input: hooks.input ?? {},
    result: { id: call.id, name: call.name, ...result },
    ...present({ stop }),
  };
}

/** One call on its way through this file. */
interface RunningCall {
  readonly call: Call;
  readonly turn: TurnContext;
  readonly options: CallOptions;
  readonly context: ToolContext;
  /** Undefined if the model called a tool that does not exist. */
  readonly tool: Tool | undefined;
}

async function attempt(running: RunningCall, hooks: CallHooks): Promise<Result> {
  const { tool } = running;
  const prepared = await prepare(running, hooks.input);
  if (hooks.input !== undefined) reportReady(running, hooks.input, prepared);
  if ('refused' in prepared) return end(running, failed(await refusalText(running, prepared)));
  if (!tool || hooks.input === undefined) return end(running, failed('Not possible.'));
  const unread = unreadText(running, prepared);
  if (unread !== undefined) return end(running, failed(unread));
  const verdict = await running.turn.approve(requestOf(running, prepared, hooks));
  if (!verdict.allowed) return denied(running, verdict, hooks);
  // The client that provides the tool runs it, and has logged the result.
  if (tool.client !== undefined)
    return modelResult(await running.turn.workspace.clientResult(running.call.id));
  const agreed =
    verdict.input === undefined
      ? { prepared, onlyReads: verdict.onlyReads }
      : await editedCall(running, verdict.input, hooks);
  if ('refused' in agreed) return end(running, failed(agreed.refused));
  const { workspace } = running.turn;
  const intent = intentOf(running, { prepared: agreed.prepared, input: hooks.input, rules: hooks.rules });
  const env = verdict.safeGit || agreed.onlyReads ? safeGitEnvironment : undefined;
  return run(running, agreed, {
    hooks,
    surroundings: present({ env, hides: workspace.hiddenFiles(intent), confined: verdict.confined }),
  });
}

/** What a file contains is told only where reading it needs no question. */
async function refusalText(running: RunningCall, { refused, reveals }: ToolRefusal): Promise<string> {
  if (reveals === undefined) return refused;
  const { rules, readOnly } = running.options.setup.tools.restrictions;
  const { effect } = await running.turn.judge({
    name: readFile.name,
    toolKind: readFile.kind,
    input: { path: reveals },
    paths: [reveals],
    rules,
    readOnly,
  });
  if (effect === 'allow') return refused;
  const reader = running.context.requestName(readFile.name);
  return `This does not fit what ${reveals} contains, which may not be told here; use ${reader} first.`;
}

const stopped = failed('The turn was stopped.');

/** A call as it was approved. */
interface AgreedCall {
  readonly prepared: PreparedCall;
  /** Set if its command line changes no file. */
  readonly onlyReads?: true | undefined;
}

async function run(
  running: RunningCall,
  agreed: AgreedCall,
  { hooks, surroundings }: { readonly hooks: CallHooks; readonly surroundings: CommandEnvironment },
): Promise<Result> {
  const { call, turn, options } = running;
  const work = async () =>
    hooks.after(
      await guarded(
        () => (turn.signal.aborted ? stopped : agreed.prepared.run(liveOutput(call.id, turn), surroundings)),
        (problem) => options.setup.ports.report(problem, `the tool ${call.name}`),
      ),
    );
  const watched = mayChangeFiles(running, agreed) ? options.setup.programs : undefined;
  const { result, changes } = watched ? await watched.watch(work) : { result: await work(), changes: [] };
  const { shown, stop, tell } = result;
  const ended = await end(running, withChanges(shown, changes));
  if (!isRecorded(running)) watched?.keep(changes);
  tell?.();
  return { ...ended, ...present({ stop }) };
}

/**
 * Whether files may change that no result names. Commands, tools of servers and hooks do not say what they
 * change; our other tools do.
 */
function mayChangeFiles({ tool, options }: RunningCall, { prepared, onlyReads }: AgreedCall): boolean {
  if (onlyReads && !options.setup.hooks?.has('postToolCall')) return false;
  return tool?.server !== undefined || (prepared.kind ?? tool?.kind) === 'execute';
}

/** Whether the result is in the log. A turn that was stopped takes none. */
function isRecorded({ call, turn }: RunningCall): boolean {
  const chat = turn.state().chats[turn.session.chat];
  const result = chat && findTool(findTurn(chat, turn.session.turn), call.id)?.result;
  return result !== undefined && 'content' in result;
}

function withChanges(result: ToolResult, changes: readonly Content[]): ToolResult {
  return 'content' in result ? { ...result, content: [...result.content, ...changes] } : result;
}

async function guarded(
  work: () => ToolResult | Promise<ToolResult>,
  report: (problem: unknown) => void,
): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    report(error);
    return failed(failureText(error));
  }
}

/** Ends the call in the log; the model sees the same result. */
async function end({ call, turn, options, context }: RunningCall, whole: ToolResult): Promise<Result> {
  const { outputLines: lines, outputBytes: characters } = options.setup.settings.limits;
  const result = await shortenResult(whole, {
    tool: call.id,
    turn,
    limits: { lines, characters },
    requestName: context.requestName,
  });
  turn.report({ kind: 'tool.ended', tool: call.id, result });
  return modelResult(result);
}

function denied(
  { turn, options }: RunningCall,
  { reason, stop }: Extract<Verdict, { readonly allowed: false }>,
  hooks: CallHooks,
): Result {
  if (hooks.ended) turn.report(stopNotice(hooks.ended));
  const ends = stop && !options.setup.tools.restrictions.isSubagent;
  return { status: 'denied', text: deniedText(reason), ...(ends ? { stop } : {}) };
}

function reportReady(
  { call, turn, tool }: RunningCall,
  input: Json,
  prepared: PreparedCall | ToolRefusal,
): void {
  const shown =
    'refused' in prepared
      ? { title: tool?.preparing ?? call.name }
      : present({ title: prepared.title, locations: prepared.locations, preview: prepared.preview });
  turn.report({
    kind: 'tool.ready',
    tool: call.id,
    input,
    toolKind: ('refused' in prepared ? undefined : prepared.kind) ?? tool?.kind ?? 'other',
    ...shown,
    ...present({ meta: call.meta }),
  });
}

/** The refusal of a call on files whose rules the model has not read. */
function unreadText(
  { turn, options, context, tool }: RunningCall,
  { kind, paths }: PreparedCall,
): string | undefined {
  const { enforced } = options.setup.tools.restrictions;
  const toolKind = kind ?? tool?.kind ?? 'other';
  return unreadRules({ ...enforced, requestName: context.requestName }, { toolKind, paths }, turn);
}

function requestOf(running: RunningCall, prepared: PreparedCall, hooks: CallHooks): ToolRequest {
  const { remember } = prepared;
  return {
    tool: running.call.id,
    intent: intentOf(running, { prepared, input: hooks.input ?? {}, rules: hooks.rules }),
    title: questionOf(prepared),
    editable: true,
    edited: async (input) => {
      const next = await prepare(running, input);
      if ('refused' in next) return next;
      const intent = intentOf(running, { prepared: next, input, rules: hooks.rules });
      return { intent, title: next.command === undefined ? next.title : questionOf(next) };
    },
    ...present({ remember }),
  };
}

/** What the user decides about; a command is always whole. */
function questionOf({ command, question, title }: PreparedCall): string {
  return question ?? (command === undefined ? title : `$ ${command}`);
}

/** What policy says about the call before any hook has changed it. */
async function judgeBeforeHooks(running: RunningCall, input: Json): Promise<'allow' | 'ask' | 'deny'> {
  const prepared = await prepare(running, input);
  if ('refused' in prepared) return 'deny';
  return (await running.turn.judge(intentOf(running, { prepared, input, rules: [] }))).effect;
}

/** The user edited the arguments, which approves the new call; a rule that denies it still applies. */
async function editedCall(
  running: RunningCall,
  input: Json,
  hooks: CallHooks,
): Promise<AgreedCall | ToolRefusal> {
  const prepared = await prepare(running, input);
  if ('refused' in prepared) return prepared;
  const { effect, rule, onlyReads } = await running.turn.judge(
    intentOf(running, { prepared, input, rules: hooks.rules }),
  );
  if (effect !== 'deny') return { prepared, onlyReads };
  return {
    refused:
      `The user changed the arguments to something that is refused by the rule "${rule}". ` +
      'Nothing has changed.',
  };
}

interface IntentParts {
  readonly prepared: PreparedCall;
  readonly input: Json;
  /** The rules that hooks add to those of the profile. */
  readonly rules: readonly Rule[];
}

function intentOf({ call, tool, options }: RunningCall, { prepared, input, rules }: IntentParts): ToolIntent {
  const { kind, paths, command, runs, url, definition } = prepared;
  const restrictions: CallRestrictions = options.setup.tools.restrictions;
  return {
    name: call.name,
    toolKind: kind ?? tool?.kind ?? 'other',
    input,
    paths,
    ...present({ command, url, definition, written: runs?.written, sandbox: sandboxOf(runs, tool) }),
    rules: [...restrictions.rules, ...rules],
    readOnly: restrictions.readOnly,
  };
}

function sandboxOf(runs: PreparedCall['runs'], tool: Tool | undefined): ToolIntent['sandbox'] {
  if (tool?.server !== undefined) return { runs: { confined: false, because: 'server' } };
  return runs && present({ outside: runs.outside });
}

async function prepare(
  { call, tool, options, context }: RunningCall,
  input: Json | undefined,
): Promise<PreparedCall | ToolRefusal> {
  const { conventions, ports } = options.setup;
  if (!tool) return { refused: unknownTool(call.name, options.tools, context) };
  if (input === undefined)
    return { refused: 'INVALID_ARGS: the arguments are not valid JSON with at most 100,000 values.' };
  if (tool.server === undefined && conventions.onDemand[call.name] !== undefined)
    return { refused: 'Nobody has asked for this. Nothing has changed; go on with the task.' };
  try {
    return await tool.prepare(input, context);
  } catch (error) {
    ports.report(error, `the tool ${call.name}`);
    return { refused: failureText(error) };
  }
}

function unknownTool(name: string, tools: ReadonlyMap<string, Tool>, { requestName }: ToolContext): string {
  const names = [...tools.values()].map((tool) =>
    (tool.server ?? tool.client) === undefined ? requestName(tool.name) : tool.name,
  );
  return `There is no tool named ${name}. The tools are: ${names.join(', ')}.`;
}

/** Parsing, checking and showing more than these would keep every client of the host waiting. */
const mostValues = 100_000;
const mostLevels = 500;

/**
 * The arguments of a call; undefined if they are not JSON or have too many values. Some models send nothing
 * for a call without arguments.
 */
export function parseInput(text: string): Json | undefined {
  if (text.trim() === '') return {};
  if (hasMoreValuesThan(text, mostValues) || nestsDeeperThan(text, mostLevels)) return undefined;
  try {
    const parse: (json: string) => Json = JSON.parse;
    const parsed = parse(text);
    return hasTooManyValues(parsed) ? undefined : parsed;
  } catch {
    return undefined;
  }
}

function hasTooManyValues(parsed: Json): boolean {
  const open: Json[] = [parsed];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const inner = Object.values(value);
    count += inner.length;
    if (count > mostValues) return true;
    for (const each of inner) if (each !== undefined) open.push(each);
  }
  return false;
}

function failureText(error: unknown): string {
  return `The tool failed: ${errorText(error)}`;
}
