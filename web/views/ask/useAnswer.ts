// Sends an answer once: `answering` disables the buttons until the host has refused it.
import { useState } from 'preact/hooks';
import type { ClientAction } from '../../../src/protocols/ahp/v1_0/actions.ts';
import { useChat } from '../../state/chat.ts';

export function useAnswer(): {
  readonly answering: boolean;
  readonly answer: (action: ClientAction) => void;
} {
  const chat = useChat();
  const [answering, setAnswering] = useState(false);
  return {
    answering,
    answer: (action) => {
      setAnswering(true);
      void chat.dispatch(action).then(({ kind }) => kind !== 'accepted' && setAnswering(false));
    },
  };
}
