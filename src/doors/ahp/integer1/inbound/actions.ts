// Actions of version 1 clients on a session, translated to AHP 1.0 where both mean the same.
import type { ActionOf, ClientAction, ClientActionType } from '../../../../protocols/ahp/integer1/actions.ts';
import type { ClientAction as NewestAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import { present } from '../../../../base/present.ts';
import { dispatch, currentChat } from '../../inbound/applyAction.ts';
import type { ActionContext } from '../../inbound/applyAction.ts';
import { configuredAgent } from '../../inbound/sessionConfig.ts';
import { toActiveClient } from '../../sessionClients.ts';
import { applyAction as actNewest } from '../../inbound/actions.ts';
import { fromUserMessage } from '../outbound/messages.ts';

/** Applies an action; returns the reason if it cannot. */
export function applyAction(on: ActionContext, action: ClientAction): string | undefined {
  // The type chooses the handle, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const handle = handles[action.type] as
    | ((on: ActionContext, action: ClientAction) => string | undefined)
    | undefined;
  return handle ? handle(on, action) : `This host does not support ${action.type}.`;
}

type Handle<Type extends ClientActionType> = (
  on: ActionContext,
  action: ActionOf<Type>,
) => string | undefined;

const handles: { readonly [Type in ClientActionType]?: Handle<Type> } = {
  'session/turnStarted': (on, { turnId, userMessage, queuedMessageId }) =>
    inTurns(on, {
      type: 'chat/turnStarted',
      turnId,
      startedAt: '',
      message: fromUserMessage(userMessage),
      ...(queuedMessageId === undefined ? {} : { queuedMessageId }),
    }),
  'session/turnCancelled': (on, { turnId }) =>
    inTurns(on, { type: 'chat/turnCancelled', turnId, duration: 0 }),
  'session/truncated': (on, { turnId }) =>
    inTurns(on, { type: 'chat/truncated', ...(turnId === undefined ? {} : { turnId }) }),
  'session/toolCallConfirmed': confirm,
  'session/toolCallComplete': (on, { turnId, toolCallId, result, requiresResultConfirmation }) =>
    inTurns(on, {
      type: 'chat/toolCallComplete',
      turnId,
      toolCallId,
      result,
      ...(requiresResultConfirmation === undefined ? {} : { requiresResultConfirmation }),
    }),
  'session/toolCallResultConfirmed': (on, { turnId, toolCallId, approved }) =>
    inTurns(on, { type: 'chat/toolCallResultConfirmed', turnId, toolCallId, approved }),
  'session/toolCallContentChanged': (on, { turnId, toolCallId, content }) =>
    inTurns(on, { type: 'chat/toolCallContentChanged', turnId, toolCallId, content }),
  'session/pendingMessageSet': (on, { kind, id, userMessage }) =>
    inTurns(on, { type: 'chat/pendingMessageSet', kind, id, message: fromUserMessage(userMessage) }),
  'session/pendingMessageRemoved': (on, { kind, id }) =>
    inTurns(on, { type: 'chat/pendingMessageRemoved', kind, id }),
  'session/queuedMessagesReordered': (on, { order }) =>
    inTurns(on, { type: 'chat/queuedMessagesReordered', order }),
  'session/inputAnswerChanged': (on, { requestId, questionId, answer }) =>
    inTurns(on, {
      type: 'chat/inputAnswerChanged',
      requestId,
      questionId,
      ...(answer === undefined ? {} : { answer }),
    }),
  'session/inputCompleted': (on, { requestId, response, answers }) =>
    inTurns(on, {
      type: 'chat/inputCompleted',
      requestId,
      response,
      ...(answers === undefined ? {} : { answers }),
    }),
  'session/titleChanged': (on, { title }) =>
    on.session.head.order[0] === on.chat
      ? inSession(on, { type: 'session/titleChanged', title })
      : dispatch(on, { kind: 'changeChat', chat: on.chat, title }),
  'session/modelChanged': changeModel,
  'session/isReadChanged': (on, { isRead }) => inSession(on, { type: 'session/isReadChanged', isRead }),
  'session/isArchivedChanged': (on, { isArchived }) =>
    inSession(on, { type: 'session/isArchivedChanged', isArchived }),
  'session/configChanged': (on, { config, replace }) =>
    inSession(on, { type: 'session/configChanged', config, ...(replace === undefined ? {} : { replace }) }),
  'session/activeClientChanged': changeActiveClient,
  'session/activeClientToolsChanged': (on, { tools }) => {
    const own = holder(on);
    return own
      ? inSession(on, { type: 'session/activeClientSet', activeClient: { ...toActiveClient(own), tools } })
      : 'You are not the active client of this session.';
  },
};

function inTurns(on: ActionContext, action: NewestAction): string | undefined {
  return actNewest({ ...on, channel: 'chat' }, action);
}

function inSession(on: ActionContext, action: NewestAction): string | undefined {
  return actNewest({ ...on, channel: 'session' }, action);
}

function confirm(on: ActionContext, action: ActionOf<'session/toolCallConfirmed'>): string | undefined {
  const { type: _, session: __, ...decision } = action;
  if (decision.approved) return inTurns(on, { type: 'chat/toolCallConfirmed', ...decision });
  const { userSuggestion, ...denial } = decision;
  return inTurns(on, {
    type: 'chat/toolCallConfirmed',
    ...denial,
    ...(userSuggestion ? { userSuggestion: fromUserMessage(userSuggestion) } : {}),
  });
}

/** A running turn keeps its model: the change waits until it has ended. */
function changeModel(on: ActionContext, { model }: ActionOf<'session/modelChanged'>): string | undefined {
  if (model.id === '') return 'A model needs an id.';
  const { agent, roots } = on.session.head;
  const models = configuredAgent(on.host, agent, roots)?.models ?? [];
  // The models of an agent that has not run yet are not known.
  if (models.length > 0 && !models.some(({ id }) => id === model.id))
    return `The agent has no model named ${model.id}.`;
  const change = () => dispatch(on, { kind: 'changeSession', changes: { model: model.id } });
  const running = currentChat(on)?.active?.id;
  if (running === undefined) return change();
  const leave = on.session.follow((steps) => {
    if (
      !steps.some(
        ({ entry: { event } }) =>
          event.kind === 'turn.ended' && event.chat === on.chat && event.turn === running,
      )
    )
      return;
    leave();
    change();
  });
  return undefined;
}

/** In version 1 one client at most is active, and it claims and releases that for itself. */
function changeActiveClient(
  on: ActionContext,
  { activeClient }: ActionOf<'session/activeClientChanged'>,
): string | undefined {
  const others = on.session.head.clients.filter(({ id }) => id !== on.client && on.clients.counts(id));
  if (!activeClient)
    return holder(on)
      ? inSession(on, { type: 'session/activeClientRemoved', clientId: on.client })
      : 'You are not the active client of this session.';
  if (activeClient.clientId !== on.client) return 'A client can only declare itself active.';
  if (others.length > 0) return 'Another client is active in this session.';
  const { customizations, ...declared } = activeClient;
  const brought = customizations?.map(({ uri, displayName, icons, nonce }) =>
    present({ type: 'plugin' as const, id: uri, uri, name: displayName, icons, nonce }),
  );
  return inSession(on, {
    type: 'session/activeClientSet',
    activeClient: present({ ...declared, customizations: brought }),
  });
}

function holder(on: ActionContext) {
  return on.session.head.clients.find(({ id }) => id === on.client);
}
