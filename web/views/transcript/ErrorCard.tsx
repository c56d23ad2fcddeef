// How a turn failed, and the ways on from there.
import type { ErrorPart } from '../../../src/protocols/ahp/newest/state.ts';
import { useChat } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { RetryContext } from './retry.ts';
import { useContext } from 'preact/hooks';

interface ErrorCardProps {
  readonly part: ErrorPart;
  readonly turnId: string;
  readonly last: boolean;
}

export function ErrorCard({ part: { error, resumable }, turnId, last }: ErrorCardProps) {
  const chat = useChat();
  const retry = useContext(RetryContext);
  return (
    <section class="error-card" aria-label="Error">
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
          {resumable === true && (
            <button type="button" class="primary" onClick={() => void chat.act({ type: 'chat/turnResume', turnId })}>
              Continue
            </button>
          )}
          {retry && (
            <button type="button" onClick={() => retry(turnId)}>
              Ask again
            </button>
          )}
        </div>
      )}
    </section>
  );
}
