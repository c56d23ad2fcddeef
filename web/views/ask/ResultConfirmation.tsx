// Asks whether the agent may see the result of a tool call.
import type { PendingResultToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { useHasRole } from '../../state/role.ts';
import { useAnswer } from './useAnswer.ts';

export function ResultConfirmation({
  call,
  turnId,
}: {
  readonly call: PendingResultToolCall;
  readonly turnId: string;
}) {
  const { answering, answer } = useAnswer();
  const mayAnswer = useHasRole('approve');
  const decide = (approved: boolean) =>
    answer({ type: 'chat/toolCallResultConfirmed', turnId, toolCallId: call.toolCallId, approved });
  return (
    <div class="ask" role="group" aria-label={`Result of ${call.displayName}`}>
      <p class="ask-title">Send this result to the agent?</p>
      <div class="ask-actions" role="group" aria-label="Answer" hidden={!mayAnswer}>
        <button type="button" class="primary" disabled={answering} onClick={() => decide(true)}>
          Send
        </button>
        <button type="button" class="danger" disabled={answering} onClick={() => decide(false)}>
          Don't send
        </button>
      </div>
    </div>
  );
}
