// An agent with the user's hooks around its turns and its calls, for agents that know nothing of hooks. What it runs without asking is told, and cannot be kept from it.
import type { AgentReport } from '../model/command.ts';
import type { Rule, ToolId } from '../model/event.ts';
import { findTool } from '../model/state.ts';
import type { Agent, Conversation, ToolRequest, TurnContext, Verdict, Where } from './agent.ts';
import { hookedTurn } from './hookedTurn.ts';
import type { Added } from './hookedTurn.ts';
import type { Facts } from './hooks.ts';
import type { Knowledge } from './knowledge.ts';
import type { Clock, Ids, Processes } from './ports.ts';
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
  return {
    get info() {
      return agent.info;
    },
    ...(agent.at ? { at: (roots) => agent.at?.(roots) ?? agent.info } : {}),
    ...(agent.explore ? { explore: (roots) => agent.explore?.(roots) } : {}),
    ...(agent.watch ? { watch: (changed) => agent.watch?.(changed) ?? (() => {}) } : {}),
    open: async (where) => hookedConversation(await agent.open(where), where, { ...options, agent: agent.info.id }),
  };
}

type Options = HookedAgentOptions & { readonly agent: string };

/** Everything but `prompt` is the conversation's own, also what it can do only now and then. */
function hookedConversation(conversation: Conversation, { aside }: Where, options: Options): Conversation {
  let first = true;
  const prompt: Conversation['prompt'] = async (turn) => {
    const { hooks: known } = await options.knowledge.of(turn.roots);
    if (known.length === 0) {
      await turn.prepared?.('agent');
      return conversation.prompt(turn);
    }
    const opening = first;
    first = false;
    const hooks = turnHooks(turn, { ...options, hooks: known, note: (key, value) => aside.note(key, value), model: turn.model ?? '' });
    const tasked = turn.state().chats[turn.chat]?.origin.type === 'tool';
    return hookedTurn(turn, { hooks, aside, clock: options.clock, first: opening, tasked, again: prompt }, (added) => conversation.prompt(hookedContext(turn, { added, hooks, server: options.agent })));
  };
  return new Proxy(conversation, {
    get(target, name) {
      const own: unknown = name === 'prompt' ? prompt : Reflect.get(target, name, target);
      return typeof own === 'function' ? (own.bind(target) as unknown) : own;
    },
  });
}

interface Around {
  readonly added: Added;
  readonly hooks: TurnHooks;
  readonly server: string;
}

function hookedContext(turn: TurnContext, { added, hooks, server }: Around): TurnContext {
  const told = added.context.map((text) => ({ type: 'text', label: 'Added by a hook', text }) as const);
  const message = { ...turn.message, ...(added.words === undefined ? {} : { text: added.words }), ...(told.length > 0 ? { attachments: [...(turn.message.attachments ?? []), ...told] } : {}) };
  const factsOf = (tool: ToolId, { name, input }: Pick<ToolRequest, 'name' | 'input'>): Facts => ({ tool_name: name, server, tool_call_id: tool, tool_input: input });
  return {
    ...turn, message,
    async approve(request, withdrawn): Promise<Verdict> {
      if (!hooks.has('preToolCall')) return turn.approve(request, withdrawn);
      const approval = (await turn.judge(request)).effect;
      const answers = await hooks.run('preToolCall', { ...factsOf(request.tool, request), approval }, request.tool);
      const wish = answers.stop ? { effect: 'deny' as const, ...answers.stop } : answers.approval;
      const rules: readonly Rule[] = !wish || wish.effect === 'allow' ? [] : [{ id: `hook ${wish.hook}`, effect: wish.effect, tool: request.name, source: `hook '${wish.hook}'${wish.reason === '' ? '' : `: ${wish.reason}`}` }];
      const verdict = await turn.approve({ ...request, rules: [...(request.rules ?? []), ...rules] }, withdrawn);
      if (!answers.stop || verdict.allowed) return verdict;
      turn.report(stopNotice(answers.stop));
      return { ...verdict, stop: true };
    },
    report(report: AgentReport) {
      turn.report(report);
      if (report.kind === 'tool.ended' && hooks.has('postToolCall')) tellEnded(turn, report, { hooks, factsOf });
    },
  };
}

/** Nobody waits for what is said about a call that is over. */
function tellEnded(turn: TurnContext, { tool, result }: Extract<AgentReport, { kind: 'tool.ended' }>, { hooks, factsOf }: Pick<Around, 'hooks'> & { readonly factsOf: (tool: ToolId, call: Pick<ToolRequest, 'name' | 'input'>) => Facts }): void {
  const call = findTool(turn.state().chats[turn.chat]?.active, tool);
  if (!call || result.status === 'denied' || !('content' in result)) return;
  const text = result.content.flatMap((content) => (content.type === 'text' ? [content.text] : [])).join('\n');
  void hooks.run('postToolCall', { ...factsOf(tool, { name: call.name, input: call.input ?? {} }), tool_response: text, error: result.status === 'failed' }, tool).then(({ tell }) => tell?.());
}
