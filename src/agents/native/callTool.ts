// Takes one call from its arguments to its result: prepare, show, ask, run. What goes wrong on the way becomes a result for the model.
import type { ToolRequest, TurnContext } from '../../host/agent.ts';
import type { Files, Processes } from '../../host/ports.ts';
import type { Json, Rule, ToolResult } from '../../model/event.ts';
import type { Call } from './answer.ts';
import { meansOf } from './bench.ts';
import { deniedText, resultOf } from './context.ts';
import type { SeenResult } from './context.ts';
import type { Restraint } from './outfit.ts';
import type { Sleep } from './sleep.ts';
import type { Prepared, Refused, Tool, ToolContext } from './tools/tool.ts';
import { failed } from './tools/tool.ts';
import { callHooks } from './callHooks.ts';
import type { CallHooks } from './callHooks.ts';
import type { TurnHooks } from './turnHooks.ts';
import { unreadRules } from './unreadRules.ts';

export interface CallOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly files: Files;
  readonly processes: Processes;
  readonly sleep: Sleep;
  /** What the way of working has to say about calls. */
  readonly restraint?: Restraint;
  readonly hooks?: TurnHooks;
  /** Where bugs of a tool end up. */
  readonly report: (problem: unknown, about: string) => void;
}

/** How much of its output a call shows while it runs; the log keeps every character of it. */
const liveLimit = 200_000;

export async function callTool(call: Call, turn: TurnContext, options: CallOptions): Promise<Called> {
  const given = parseInput(call.input);
  const tool = options.tools.get(call.name);
  const hooks = await callHooks(options.hooks, { call, tool, input: given });
  const { input } = hooks;
  const { stop, ...result } = await attempt(call, { tool, input, turn, options, hooks });
  return { input: input ?? {}, result: { id: call.id, name: call.name, ...result }, ...(stop ? { stop } : {}) };
}

interface Called {
  readonly input: Json;
  readonly result: SeenResult;
  /** The human refused and wants the turn to end. */
  readonly stop?: true;
}

interface Attempt {
  readonly tool: Tool | undefined;
  readonly input: Json | undefined;
  readonly turn: TurnContext;
  readonly options: CallOptions;
  readonly hooks: CallHooks;
}

async function attempt({ id, name, meta }: Call, { tool, input, turn, options, hooks }: Attempt): Promise<Pick<SeenResult, 'status' | 'text' | 'images'> & Pick<Called, 'stop'>> {
  const end = (result: ToolResult) => {
    turn.report({ kind: 'tool.ended', tool: id, result });
    return resultOf(result);
  };
  const context: ToolContext = {
    tool: id, roots: turn.roots, ...meansOf(turn, id, options), signal: turn.signal, sleep: options.sleep, jobs: turn.jobs,
    show: (content) => turn.report({ kind: 'tool.output', tool: id, output: { replace: content } }), delegate: (task) => turn.delegate(task),
    plan: { entries: () => turn.state().chats[turn.chat]?.plan ?? [], set: (entries) => turn.report({ kind: 'plan.set', entries }) },
    ask: (message, questions) => turn.ask({ kind: 'question', tool: id, message, questions }, turn.signal),
    visit: (message, url) => turn.ask({ kind: 'signin', message, url }, turn.signal),
  };
  const prepared = await prepare(name, { tool, input, context, options });
  const toolKind = ('refused' in prepared ? undefined : prepared.kind) ?? tool?.kind ?? 'other';
  if (input !== undefined) {
    const shown = 'refused' in prepared ? { title: tool?.preparing ?? name } : view(prepared);
    turn.report({ kind: 'tool.ready', tool: id, input, toolKind, ...shown, ...(meta === undefined ? {} : { meta }) });
  }
  if ('refused' in prepared || !tool || input === undefined) return end(failed('refused' in prepared ? prepared.refused : 'Not possible.'));
  const { command, paths } = prepared;
  const unread = options.restraint && unreadRules(options.restraint.heeded, { toolKind, paths }, turn);
  if (unread !== undefined) return end(failed(unread));
  const title = command === undefined ? prepared.title : `$ ${command}`;
  const verdict = await turn.approve({ tool: id, name, toolKind, title, input, paths, ...(command === undefined ? {} : { command }), ...restrained(options.restraint, hooks.rules) });
  // Who works for another agent goes on after a refusal, to report it.
  if (!verdict.allowed) return { status: 'denied', text: deniedText(verdict.reason), ...(verdict.stop && !options.restraint?.tasked ? { stop: true } : {}) };
  // Its client has said in the log what came of it.
  if (tool.client !== undefined && turn.result) return resultOf(await turn.result(id));
  const result = await guarded(() => prepared.run(live(id, turn)), (problem) => options.report(problem, `the tool ${name}`));
  const { shown, stop } = await hooks.after(result);
  return { ...end(shown), ...(stop ? { stop } : {}) };
}

function restrained(restraint: Restraint | undefined, more: readonly Rule[]): Pick<ToolRequest, 'rules' | 'readOnly'> {
  return { rules: [...(restraint?.rules ?? []), ...more], readOnly: restraint?.readOnly ?? false };
}

async function prepare(name: string, { tool, input, context, options }: Omit<Attempt, 'turn' | 'hooks'> & { context: ToolContext }): Promise<Prepared | Refused> {
  if (!tool) return { refused: `There is no tool named ${name}. The tools are: ${[...options.tools.keys()].join(', ')}.` };
  if (input === undefined) return { refused: 'INVALID_ARGS: the arguments are not valid JSON.' };
  try {
    return await tool.prepare(input, context);
  } catch (error) {
    options.report(error, `the tool ${name}`);
    return { refused: words(error) };
  }
}

function view({ title, locations, preview }: Prepared): Pick<Prepared, 'title' | 'locations' | 'preview'> {
  return { title, ...(locations ? { locations } : {}), ...(preview ? { preview } : {}) };
}

async function guarded(run: () => Promise<ToolResult>, report: (problem: unknown) => void): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    report(error);
    return failed(words(error));
  }
}

function live(tool: string, turn: TurnContext): (text: string) => void {
  let shown = 0;
  return (text) => {
    const room = liveLimit - shown;
    shown += text.length;
    if (room <= 0 || text === '') return;
    const more = text.length > room ? '\n[OUTPUT TRUNCATED] The command says more than is shown here.\n' : '';
    turn.report({ kind: 'tool.output', tool, output: { append: text.slice(0, room) + more } });
  };
}

/** Some models send no arguments at all where none are needed. */
export function parseInput(text: string): Json | undefined {
  if (text.trim() === '') return {};
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

const parseJson: (text: string) => Json = JSON.parse;

function words(error: unknown): string {
  return `The tool failed: ${error instanceof Error ? error.message : 'unknown cause'}`;
}
