// The chat of a sub-agent in full height beside its parent, with a button that stops it.
import { useMemo } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { ChatContext, chatPort } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { stopTurn } from '../compose/sending.ts';
import { SubAgentInput } from '../running/SubAgentInput.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { Transcript } from '../transcript/Transcript.tsx';
import { TurnActionsContext } from '../transcript/turnActions.ts';

const initialTurns = 20;

export function BesideChat({ session, chat }: { readonly session: URI; readonly chat: URI }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const channel = useChannel('chat', chat, initialTurns);
  const port = useMemo(() => chatPort(client, session, channel), [channel]);
  const state = channel.state.value;
  // Our host takes messages for a sub-agent at work; another host says by `interactivity` whether it does.
  const takesMessages = client.access.value !== undefined || state?.interactivity !== 'read-only';
  return (
    <ChatContext.Provider value={port}>
      <TurnActionsContext.Provider value={undefined}>
        {state?.activeTurn && (
          <p class="beside-status">
            <StatusMark status={state.status} /> {state.activity ?? 'Running'}
            {mayControl && (
              <button
                type="button"
                class="btn small danger"
                onClick={() => void stopTurn({ client, channel })}
              >
                Stop
              </button>
            )}
          </p>
        )}
        <Transcript channel={channel} label="Transcript of the sub-agent" />
        {state?.activeTurn && mayControl && takesMessages && <SubAgentInput target={{ client, channel }} />}
      </TurnActionsContext.Provider>
    </ChatContext.Provider>
  );
}
