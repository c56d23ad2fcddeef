// An agent with the user's hooks around its turns and its calls, for agents that know nothing of hooks. What it runs without asking cannot be kept from it: that is said, once.
import type { AgentReport } from '../../model/command.ts';
import type { Rule, ToolId } from '../../model/event.ts';
import { findTool } from '../../model/state.ts';
import type { Agent, Conversation, ToolRequest, TurnContext, Verdict, Where } from '../agent.ts';
import { hookedTurn } from './hookedTurn.ts';
import type { Added } from './hookedTurn.ts';
import type { Facts, HookAnswers } from './hooks.ts';
import type { Knowledge } from '../settings/projectKnowledge.ts';
import type { Clock, Ids, Processes } from '../ports.ts';
import { stopNotice, turnHooks } from './turnHooks.ts';
import type { TurnHooks } from './turnHooks.ts';

export interface HookedAgentOptions {
  readonly knowledge: Knowledge;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly facts?: Facts;
}

export function hookedAgent(agent: Agent, options: HookedAgentOptions): Agent {
  return instead(agent, {
    open: async (where) =>
      hookedConversation(await agent.open(where), where, { ...options, agent: agent.info.id }),
  });
}

/** Everything else is the thing's own, also what it can do only now and then. */
function instead<Thing extends object>(thing: Thing, changed: Partial<Thing>): Thing {
  return new Proxy(thing, {
    get(target, name) {
      const own: unknown = Object.hasOwn(changed, name)
        ? Reflect.get(changed, name)
        : Reflect.get(target, name, target);
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}

type Options = HookedAgentOptions & { readonly agent: string };

function hookedConversation(conversation: Conversation, { aside }: Where, options: Options): Conversation {
  let first = true;
  let warned = false;
  const unasked = (call: string) => {
    if (warned) return undefined;
    warned = true;
    return `${options.agent} ran ${call} without asking, so no hook could look at it before. Hooks before calls hold for what an agent asks about; what it runs by itself they hear of afterwards.`;
  };
  const prompt: Conversation['prompt'] = async (turn) => {
    const { hooks: known } = await options.knowledge.of(turn.session.roots);
    if (known.length === 0) {
      await turn.log.prepared('agent');
      return conversation.prompt(turn);
    }
    const opening = first;
    first = false;
    const hooks = turnHooks(turn, {
      ...options,
      hooks: known,
      record: (fact) => aside.record(fact),
      model: turn.session.model ?? '',
    });
    const tasked = turn.state().chats[turn.session.chat]?.origin.type === 'tool';
    return hookedTurn(
      turn,
      { hooks, aside, clock: options.clock, first: opening, tasked, again: prompt },
      (added) => conversation.prompt(hookedContext(turn, { added, hooks, server: options.agent, unasked })),
    );
  };
  return instead(conversation, { prompt });
}

interface Around {
  readonly added: Added;
  readonly hooks: TurnHooks;
  readonly server: string;
  /** What to say of a call that nobody was asked about; nothing where it was said before. */
  readonly unasked: (call: string) => string | undefined;
}

function hookedContext(turn: TurnContext, { added, hooks, server, unasked }: Around): TurnContext {
  const told = added.context.map((text) => ({ type: 'text', label: 'Added by a hook', text }) as const);
  const message = {
    ...turn.message,
    ...(added.words === undefined ? {} : { text: added.words }),
    ...(told.length > 0 ? { attachments: [...(turn.message.attachments ?? []), ...told] } : {}),
  };
  const factsOf = (tool: ToolId, { name, input }: Pick<ToolRequest, 'name' | 'input'>): Facts => ({
    tool_name: name,
    server,
    tool_call_id: tool,
    tool_input: input,
  });
  const asked = new Set<ToolId>();
  return {
    ...turn,
    message,
    async approve(request, withdrawn): Promise<Verdict> {
      asked.add(request.tool);
      if (!hooks.has('preToolCall')) return turn.approve(request, withdrawn);
      const approval = (await turn.judge(request)).effect;
      const answers = await hooks.run(
        'preToolCall',
        { ...factsOf(request.tool, request), approval },
        request.tool,
      );
      const changed = answers.approval?.effect === 'deny' ? undefined : otherArguments(answers);
      const wish = answers.stop
        ? { effect: 'deny' as const, ...answers.stop }
        : (changed ?? answers.approval);
      const rules: readonly Rule[] =
        !wish || wish.effect === 'allow'
          ? []
          : [
              {
                id: `hook ${wish.hook}`,
                effect: wish.effect,
                tool: '*',
                hook: wish.hook,
                source: `hook '${wish.hook}'${wish.reason === '' ? '' : `: ${wish.reason}`}`,
              },
            ];
      const verdict = await turn.approve(
        { ...request, rules: [...(request.rules ?? []), ...rules] },
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
    },
    report(report: AgentReport) {
      turn.report(report);
      const call =
        report.kind === 'tool.ended'
          ? findTool(turn.state().chats[turn.session.chat]?.active, report.tool)
          : undefined;
      if (report.kind !== 'tool.ended' || !call || report.result.status === 'denied') return;
      const facts = factsOf(report.tool, { name: call.name, input: call.input ?? {} });
      const warning =
        !asked.has(report.tool) && hooks.has('preToolCall', facts) ? unasked(call.title) : undefined;
      if (warning !== undefined) turn.report({ kind: 'notice.added', level: 'warning', text: warning });
      if (hooks.has('postToolCall')) tellEnded(report, { hooks, facts });
    },
  };
}

/** Agents of others take no arguments but their own, and their own are not what the user wants to run. */
function otherArguments({ input }: HookAnswers): NonNullable<HookAnswers['approval']> | undefined {
  return (
    input && {
      effect: 'deny',
      hook: 'preToolCall',
      reason: `a hook wants other arguments, which this agent cannot be given: ${JSON.stringify(input)}`,
    }
  );
}

/** Nobody waits for what is said about a call that is over. */
function tellEnded(
  { tool, result }: Extract<AgentReport, { kind: 'tool.ended' }>,
  { hooks, facts }: Pick<Around, 'hooks'> & { readonly facts: Facts },
): void {
  if (!('content' in result)) return;
  const text = result.content
    .flatMap((content) => (content.type === 'text' ? [content.text] : []))
    .join('\n');
  void hooks
    .run('postToolCall', { ...facts, tool_response: text, error: result.status === 'failed' }, tool)
    .then(({ tell }) => tell?.());
}
