// What AHP 1.0 says on the channel of a chat, in the words of version 1, to which a chat is a session.
import type { Step } from '../../../../host/session/session.ts';
import { present } from '../../../../base/present.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { Shown as NewestShown } from '../../v1_0/outbound/outgoingAction.ts';
import { userMessageOf } from './messages.ts';
import type { Said, Shown } from './outgoingAction.ts';
import { newestPart, thinUsage } from './sessionState.ts';

/** Nothing where version 1 has no such action, or says it in its own way. */
export function translate({ target, action, ...echo }: NewestShown, step: Step): readonly Shown[] {
  const said = translated(action, step);
  return said ? [{ target, action: said, ...echo }] : [];
}

function translated(action: StateAction, step: Step): Said | undefined {
  switch (action.type) {
    case 'chat/turnStarted': {
      const { turnId, message, queuedMessageId } = action;
      const userMessage = userMessageOf(message);
      return present({ type: 'session/turnStarted' as const, turnId, userMessage, queuedMessageId });
    }
    case 'chat/pendingMessageSet': {
      const { message, ...rest } = action;
      return { ...rest, type: 'session/pendingMessageSet', userMessage: userMessageOf(message) };
    }
    case 'chat/responsePart': {
      const part = newestPart(step);
      return part && { type: 'session/responsePart', turnId: action.turnId, part };
    }
    case 'chat/usage':
      return { ...action, type: 'session/usage', usage: thinUsage(action.usage) };
    case 'chat/delta':
      return { ...action, type: 'session/delta' };
    case 'chat/reasoning':
      return { ...action, type: 'session/reasoning' };
    case 'chat/truncated':
      return { ...action, type: 'session/truncated' };
    case 'chat/pendingMessageRemoved':
      return { ...action, type: 'session/pendingMessageRemoved' };
    case 'chat/queuedMessagesReordered':
      return { ...action, type: 'session/queuedMessagesReordered' };
    case 'chat/inputRequested':
      return { ...action, type: 'session/inputRequested' };
    case 'chat/inputAnswerChanged':
      return { ...action, type: 'session/inputAnswerChanged' };
    case 'chat/inputCompleted':
      return { ...action, type: 'session/inputCompleted' };
    case 'root/configChanged':
      return action;
    default:
      return undefined;
  }
}
