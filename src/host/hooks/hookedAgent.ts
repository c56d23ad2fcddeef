// An agent with the user's hooks around its turns and its calls, for agents that know nothing of hooks. A
// hook cannot stop a call that the agent runs without asking; a notice says so once.
import { present } from '../../base/present.ts';
import type { AgentReport } from '../../model/command.ts';
import type { Outcome, Rule, ToolId, TurnId, UserMessage } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Agent, SessionReporter, ChosenSettings, Conversation, TurnContext, Verdict } from '../agent.ts';
import type { ToolIntent, ToolRequest } from '../policy/toolRequest.ts';
import { runHooksAfter, runHooksBefore } from './hookedTurn.ts';
import type { HookedInput } from './hookedTurn.ts';
import type { HookFacts, HookAnswers } from './hooks.ts';
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
  return {
    get info() {
      return agent.info;
    },
    at: (roots) => agent.at?.(roots) ?? agent.info,
    ...present({
      continuesAsks: agent.continuesAsks,
      continuesSubagents: agent.continuesSubagents,
      stopsWithin: agent.stopsWithin,
    }),
    explore: (roots) => agent.explore?.(roots),
    watch: (changed) => agent.watch?.(changed) ?? (() => {}),
    open: async (where) =>
      new HookedConversation(await agent.open(where), where.aside, { ...options, agent: agent.info.id }),
  };
}

type ConversationOptions = HookedAgentOptions & { readonly agent: string };

class HookedConversation implements Conversation {
  readonly #inner: Conversation;
  readonly #aside: SessionReporter;
  readonly #options: ConversationOptions;
  #isFirst = true;
  #hasWarned = false;

  constructor(inner: Conversation, aside: SessionReporter, options: ConversationOptions) {
    this.#inner = inner;
    this.#aside = aside;
    this.#options = options;
  }

  get ref(): string | undefined {
    return this.#inner.ref;
  }

  get tellsHandover(): true | undefined {
    return this.#inner.tellsHandover;
  }

  get countsSteps(): true | undefined {
    return this.#inner.countsSteps;
  }

  /** An agent may accept steering only at times. */
  get steer(): ((message: UserMessage) => void) | undefined {
    const inner = this.#inner;
    return inner.steer && ((message) => inner.steer?.(message));
  }

  async prompt(turn: TurnContext): Promise<Outcome> {
    const inEffect = () => this.#options.knowledge.hooks(turn.session.roots);
    const configured = inEffect();
    if (configured.length === 0) {
      await turn.log.prepared('agent');
      return this.#inner.prompt(turn);
    }
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    const { agent, clock } = this.#options;
    const hooks = turnHooks(turn, {
      ...this.#options,
      hooks: configured,
      inEffect,
      record: (fact) => this.#aside.record(fact),
      model: turn.session.model ?? '',
    });
    const isSubagent = turn.state().chats[turn.session.chat]?.origin.type === 'tool';
    const runFollowUp = (next: TurnContext) => this.prompt(next);
    const around = { hooks, aside: this.#aside, clock, isFirst, isSubagent, runFollowUp };
    const added = await runHooksBefore(turn, around);
    if (!added) return { kind: 'completed' };
    const outcome = await this.#inner.prompt(
      hookedContext(turn, { added, hooks, agent, unasked: (call) => this.#unasked(call) }),
    );
    await runHooksAfter(turn, around, outcome);
    return outcome;
  }

  async truncate(after: TurnId | undefined): Promise<void> {
    await this.#inner.truncate?.(after);
  }

  configure(chosen: ChosenSettings): void {
    this.#inner.configure?.(chosen);
  }

  async forget(): Promise<void> {
    await this.#inner.forget?.();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** The warning about a call that ran without asking; undefined if it was given before. */
  #unasked(call: string): string | undefined {
    if (this.#hasWarned) return undefined;
    this.#hasWarned = true;
    return (
      `${this.#options.agent} ran ${call} without asking, so no hook could check it first. Hooks before ` +
      'calls apply to calls that an agent asks about; for all other calls only the hooks after calls run.'
    );
  }
}

interface CallHooks {
  readonly hooks: TurnHooks;
  readonly agent: string;
  readonly unasked: (call: string) => string | undefined;
}

/** The turn as the agent sees it: the message with the additions of the hooks, and hooks around each call. */
function hookedContext(
  turn: TurnContext,
  { added, ...around }: CallHooks & { readonly added: HookedInput },
): TurnContext {
  const asked = new Set<ToolId>();
  return {
    ...turn,
    message: withAdditions(turn.message, added),
    approve(request, withdrawn) {
      asked.add(request.tool);
      return around.hooks.has('preToolCall')
        ? approveWithHooks(turn, request, { ...around, withdrawn })
        : turn.approve(request, withdrawn);
    },
    report(report) {
      turn.report(report);
      if (report.kind === 'tool.ended') afterCall(turn, report, { ...around, asked });
    },
  };
}

function withAdditions(
  message: UserMessage,
  { prompt: text = message.text, context }: HookedInput,
): UserMessage {
  const attachments = context.map(
    (each) => ({ type: 'text', label: 'Added by a hook', text: each }) as const,
  );
  return {
    ...message,
    text,
    ...(attachments.length > 0 ? { attachments: [...(message.attachments ?? []), ...attachments] } : {}),
  };
}

function factsOf(
  agent: string,
  tool: ToolId,
  { name, input }: Pick<ToolIntent, 'name' | 'input'>,
): HookFacts {
  return { tool_name: name, server: agent, tool_call_id: tool, tool_input: input };
}

async function approveWithHooks(
  turn: TurnContext,
  request: ToolRequest,
  { hooks, agent, withdrawn }: CallHooks & { readonly withdrawn: AbortSignal | undefined },
): Promise<Verdict> {
  const { intent } = request;
  const approval = (await turn.judge(intent)).effect;
  const facts = { ...factsOf(agent, request.tool, intent), approval };
  const answers = await hooks.run('preToolCall', facts, request.tool);
  const changed = answers.approval?.effect === 'deny' ? undefined : refusedArguments(answers);
  const decision = answers.stop
    ? { effect: 'deny' as const, ...answers.stop }
    : (changed ?? answers.approval);
  const rules = [...(intent.rules ?? []), ...ruleOf(decision)];
  const verdict = await turn.approve({ ...request, intent: { ...intent, rules } }, withdrawn);
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

/** The decision of a hook as a rule of the policy. */
function ruleOf(decision: HookAnswers['approval']): readonly Rule[] {
  if (!decision || decision.effect === 'allow') return [];
  const { effect, hook, reason } = decision;
  const source = `hook '${hook}'${reason === '' ? '' : `: ${reason}`}`;
  return [{ id: `hook ${hook}`, effect, tool: '*', hook, source }];
}

/** External agents accept no arguments but their own, so a call that a hook wants to change is refused. */
function refusedArguments({ input }: HookAnswers): NonNullable<HookAnswers['approval']> | undefined {
  return (
    input && {
      effect: 'deny',
      hook: 'preToolCall',
      reason: `a hook changed the arguments, which this agent does not support: ${JSON.stringify(input)}`,
    }
  );
}

type ToolEnded = Extract<AgentReport, { readonly kind: 'tool.ended' }>;

/** Runs the hooks after a call, and warns about a call that ran without asking. */
function afterCall(
  turn: TurnContext,
  report: ToolEnded,
  { hooks, agent, unasked, asked }: CallHooks & { readonly asked: ReadonlySet<ToolId> },
): void {
  const call = findTool(turn.state().chats[turn.session.chat]?.active, report.tool);
  if (!call || report.result.status === 'denied') return;
  const facts = factsOf(agent, report.tool, { name: call.name, input: call.input ?? {} });
  const isUnchecked = !asked.has(report.tool) && hooks.has('preToolCall', facts);
  const warning = isUnchecked ? unasked(call.title) : undefined;
  if (warning !== undefined) turn.report({ kind: 'notice.added', level: 'warning', text: warning });
  if (hooks.has('postToolCall')) runAfterCall(report, hooks, facts);
}

/** Nothing waits for these hooks: the call has ended. */
function runAfterCall({ tool, result }: ToolEnded, hooks: TurnHooks, facts: HookFacts): void {
  if (!('content' in result)) return;
  const text = result.content
    .flatMap((content) => (content.type === 'text' ? [content.text] : []))
    .join('\n');
  void hooks
    .run('postToolCall', { ...facts, tool_response: text, error: result.status === 'failed' }, tool)
    .then(({ report }) => report?.());
}
