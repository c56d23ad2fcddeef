// Adds the user's hooks to an agent that does not support hooks. Calls that the agent runs without asking cannot be blocked; the user is told so once.
import { present } from '../../base/present.ts';
import type { AgentReport } from '../../model/command.ts';
import type { Rule, ToolId, UserMessage } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Agent, Conversation, TurnContext, Verdict, Where } from '../agent.ts';
import type { ToolRequest } from '../policy/toolRequest.ts';
import { hookedTurn } from './hookedTurn.ts';
import type { HookedInput } from './hookedTurn.ts';
import type { HookAnswers, HookApproval, HookFacts } from './hooks.ts';
import type { Knowledge } from '../settings/projectKnowledge.ts';
import type { Clock, Ids, Processes } from '../ports.ts';
import { stopNotice, turnHooks } from './turnHooks.ts';
import type { TurnHooks } from './turnHooks.ts';

export interface HookedAgentOptions {
  readonly knowledge: Knowledge;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly facts?: HookFacts;
}

export function hookedAgent(agent: Agent, options: HookedAgentOptions): Agent {
  return withMembers(agent, {
    open: async (where) =>
      hookedConversation(await agent.open(where), where, { ...options, agent: agent.info.id }),
  });
}

/** The object with some members replaced. All others are read when they are used, because some appear only later. */
function withMembers<T extends object>(object: T, members: Partial<T>): T {
  return new Proxy(object, {
    get(target, name) {
      const member: unknown = Object.hasOwn(members, name)
        ? Reflect.get(members, name)
        : Reflect.get(target, name, target);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

type ConversationOptions = HookedAgentOptions & { readonly agent: string };

function hookedConversation(
  conversation: Conversation,
  { aside }: Where,
  options: ConversationOptions,
): Conversation {
  let isFirst = true;
  let isWarned = false;
  const warnUnasked = (call: string) => {
    if (isWarned) return undefined;
    isWarned = true;
    return `${options.agent} ran ${call} without asking, so no hook could check it first. preToolCall hooks apply only to calls that an agent asks about; hooks hear of other calls afterwards.`;
  };
  const prompt: Conversation['prompt'] = async (turn) => {
    const { hooks: configured } = await options.knowledge.of(turn.roots);
    if (configured.length === 0) {
      await turn.prepared?.('agent');
      return conversation.prompt(turn);
    }
    const hooks = turnHooks(turn, {
      ...options,
      hooks: configured,
      record: (fact) => aside.record(fact),
      model: turn.model ?? '',
    });
    const isSubagent = turn.state().chats[turn.chat]?.origin.type === 'tool';
    const hooked = { hooks, aside, clock: options.clock, isFirst, isSubagent, runFollowUp: prompt };
    isFirst = false;
    return hookedTurn(turn, hooked, (input) =>
      conversation.prompt(hookedContext(turn, { input, hooks, server: options.agent, warnUnasked })),
    );
  };
  return withMembers(conversation, { prompt });
}

interface HookedContextOptions {
  readonly input: HookedInput;
  readonly hooks: TurnHooks;
  readonly server: string;
  /** The warning about a call that the agent did not ask about; undefined if the user was warned before. */
  readonly warnUnasked: (call: string) => string | undefined;
}

function hookedContext(turn: TurnContext, options: HookedContextOptions): TurnContext {
  const asked = new Set<ToolId>();
  return {
    ...turn,
    message: hookedMessage(turn.message, options.input),
    approve(request, withdrawn) {
      asked.add(request.tool);
      return options.hooks.has('preToolCall')
        ? approveWithHooks(turn, { request, withdrawn }, options)
        : turn.approve(request, withdrawn);
    },
    report(report) {
      turn.report(report);
      if (report.kind === 'tool.ended') toolEnded(turn, report, { ...options, asked });
    },
  };
}

function hookedMessage(message: UserMessage, { prompt, context }: HookedInput): UserMessage {
  const added = context.map((text) => ({ type: 'text', label: 'Added by a hook', text }) as const);
  return {
    ...message,
    ...present({ text: prompt }),
    ...(added.length > 0 ? { attachments: [...(message.attachments ?? []), ...added] } : {}),
  };
}

async function approveWithHooks(
  turn: TurnContext,
  { request, withdrawn }: { readonly request: ToolRequest; readonly withdrawn: AbortSignal | undefined },
  { hooks, server }: HookedContextOptions,
): Promise<Verdict> {
  const approval = (await turn.judge(request)).effect;
  const answers = await hooks.run('preToolCall', { ...callFacts(request, server), approval }, request.tool);
  const changed = answers.approval?.effect === 'deny' ? undefined : changedArguments(answers);
  const verdict = await turn.approve(
    { ...request, rules: [...(request.rules ?? []), ...rulesOf(answers, changed)] },
    withdrawn,
  );
  if (changed)
    turn.report({
      kind: 'notice.added',
      level: 'warning',
      text: `${request.title} was refused: ${changed.reason}`,
    });
  if (!answers.stop || verdict.allowed) return verdict;
  turn.report(stopNotice(answers.stop));
  return { ...verdict, stop: true };
}

/** The strictest answer of the hooks as a rule. Hooks can restrict a call, never allow one. */
function rulesOf({ stop, approval }: HookAnswers, changed: HookApproval | undefined): readonly Rule[] {
  const wanted = stop ? { effect: 'deny' as const, ...stop } : (changed ?? approval);
  if (!wanted || wanted.effect === 'allow') return [];
  const { effect, hook, reason } = wanted;
  const source = `hook '${hook}'${reason === '' ? '' : `: ${reason}`}`;
  return [{ id: `hook ${hook}`, effect, tool: '*', hook, source }];
}

/** External agents run their own arguments only, so a hook that wants others denies the call. */
function changedArguments({ input }: HookAnswers): HookApproval | undefined {
  return (
    input && {
      effect: 'deny',
      hook: 'preToolCall',
      reason: `a hook changed the arguments, which this agent does not support: ${JSON.stringify(input)}`,
    }
  );
}

type ToolEnded = Extract<AgentReport, { kind: 'tool.ended' }>;

function toolEnded(
  turn: TurnContext,
  report: ToolEnded,
  { hooks, server, warnUnasked, asked }: HookedContextOptions & { readonly asked: ReadonlySet<ToolId> },
): void {
  const call = findTool(turn.state().chats[turn.chat]?.active, report.tool);
  if (!call || report.result.status === 'denied') return;
  const facts = callFacts({ tool: report.tool, name: call.name, input: call.input ?? {} }, server);
  const isUnchecked = !asked.has(report.tool) && hooks.has('preToolCall', facts);
  const warning = isUnchecked ? warnUnasked(call.title) : undefined;
  if (warning !== undefined) turn.report({ kind: 'notice.added', level: 'warning', text: warning });
  if (hooks.has('postToolCall')) runAfterCall(report, hooks, facts);
}

function callFacts(
  { tool, name, input }: Pick<ToolRequest, 'tool' | 'name' | 'input'>,
  server: string,
): HookFacts {
  return { tool_name: name, server, tool_call_id: tool, tool_input: input };
}

/** The turn does not wait for these hooks: the call has ended. */
function runAfterCall({ tool, result }: ToolEnded, hooks: TurnHooks, facts: HookFacts): void {
  if (!('content' in result)) return;
  const text = result.content
    .flatMap((content) => (content.type === 'text' ? [content.text] : []))
    .join('\n');
  void hooks
    .run('postToolCall', { ...facts, tool_response: text, error: result.status === 'failed' }, tool)
    .then(({ report }) => report?.());
}
