// All an agent has towards the host during one turn: it reports, asks and reads. Policy is applied here, before any human is asked.
import type { AgentReport } from '../model/command.ts';
import type { Answer, Ask, AskOption, Origin, Rule, TurnId } from '../model/event.ts';
import type { Chat, Turn } from '../model/state.ts';
import type { ToolRequest, TurnContext, Verdict } from './agent.ts';
import { giveTitle } from './aside.ts';
import { judge } from './policy.ts';
import type { World } from './ports.ts';
import type { Session } from './session.ts';

export interface TurnContextOptions {
  readonly session: Session;
  readonly world: World;
  readonly chat: Chat;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly origin: Origin;
  readonly rules: () => readonly Rule[];
  /** Resolves with the durable answer to an open question. */
  readonly waitFor: (ask: string) => Promise<Answer>;
  /** Whether the session was let go; a late word must not reach a log that somebody else writes by now. */
  readonly closed: () => boolean;
}

export const approvalOptions: readonly AskOption[] = [
  { id: 'allow', label: 'Allow once', effect: 'allow' },
  { id: 'allow-session', label: 'Allow for this session', effect: 'allow-session' },
  { id: 'allow-always', label: 'Always allow', effect: 'allow-always' },
  { id: 'deny', label: 'Deny', effect: 'deny' },
];

export function turnContext(options: TurnContextOptions): TurnContext {
  const { session, world, chat, turn, signal, origin } = options;
  const place = { chat: chat.id, turn: turn.id } as const;
  return {
    session: session.id, ...place, message: turn.message, history: chat.turns, signal,
    roots: session.state.roots, model: turn.message.model ?? session.state.model, mode: session.state.mode,
    state: () => session.head,
    report: (report) => submit(options, place.turn, report),
    approve: (request, withdrawn) => approve(options, request, withdrawn),
    ask: (question, withdrawn) => openAsk(options, { ...question, id: world.ids.next() }, withdrawn),
    steering: () => {
      const waiting = session.head.chats[chat.id]?.steering ?? [];
      if (waiting.length > 0) session.dispatch({ kind: 'takeSteering', ...place }, origin);
      return signal.aborted ? [] : waiting;
    },
    title: (text) => giveTitle({ session, chat: chat.id, origin, closed: options.closed }, text),
  };
}

async function openAsk(options: TurnContextOptions, question: Ask, withdrawn: AbortSignal | undefined): Promise<Answer> {
  const { session, chat, turn, origin } = options;
  const answered = options.waitFor(question.id);
  const refused = session.dispatch({ kind: 'openAsk', chat: chat.id, turn: turn.id, ask: question }, origin);
  if (refused) return { kind: 'withdrawn', why: refused.message };
  // Whoever answered first has won, also against the agent.
  const takeBack = () => void session.dispatch({ kind: 'answer', chat: chat.id, ask: question.id, answer: { kind: 'withdrawn', why: 'The agent took its question back.' } }, origin);
  if (withdrawn?.aborted) takeBack();
  withdrawn?.addEventListener('abort', takeBack, { once: true });
  return answered.finally(() => withdrawn?.removeEventListener('abort', takeBack));
}

function submit({ session, world, chat, origin }: TurnContextOptions, turn: TurnId, report: AgentReport): void {
  const refused = session.dispatch({ kind: 'report', chat: chat.id, turn, report }, origin);
  if (refused && refused.rejected !== 'no-turn') world.report(refused, `a report of session ${session.id}`);
}

async function approve(options: TurnContextOptions, request: ToolRequest, withdrawn: AbortSignal | undefined): Promise<Verdict> {
  const { session, world, chat, turn, signal } = options;
  const place = { chat: chat.id, turn: turn.id } as const;
  const { effect, rule } = judge(request, { roots: session.head.roots.map((root) => world.canonical(root)), rules: [...session.head.rules, ...options.rules()] });
  if (effect === 'ask') {
    const id = world.ids.next();
    const offered = request.options ?? approvalOptions;
    const question: Ask = { kind: 'approval', id, tool: request.tool, title: request.title, options: offered, editable: request.editable ?? false };
    return verdict(await openAsk(options, question, withdrawn), offered);
  }
  const refused =
    effect === 'allow'
      ? session.dispatch({ kind: 'allowTool', ...place, tool: request.tool, rule }, { kind: 'host' })
      : session.dispatch({ kind: 'denyTool', ...place, tool: request.tool, reason: `Refused by the rule "${rule}".`, rule }, { kind: 'host' });
  if (refused) return { allowed: false, reason: refused.message };
  await session.settled();
  if (signal.aborted) return { allowed: false, reason: 'The turn was stopped.' };
  return effect === 'allow' ? { allowed: true } : { allowed: false, reason: `Refused by the rule "${rule}".` };
}

function verdict(answer: Answer, options: readonly AskOption[]): Verdict {
  if (answer.kind !== 'option') return { allowed: false, reason: answer.kind === 'withdrawn' ? answer.why : ('reason' in answer && answer.reason) || 'The user refused.' };
  const option = options.find(({ id }) => id === answer.option);
  if (!option?.effect.startsWith('allow')) return { allowed: false, option: answer.option, reason: answer.reason ?? 'The user refused.' };
  return { allowed: true, option: option.id, ...(answer.input === undefined ? {} : { input: answer.input }) };
}
