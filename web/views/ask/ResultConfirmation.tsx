// Asks whether the agent may see the result of a tool call. The result has to be read to its end first.
import type { ComponentChildren } from 'preact';
import type { PendingResultToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { ReadTrackingContext, useReadTracking } from '../../state/readTracking.ts';
import { useHasRole } from '../../state/role.ts';
import { AskCard } from './AskCard.tsx';
import { UnreadHint } from './Confirmation.tsx';
import { useAnswer } from './useAnswer.ts';

interface ResultConfirmationProps {
  readonly call: PendingResultToolCall;
  readonly turnId: string;
  /** The result. */
  readonly children: ComponentChildren;
}

export function ResultConfirmation({ call, turnId, children }: ResultConfirmationProps) {
  const { answering, answer } = useAnswer();
  const mayAnswer = useHasRole('approve');
  const { unread, showNext, markers } = useReadTracking();
  const decide = (approved: boolean) =>
    answer({ type: 'chat/toolCallResultConfirmed', turnId, toolCallId: call.toolCallId, approved });
  return (
    <AskCard id={call.toolCallId} title="Send this result to the agent?" end={call.displayName}>
      <ReadTrackingContext.Provider value={markers}>{children}</ReadTrackingContext.Provider>
      {mayAnswer && unread && <UnreadHint onShowNext={showNext} />}
      <div class="answers" role="group" aria-label="Answer" hidden={!mayAnswer}>
        <button type="button" class="btn primary" disabled={answering || unread} onClick={() => decide(true)}>
          Send
        </button>
        <button type="button" class="btn danger" disabled={answering} onClick={() => decide(false)}>
          Don't send
        </button>
      </div>
    </AskCard>
  );
}
