// Takes one call from its arguments to its result: prepare, show, ask, run. What goes wrong on the way becomes a result for the model.
import type { ToolIntent, ToolRequest, TurnContext } from '../../../host/agent.ts';
import type { Files, Processes } from '../../../host/ports.ts';
import type { ShellSettings } from '../../../host/settings/settings.ts';
import type { WebPages } from '../../../host/tools/webPages.ts';
import type { Content, Json, Rule, ToolResult } from '../../../model/event.ts';
import type { Call } from './answer.ts';
import { meansOf } from '../tools/turnWorkbench.ts';
import { deniedText, resultOf } from './modelMessages.ts';
import type { SeenResult } from './modelMessages.ts';
import { requestName } from '../prompt/clientConventions.ts';
import type { ClientConventions } from '../prompt/clientConventions.ts';
import type { ModelUsage } from '../model.ts';
import type { Restraint } from './turnSetup.ts';
import type { Sleep } from './sleep.ts';
import { ends } from '../tools/clip.ts';
import type { ShownLimits } from '../tools/clip.ts';
import type { Prepared, Refused, Tool, ToolContext } from '../tools/tool.ts';
import { failed } from '../tools/tool.ts';
import { callHooks } from './callHooks.ts';
import type { CallHooks } from './callHooks.ts';
import { safeGitEnvironment } from '../../../host/policy/safeGit.ts';
import { stopNotice } from '../../../host/hooks/turnHooks.ts';
import type { TurnHooks } from '../../../host/hooks/turnHooks.ts';
import { unreadRules } from '../prompt/unreadRules.ts';

export interface CallOptions {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly files: Files;
  readonly processes: Processes;
  readonly sleep: Sleep;
  /** What the way of working has to say about calls. */
  readonly restraint?: Restraint;
  readonly hooks?: TurnHooks;
  /** Counts what a call had models do. */
  readonly spent?: (usage: ModelUsage) => void;
  readonly web?: WebPages | undefined;
  /** After how many milliseconds a command is stopped that says nothing about it. */
  readonly commandTimeout?: number | undefined;
  readonly shell?: ShellSettings | undefined;
  readonly readLines?: number | undefined;
  readonly editorTimeout?: number | undefined;
  readonly conventions: ClientConventions;
  /** How much of a call's output a model is shown. */
  readonly limits?: ShownLimits;
  /** Where bugs of a tool end up. */
  readonly report: (problem: unknown, about: string) => void;
}

/** How much of its output a call shows while it runs; the log keeps every character of it. */
const liveLimit = 200_000;

export async function callTool(call: Call, turn: TurnContext, options: CallOptions): Promise<Called> {
  const given = parseInput(call.input);
  const tool = options.tools.get(call.name);
  const hooks = await callHooks(options.hooks, {
    call,
    tool,
    input: given,
    conventions: options.conventions,
    judged: (input) => judged(call, { tool, input, turn, options }),
  });
  const { input } = hooks;
  const { stop, ...result } = await attempt(call, { tool, input, turn, options, hooks });
  return {
    input: input ?? {},
    result: { id: call.id, name: call.name, ...result },
    ...(stop ? { stop } : {}),
  };
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

async function attempt(
  { id, name, meta }: Call,
  { tool, input, turn, options, hooks }: Attempt,
): Promise<Pick<SeenResult, 'status' | 'text' | 'images'> & Pick<Called, 'stop'>> {
  const context = contextOf(id, turn, options);
  const end = async (whole: ToolResult) => {
    const result = await shortened(whole, {
      tool: id,
      turn,
      limits: options.limits ?? usualShown,
      named: context.named,
    });
    turn.report({ kind: 'tool.ended', tool: id, result });
    return resultOf(result);
  };
  const prepared = await prepare(name, { tool, input, context, options });
  const toolKind = ('refused' in prepared ? undefined : prepared.kind) ?? tool?.kind ?? 'other';
  if (input !== undefined) {
    const shown = 'refused' in prepared ? { title: tool?.preparing ?? name } : view(prepared);
    turn.report({
      kind: 'tool.ready',
      tool: id,
      input,
      toolKind,
      ...shown,
      ...(meta === undefined ? {} : { meta }),
    });
  }
  if ('refused' in prepared || !tool || input === undefined)
    return end(failed('refused' in prepared ? prepared.refused : 'Not possible.'));
  const { command, paths } = prepared;
  const unread =
    options.restraint &&
    unreadRules({ ...options.restraint.heeded, named: context.named }, { toolKind, paths }, turn);
  if (unread !== undefined) return end(failed(unread));
  const title = command === undefined ? (prepared.question ?? prepared.title) : `$ ${command}`;
  const intent = {
    ...intentOf({ name, toolKind, input }, prepared),
    ...restrained(options.restraint, hooks.rules),
  };
  const verdict = await turn.approve({
    tool: id,
    title,
    editable: true,
    ...intent,
    ...(prepared.remember ? { remember: prepared.remember } : {}),
  });
  // Who works for another agent goes on after a refusal, to report it.
  if (!verdict.allowed && hooks.ended) turn.report(stopNotice(hooks.ended));
  if (!verdict.allowed)
    return {
      status: 'denied',
      text: deniedText(verdict.reason),
      ...(verdict.stop && !options.restraint?.tasked ? { stop: true } : {}),
    };
  // Its client has said in the log what came of it.
  if (tool.client !== undefined && turn.workspace.clientResult)
    return resultOf(await turn.workspace.clientResult(id));
  const agreed =
    verdict.input === undefined
      ? prepared
      : await edited(verdict.input, { tool, turn, context, options, hooks });
  if ('refused' in agreed) return end(failed(agreed.refused));
  const surroundings = verdict.safeGit ? { env: safeGitEnvironment } : {};
  const result = await guarded(
    () => agreed.run(live(id, turn), surroundings),
    (problem) => options.report(problem, `the tool ${name}`),
  );
  const { shown, stop, tell } = await hooks.after(result);
  const ended = await end(shown);
  tell?.();
  return { ...ended, ...(stop ? { stop } : {}) };
}

/** What policy would say of a call, before anybody has had a word in it. */
async function judged(
  { id, name }: Call,
  { tool, input, turn, options }: Omit<Attempt, 'hooks'>,
): Promise<'allow' | 'ask' | 'deny'> {
  const prepared = await prepare(name, { tool, input, context: contextOf(id, turn, options), options });
  if (!tool || input === undefined || 'refused' in prepared) return 'deny';
  const intent = intentOf({ name, toolKind: prepared.kind ?? tool.kind, input }, prepared);
  return (await turn.judge({ ...intent, ...restrained(options.restraint, []) })).effect;
}

function contextOf(id: string, turn: TurnContext, options: CallOptions): ToolContext {
  return {
    tool: id,
    named: (tool) => requestName(tool, options.conventions),
    roots: turn.session.roots,
    ...meansOf(turn, id, options),
    signal: turn.signal,
    sleep: options.sleep,
    timeout: options.commandTimeout ?? usualTimeout,
    shell: options.shell,
    readLines: options.readLines,
    editorTimeout: options.editorTimeout,
    jobs: turn.workspace.jobs,
    editors: turn.workspace.editors,
    web: options.web,
    show: (content) => turn.report({ kind: 'tool.output', tool: id, output: { replace: content } }),
    chat: () => turn.subagents.chatFor(id),
    delegate: (task) => turn.subagents.delegate(task),
    plan: {
      entries: () => turn.state().chats[turn.session.chat]?.plan ?? [],
      set: (entries) => turn.report({ kind: 'plan.set', entries }),
    },
    ask: (message, questions) => turn.ask({ kind: 'question', tool: id, message, questions }, turn.signal),
    visit: (message, url) => turn.ask({ kind: 'signin', message, url }, turn.signal),
    ...(options.spent ? { spent: options.spent } : {}),
  };
}

/** Whoever changed the arguments has allowed the new call; what a rule forbids stays forbidden. */
async function edited(
  input: Json,
  {
    tool,
    turn,
    context,
    options,
    hooks,
  }: Pick<Attempt, 'turn' | 'options' | 'hooks'> & { tool: Tool; context: ToolContext },
): Promise<Prepared | Refused> {
  const prepared = await prepare(tool.name, { tool, input, context, options });
  if ('refused' in prepared) return prepared;
  const { effect, rule } = await turn.judge({
    ...intentOf({ name: tool.name, toolKind: prepared.kind ?? tool.kind, input }, prepared),
    ...restrained(options.restraint, hooks.rules),
  });
  return effect === 'deny'
    ? {
        refused: `The user changed the arguments to something that is refused by the rule "${rule}". Nothing has changed.`,
      }
    : prepared;
}

function intentOf(
  call: Pick<ToolIntent, 'name' | 'toolKind' | 'input'>,
  { command, written, paths, url, definition }: Prepared,
): ToolIntent {
  return {
    ...call,
    paths,
    ...(command === undefined ? {} : { command }),
    ...(written ? { written } : {}),
    ...(url === undefined ? {} : { url }),
    ...(definition === undefined ? {} : { definition }),
  };
}

const usualTimeout = 60_000;
const usualShown: ShownLimits = { lines: 2_000, characters: 50_000 };

/** Of a long output a model sees both ends, and is told where the rest can be read. */
async function shortened(
  result: ToolResult,
  {
    tool,
    turn,
    limits,
    named,
  }: { tool: string; turn: TurnContext; limits: ShownLimits; named: ToolContext['named'] },
): Promise<ToolResult> {
  if (result.status === 'denied') return result;
  const content = await Promise.all(
    result.content.map(async (each, at): Promise<Content> => {
      if (each.type !== 'text' || ends(each.text, limits) === undefined) return each;
      const path = await turn.log.saveOutput(`${tool}/${at}`, each.text);
      return {
        ...each,
        text:
          ends(
            each.text,
            limits,
            path === undefined
              ? ''
              : ` All of it is in ${path}; read parts of it with ${named('read_file')} or ${named('grep')}.`,
          ) ?? each.text,
      };
    }),
  );
  return { ...result, content };
}

function restrained(
  restraint: Restraint | undefined,
  more: readonly Rule[],
): Pick<ToolRequest, 'rules' | 'readOnly'> {
  return { rules: [...(restraint?.rules ?? []), ...more], readOnly: restraint?.readOnly ?? false };
}

async function prepare(
  name: string,
  { tool, input, context, options }: Omit<Attempt, 'turn' | 'hooks'> & { context: ToolContext },
): Promise<Prepared | Refused> {
  if (!tool)
    return {
      refused: `There is no tool named ${name}. The tools are: ${[...options.tools.values()].map((each) => ((each.server ?? each.client) === undefined ? context.named(each.name) : each.name)).join(', ')}.`,
    };
  if (input === undefined) return { refused: 'INVALID_ARGS: the arguments are not valid JSON.' };
  if (tool.server === undefined && options.conventions.onDemand[name] !== undefined)
    return { refused: 'Nobody has asked for this. Nothing has changed; go on with the task.' };
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

async function guarded(
  run: () => Promise<ToolResult>,
  report: (problem: unknown) => void,
): Promise<ToolResult> {
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
