// How a turn failed, and the ways on from there.
import { useContext } from 'preact/hooks';
import type { ErrorPart } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useChat } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { RetryContext } from './retry.ts';

interface ErrorCardProps {
  readonly part: ErrorPart;
  readonly turnId: string;
  readonly last: boolean;
}

export function ErrorCard({ part: { error, resumable }, turnId, last }: ErrorCardProps) {
  const chat = useChat();
  const retry = useContext(RetryContext);
  // A host that cannot reopen the turn is asked to go on in a new one.
  const goOn = (): void => {
    if (resumable === true) void chat.act({ type: 'chat/turnResume', turnId });
    else retry?.goOn();
  };
  return (
    <div class="error-card" role="group" aria-label="Error">
      <p>
        <Icon name="error" /> <strong>{error.errorType}</strong> {error.message}
      </p>
      {error.stack !== undefined && (
        <details>
          <summary>Details</summary>
          <pre tabIndex={0}>{error.stack}</pre>
        </details>
      )}
      {last && (
        <div class="ask-actions" role="group" aria-label="Go on">
          {(resumable === true || retry) && (
            <button type="button" class="primary" onClick={goOn}>
              Continue
            </button>
          )}
          {retry && (
            <button type="button" onClick={() => retry.again(turnId)}>
              Ask again
            </button>
          )}
        </div>
      )}
    </div>
  );
}
