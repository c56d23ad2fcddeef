// Opens a question to the user and waits for its durable answer, also for one of an earlier host.
import { onAbort } from '../../../base/waiting.ts';
import type { Answer, Ask, AskId } from '../../../model/event.ts';
import { findTurn } from '../../../model/state.ts';
import { visibleAsk } from '../../policy/visibleAsk.ts';
import type { TurnContextOptions } from '../turnContext.ts';

/** Where a question is asked, and by whom. */
type AskContext = Pick<TurnContextOptions, 'session' | 'chat' | 'turn' | 'origin' | 'waitFor' | 'recovered'>;

export async function openAsk(
  context: AskContext,
  question: Ask,
  withdrawal?: { readonly signal: AbortSignal | undefined; readonly why: string },
): Promise<Answer> {
  const { session, chat, turn, origin, waitFor, recovered } = context;
  const withdrawn = withdrawal?.signal;
  const visible = visibleAsk(question);
  const before = recovered.take(visible);
  const { id } = before ?? question;
  const answered = before ? recoveredAnswer(context, id) : waitFor(id);
  const refused = before
    ? undefined
    : session.dispatch({ kind: 'openAsk', chat: chat.id, turn: turn.id, ask: visible }, origin);
  if (refused) return { kind: 'withdrawn', why: refused.message };
  // The first answer wins, also against a withdrawal.
  const withdraw = () =>
    void session.dispatch(
      {
        kind: 'answer',
        chat: chat.id,
        ask: id,
        answer: { kind: 'withdrawn', why: withdrawal?.why ?? '' },
      },
      origin,
    );
  return answered.finally(withdrawn && onAbort(withdrawn, withdraw));
}

/** The answer to a question of an earlier host. It may have come before the agent was ready to hear it. */
export async function recoveredAnswer(
  { session, chat, turn, waitFor }: AskContext,
  id: AskId,
): Promise<Answer> {
  const now = session.head.chats[chat.id];
  if (now?.asks[id]) return waitFor(id);
  await session.settled();
  const items = (now && findTurn(now, turn.id)?.items) ?? [];
  const answers = items.flatMap((item) => {
    if (item.type === 'ask' && item.id === id) return item.answered?.answer ?? [];
    return item.type === 'tool' && item.approval?.ask === id ? item.approval.answer : [];
  });
  return answers[0] ?? { kind: 'withdrawn', why: 'The question is gone.' };
}

export function byAgent(signal: AbortSignal | undefined) {
  return { signal, why: 'The agent took its question back.' };
}
