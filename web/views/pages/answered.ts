// The approvals and questions of a chat that somebody has answered, newest first. Pure.
import { decisionText } from '../../../client/callText.ts';
import { visibleText } from '../../../src/base/visibleText.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, InputRequestPart, ResponsePart } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { ToolCallState } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { callLine, rawOf } from '../tools/callLine.ts';

export interface AnsweredAsk {
  readonly id: string;
  readonly chat: URI;
  /** When its turn began: nobody tells when the answer came. */
  readonly at: string;
  readonly outcome: 'Allowed' | 'Denied' | 'Answered' | 'Not answered';
  /** The command, the rest of the title of the call, or the question. */
  readonly what: string;
  readonly isCommand: boolean;
  /** Who has answered what, and why. */
  readonly says: string;
}

type Answer = Pick<AnsweredAsk, 'id' | 'outcome' | 'what' | 'isCommand' | 'says'>;

export function answeredIn({ resource: chat, turns, activeTurn }: ChatState): readonly AnsweredAsk[] {
  return [...turns, ...(activeTurn ? [activeTurn] : [])]
    .toReversed()
    .flatMap(({ startedAt: at = '', responseParts }) =>
      responseParts.toReversed().flatMap((part) => {
        const answer = answerOf(part);
        return answer ? [{ ...answer, chat, at }] : [];
      }),
    );
}

function answerOf(part: ResponsePart): Answer | undefined {
  if (part.kind === 'toolCall') return answeredCall(part.toolCall);
  return part.kind === 'inputRequest' ? answeredQuestion(part) : undefined;
}

function answeredCall(call: ToolCallState): Answer | undefined {
  const says = answerText(call);
  if (says === undefined) return undefined;
  const { verb, object, isCommand } = callLine(call);
  // The verb of a call that did not run is its outcome.
  const words = isCommand || call.status === 'cancelled' ? rawOf(object) : `${verb} ${rawOf(object)}`;
  const isDenied = call.status === 'cancelled' && call.reason === 'denied';
  const reason = isDenied && call.reasonMessage !== undefined ? `: “${rawOf(call.reasonMessage)}”` : '';
  return {
    ...{ id: call.toolCallId, outcome: isDenied ? 'Denied' : 'Allowed', isCommand },
    ...{ what: visibleText(words.trim()), says: `${says}${visibleText(reason)}` },
  };
}

/** Undefined for a call that waits, that ran by a rule, or that nobody was asked about. */
function answerText(call: ToolCallState): string | undefined {
  if (call.status === 'pending-confirmation' || call._meta?.['decision'] === 'withdrawn') return undefined;
  const option = 'selectedOption' in call ? call.selectedOption?.label : undefined;
  return decisionText(call) ?? option;
}

function answeredQuestion({ request, response }: InputRequestPart): Answer | undefined {
  if (response === undefined) return undefined;
  const what = request.message ?? request.questions?.[0]?.message ?? 'Question';
  const isAnswered = response === 'accept';
  return {
    ...{ id: request.id, what: visibleText(what), isCommand: false },
    ...{ outcome: isAnswered ? 'Answered' : 'Not answered', says: words[response] },
  };
}

const words = { accept: 'Answered', decline: 'Declined', cancel: 'Cancelled' } as const;
