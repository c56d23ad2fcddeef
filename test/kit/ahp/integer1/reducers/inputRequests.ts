// Questions to the person, which live on the session until they are answered or their turn ends.
import { put, removeAt, replaceAt, unlessEmpty } from '../../../../../src/protocols/ahp/immutable.ts';
import type { Handlers } from '../../../../../src/protocols/ahp/reducer.ts';
import type { ActionsOf } from '../../../../../src/protocols/ahp/actionTypes.ts';
import type { ActionOf } from '../../../../../src/protocols/ahp/integer1/actions.ts';
import type { SessionActions } from '../../../../../src/protocols/ahp/integer1/sessionActions.ts';
import type { SessionState } from '../../../../../src/protocols/ahp/integer1/state.ts';
import type { Now } from './summary.ts';
import { modified, withCurrentStatus, withUnreadStatus } from './summary.ts';

type InputActions = Pick<SessionActions, Extract<keyof SessionActions, `session/input${string}`>>;

export const inputRequestHandlers: Handlers<SessionState, ActionsOf<InputActions>, Now> = {
  'session/inputRequested': ask,
  'session/inputAnswerChanged': changeAnswer,
  'session/inputCompleted': complete,
};

/** Asking again keeps the answers given so far, unless the request brings its own. */
function ask(
  state: SessionState,
  { request }: ActionOf<'session/inputRequested'>,
  now: number,
): SessionState {
  const requests = state.inputRequests ?? [];
  const index = requests.findIndex((open) => open.id === request.id);
  const asked = put(request, 'answers', request.answers ?? requests[index]?.answers);
  const inputRequests = index < 0 ? [...requests, asked] : replaceAt(requests, index, asked);
  return modified(withUnreadStatus({ ...state, inputRequests }), now);
}

function changeAnswer(
  state: SessionState,
  action: ActionOf<'session/inputAnswerChanged'>,
  now: number,
): SessionState {
  const requests = state.inputRequests ?? [];
  const index = requests.findIndex((open) => open.id === action.requestId);
  const request = requests[index];
  if (request === undefined) return state;
  const { questionId, answer } = action;
  const { [questionId]: _replaced, ...others } = request.answers ?? {};
  const answers = answer === undefined ? others : { ...others, [questionId]: answer };
  const given = Object.keys(answers).length > 0 ? answers : undefined;
  return modified(
    { ...state, inputRequests: replaceAt(requests, index, put(request, 'answers', given)) },
    now,
  );
}

/** The answers are for the host, which has them from the action; the state only forgets the question. */
function complete(
  state: SessionState,
  action: ActionOf<'session/inputCompleted'>,
  now: number,
): SessionState {
  const requests = state.inputRequests ?? [];
  const index = requests.findIndex((open) => open.id === action.requestId);
  if (index < 0) return state;
  const rest = put(state, 'inputRequests', unlessEmpty(removeAt(requests, index)));
  return modified(withCurrentStatus(rest), now);
}
