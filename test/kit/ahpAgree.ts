// What two generations of AHP must agree on: the turns of a chat, read from the state of either into
// the same plain words.
import type { Loose } from './wire.ts';

export function turnsIn(state: Loose): readonly unknown[] {
  return [...state.turns, ...(state.activeTurn ? [{ ...state.activeTurn, state: 'active' }] : [])].map(turn);
}

/** What waits, in either form. */
export function waitingIn(state: Loose): unknown {
  const text = (pending: Loose) => (pending.userMessage ?? pending.message).text as unknown;
  return {
    queued: (state.queuedMessages ?? []).map(text),
    steering: state.steeringMessage ? text(state.steeringMessage) : undefined,
    questions: questionsIn(state),
  };
}

function questionsIn(state: Loose): readonly unknown[] {
  if (state.summary)
    return (state.inputRequests ?? []).map(({ id, message, answers }: Loose) => ({ id, message, answers }));
  const parts: Loose[] = state.activeTurn?.responseParts ?? [];
  return parts
    .filter(({ kind, response }) => kind === 'inputRequest' && response === undefined)
    .map(({ request: { id, message, answers } }) => ({ id, message, answers }));
}

function turn({ id, userMessage, message, responseParts, state, error, usage }: Loose): unknown {
  const failed = responseParts.find(({ kind }: Loose) => kind === 'error');
  return {
    id,
    text: (userMessage ?? message).text,
    state,
    parts: responseParts.flatMap(part),
    error: error?.message ?? failed?.error.message,
    usage: usage && [usage.inputTokens, usage.outputTokens],
  };
}

function part({ kind, content, toolCall }: Loose): readonly unknown[] {
  switch (kind) {
    case 'markdown':
    case 'systemNotification':
      return [['text', content]];
    case 'reasoning':
      return [['reasoning', content]];
    case 'toolCall': {
      const {
        toolCallId,
        toolName,
        status,
        invocationMessage,
        toolInput,
        content: contents,
        confirmed,
        reason,
        success,
      } = toolCall;
      // Version 1 knows less of a terminal.
      const shown = contents?.map((one: Loose) =>
        one.type === 'terminal' ? { type: one.type, resource: one.resource, title: one.title } : one,
      );
      return [
        [
          'tool',
          {
            toolCallId,
            toolName,
            status,
            invocationMessage,
            toolInput,
            contents: shown,
            confirmed,
            reason,
            success,
          },
        ],
      ];
    }
    default:
      return [];
  }
}
