// Translates AHP 1.0 actions on the channel of a chat to version 1, where a chat is a session.
import type { Step } from '../../../../host/session/session.ts';
import { present } from '../../../../base/present.ts';
import type { ActionOf, ActionType } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { TargetedAction as NewestAction } from '../../v1_0/outbound/outgoingAction.ts';
import { userMessageOf } from './messages.ts';
import type { Integer1Action, Integer1TargetedAction } from './outgoingAction.ts';
import { newestPart, thinUsage } from './sessionState.ts';

/** Undefined if version 1 has no such action or its own form for it. */
export function translate(
  { target, action, ...echo }: NewestAction,
  step: Step,
): readonly Integer1TargetedAction[] {
  // The type chooses the function, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const toSaid = translations[action.type] as Translation<ActionType> | undefined;
  const said = toSaid?.(action, step);
  return said ? [{ target, action: said, ...echo }] : [];
}

type Translation<Type extends ActionType> = (
  action: ActionOf<Type>,
  step: Step,
) => Integer1Action | undefined;

const translations: { readonly [Type in ActionType]?: Translation<Type> } = {
  'chat/turnStarted': ({ turnId, message, queuedMessageId }) =>
    present({
      type: 'session/turnStarted' as const,
      turnId,
      userMessage: userMessageOf(message),
      queuedMessageId,
    }),
  'chat/pendingMessageSet': ({ message, ...rest }) => ({
    ...rest,
    type: 'session/pendingMessageSet',
    userMessage: userMessageOf(message),
  }),
  'chat/responsePart': ({ turnId }, step) => {
    const part = newestPart(step);
    return part && { type: 'session/responsePart', turnId, part };
  },
  'chat/usage': (action) => ({ ...action, type: 'session/usage', usage: thinUsage(action.usage) }),
  'chat/delta': (action) => ({ ...action, type: 'session/delta' }),
  'chat/reasoning': (action) => ({ ...action, type: 'session/reasoning' }),
  'chat/truncated': (action) => ({ ...action, type: 'session/truncated' }),
  'chat/pendingMessageRemoved': (action) => ({ ...action, type: 'session/pendingMessageRemoved' }),
  'chat/queuedMessagesReordered': (action) => ({ ...action, type: 'session/queuedMessagesReordered' }),
  'chat/inputRequested': (action) => ({ ...action, type: 'session/inputRequested' }),
  'chat/inputAnswerChanged': (action) => ({ ...action, type: 'session/inputAnswerChanged' }),
  'chat/inputCompleted': (action) => ({ ...action, type: 'session/inputCompleted' }),
  'root/configChanged': (action) => action,
};
