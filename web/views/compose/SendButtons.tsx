// The buttons of the composer: stop the running turn, send or queue the message.
import { Icon } from '../parts/Icon.tsx';
import { stopTurn } from './sending.ts';
import type { ChatTarget } from './sending.ts';

interface SendButtonsProps {
  readonly target: ChatTarget;
  readonly isRunning: boolean;
  readonly isReady: boolean;
  /** An edited message never waits in the queue. */
  readonly isEdit?: boolean;
}

export function SendButtons({ target, isRunning, isReady, isEdit = false }: SendButtonsProps) {
  const label = isRunning && !isEdit ? 'Queue' : 'Send';
  return (
    <>
      {isRunning && (
        <button
          type="button"
          class="send stop"
          aria-label="Stop"
          title="Stop (Esc). Holds the queue"
          onClick={() => void stopTurn(target)}
        >
          <Icon name="stop" />
        </button>
      )}
      <button
        type="submit"
        class={`send ${isRunning && !isReady ? 'desk-only' : ''}`}
        aria-label={label}
        title={`${label} (Enter)`}
        disabled={!isReady}
      >
        <Icon name="send" />
      </button>
    </>
  );
}
