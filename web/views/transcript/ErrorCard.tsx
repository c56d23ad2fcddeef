// The error of a failed turn, with buttons to continue or retry.
import { useContext } from 'preact/hooks';
import type { ErrorPart } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useChat } from '../../state/chat.ts';
import { Icon } from '../parts/Icon.tsx';
import { TurnActionsContext } from './turnActions.ts';

interface ErrorCardProps {
  readonly part: ErrorPart;
  readonly turnId: string;
  readonly last: boolean;
}

export function ErrorCard({ part: { error, resumable }, turnId, last }: ErrorCardProps) {
  const chat = useChat();
  const retry = useContext(TurnActionsContext);
  // If the host cannot resume the turn, a new turn asks the agent to continue.
  const resume = (): void => {
    if (resumable === true) void chat.dispatch({ type: 'chat/turnResume', turnId });
    else retry?.resume();
  };
  return (
    <div class="card-error" role="group" aria-label="Error">
      <Icon name="warn" />
      <b title={error.errorType} dir="auto">
        {error.message}
      </b>
      {error.stack !== undefined && (
        <details class="details">
          <summary>Details</summary>
          <pre class="code wrap" tabIndex={0}>
            {error.stack}
          </pre>
        </details>
      )}
      {last && (
        <div class="answers" role="group" aria-label="Continue">
          {(resumable === true || retry) && (
            <button type="button" class="btn small" onClick={resume}>
              Continue
            </button>
          )}
          {retry && (
            <button type="button" class="btn ghost small" onClick={() => retry.repeat(turnId)}>
              Retry
            </button>
          )}
        </div>
      )}
    </div>
  );
}
