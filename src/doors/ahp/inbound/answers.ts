// Answers to questions: half-filled ones are kept for everybody to see, the first complete one wins.
import { closedByUser } from '../../../host/turns/trustQuestions.ts';
import { choiceRefusal, mayAs, roleRefusal } from '../../../host/policy/roles.ts';
import type { Role } from '../../../host/policy/roles.ts';
import type { Answer } from '../../../model/event.ts';
import type { AskItem, Chat } from '../../../model/state.ts';
import type { ActionOf } from '../../../protocols/ahp/v1_0/actions.ts';
import { dispatch, currentChat, dispatchBounded } from './applyAction.ts';
import type { ActionContext } from './applyAction.ts';
import { draftAnswers } from '../outbound/chat.ts';
import { answerNote, takeNote } from '../notes.ts';
import { answerMismatch, readAnswers } from '../outbound/questions.ts';
import type { Inquiry } from '../outbound/questions.ts';
import { originName } from '../../../model/howItRan.ts';

export function changeAnswer(
  on: ActionContext,
  { requestId, questionId, answer }: ActionOf<'chat/inputAnswerChanged'>,
): string | undefined {
  const open = openInquiry(on, requestId);
  if (typeof open === 'string') return open;
  const { ask } = open;
  const question = ask.kind === 'question' ? ask.questions.find(({ id }) => id === questionId) : undefined;
  if (!question) return 'There is no such question.';
  const wrong = answer && answerMismatch(question, answer);
  return (
    wrong ??
    dispatchBounded(on, takeNote(answerNote({ chat: on.chat, ask: requestId, question: questionId }, answer)))
  );
}

export function completeInput(
  on: ActionContext,
  { requestId, response, answers }: ActionOf<'chat/inputCompleted'>,
): string | undefined {
  const open = openInquiry(on, requestId);
  if (typeof open === 'string') return open;
  const { ask, chat } = open;
  const read =
    response === 'accept'
      ? readAnswers(ask, { ...draftAnswers(on.session.head, chat, ask), ...answers })
      : undefined;
  if (typeof read === 'string') return read;
  const mayNot = read && choiceRefusal(ask, read.values, on.role ?? 'control');
  if (mayNot !== undefined) return mayNot;
  const refused: Answer =
    response === 'decline' ? { kind: 'declined' } : { kind: 'withdrawn', why: closedByUser };
  return dispatch(on, {
    kind: 'answer',
    chat: on.chat,
    ask: requestId,
    answer: read ? { kind: 'fields', values: read.values } : refused,
  });
}

/** Some questions decide more than a client may that only approves. */
function roleProblem(ask: Inquiry, role: Role = 'control'): string | undefined {
  const needed = ask.kind === 'question' ? ask.needs : undefined;
  return needed === undefined || mayAs(role, needed) ? undefined : roleRefusal(role, needed);
}

/** The question, or a sentence that says why it cannot be answered. */
function openInquiry(on: ActionContext, id: string): { readonly ask: Inquiry; readonly chat: Chat } | string {
  const chat = currentChat(on);
  const open = chat && Object.hasOwn(chat.asks, id) ? chat.asks[id]?.ask : undefined;
  if (chat && open && open.kind !== 'approval') return roleProblem(open, on.role) ?? { ask: open, chat };
  const asked =
    chat &&
    [...chat.turns, ...(chat.active ? [chat.active] : [])]
      .flatMap(({ items }) => items)
      .findLast((item): item is AskItem => item.type === 'ask' && item.id === id);
  return asked?.answered
    ? `This was already answered by ${originName(asked.answered.by)}.`
    : 'There is no such question.';
}
