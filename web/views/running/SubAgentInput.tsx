// A message to a sub-agent at work: it reads it before its next step. When it has ended, only its parent can
// let it go on.
import { messageOf, steer } from '../compose/sending.ts';
import type { ChatTarget } from '../compose/sending.ts';
import { emptyDraft } from '../compose/drafts.ts';
import { InputLine } from './InputLine.tsx';

export function SubAgentInput({ target }: { readonly target: ChatTarget }) {
  const waiting = target.channel.state.value?.steeringMessage;
  return (
    <div class="sub-agent-input">
      {waiting && (
        <p class="note" dir="auto">
          Waits for the next step: {waiting.message.text}
        </p>
      )}
      <InputLine
        label="Message to the sub-agent"
        placeholder="Message to the sub-agent"
        disabled={false}
        onSend={(text) => steer(target, messageOf({ ...emptyDraft, text }))}
      />
    </div>
  );
}
