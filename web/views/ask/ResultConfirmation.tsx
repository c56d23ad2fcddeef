// A result that the agent sees only if a person lets it.
import type { PendingResultToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { useMay } from '../../state/role.ts';
import { useAnswer } from './useAnswer.ts';

export function ResultConfirmation({
  call,
  turnId,
}: {
  readonly call: PendingResultToolCall;
  readonly turnId: string;
}) {
  const { answering, answer } = useAnswer();
  const mayAnswer = useMay('approve');
  const decide = (approved: boolean) =>
    answer({ type: 'chat/toolCallResultConfirmed', turnId, toolCallId: call.toolCallId, approved });
  return (
    <div class="ask" role="group" aria-label={`Result of ${call.displayName}`}>
      <p class="ask-title">May the agent see this result?</p>
      <div class="ask-actions" role="group" aria-label="Answer" hidden={!mayAnswer}>
        <button type="button" class="primary" disabled={answering} onClick={() => decide(true)}>
          Hand over
        </button>
        <button type="button" class="danger" disabled={answering} onClick={() => decide(false)}>
          Withhold
        </button>
      </div>
    </div>
  );
}
