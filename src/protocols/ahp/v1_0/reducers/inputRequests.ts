// Questions to the person, which live as parts of the turn in progress until they are answered.
import { put, replaceAt } from '../../immutable.ts';
import type { Handlers } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type { ActionOf } from '../actions.ts';
import type { ChatActions } from '../chatActions.ts';
import type { ChatInputAnswers } from '../message.ts';
import type { ActiveTurn, ChatState, InputRequestPart } from '../state.ts';
import { withCurrentStatus, withParts, withUnreadStatus } from './activeTurn.ts';

type InputActions = Pick<ChatActions, Extract<keyof ChatActions, `chat/input${string}`>>;

export const inputRequestHandlers: Handlers<ChatState, ActionsOf<InputActions>> = {
  'chat/inputRequested': ask,
  'chat/inputAnswerChanged': changeAnswer,
  'chat/inputCompleted': complete,
};

/** Asking again keeps the answers given so far, unless the request brings its own. */
function ask(state: ChatState, { request }: ActionOf<'chat/inputRequested'>): ChatState {
  const turn = state.activeTurn;
  if (turn === undefined) return state;
  const open = findOpen(turn, request.id);
  if (open === undefined) {
    return withUnreadStatus(
      withParts(state, turn, [...turn.responseParts, { kind: 'inputRequest', request }]),
    );
  }
  const answers = request.answers ?? open.part.request.answers;
  const part: InputRequestPart = { kind: 'inputRequest', request: put(request, 'answers', answers) };
  return withUnreadStatus(withParts(state, turn, replaceAt(turn.responseParts, open.index, part)));
}

function changeAnswer(state: ChatState, action: ActionOf<'chat/inputAnswerChanged'>): ChatState {
  const { questionId, answer } = action;
  return changeOpen(state, action.requestId, (part) => {
    const { [questionId]: _replaced, ...others } = part.request.answers ?? {};
    return withAnswers(part, answer === undefined ? others : { ...others, [questionId]: answer });
  });
}

function complete(state: ChatState, action: ActionOf<'chat/inputCompleted'>): ChatState {
  const changed = changeOpen(state, action.requestId, (part) => ({
    ...withAnswers(part, { ...part.request.answers, ...action.answers }),
    response: action.response,
  }));
  return changed === state ? state : withCurrentStatus(changed);
}

function changeOpen(
  state: ChatState,
  requestId: string,
  change: (part: InputRequestPart) => InputRequestPart,
): ChatState {
  const turn = state.activeTurn;
  const open = turn === undefined ? undefined : findOpen(turn, requestId);
  if (turn === undefined || open === undefined) return state;
  return withParts(state, turn, replaceAt(turn.responseParts, open.index, change(open.part)));
}

function findOpen(
  turn: ActiveTurn,
  requestId: string,
): { index: number; part: InputRequestPart } | undefined {
  for (const [index, part] of turn.responseParts.entries()) {
    if (part.kind === 'inputRequest' && part.response === undefined && part.request.id === requestId) {
      return { index, part };
    }
  }
  return undefined;
}

function withAnswers(part: InputRequestPart, answers: ChatInputAnswers): InputRequestPart {
  const given = Object.keys(answers).length > 0 ? answers : undefined;
  return { ...part, request: put(part.request, 'answers', given) };
}
