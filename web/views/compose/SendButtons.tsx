// The buttons of the composer: stop and steer the running turn, send or queue the message.
import { Icon } from '../parts/Icon.tsx';
import { stopTurn } from './sending.ts';
import type { ChatTarget } from './sending.ts';

interface SendButtonsProps {
  readonly target: ChatTarget;
  readonly isRunning: boolean;
  readonly isReady: boolean;
  readonly onSteer: () => void;
}

export function SendButtons({ target, isRunning, isReady, onSteer }: SendButtonsProps) {
  return (
    <>
      {isRunning && (
        <button type="button" class="danger" onClick={() => void stopTurn(target)}>
          <Icon name="stop" /> Stop
        </button>
      )}
      {isRunning && (
        <button type="button" disabled={!isReady} onClick={onSteer}>
          <Icon name="steer" /> Steer
        </button>
      )}
      <button type="submit" class="primary" disabled={!isReady}>
        <Icon name="send" /> {isRunning ? 'Queue' : 'Send'}
      </button>
    </>
  );
}
