// What a sub-agent says and does, with what it asks, and an input while it works.
import { useMemo } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { useClient } from '../../state/app.ts';
import { ChatContext, chatPort } from '../../state/chat.ts';
import { useHasRole } from '../../state/role.ts';
import { Transcript } from '../transcript/Transcript.tsx';
import { TurnActionsContext } from '../transcript/turnActions.ts';
import { SubAgentInput } from './SubAgentInput.tsx';

interface SubAgentTranscriptProps {
  readonly session: URI;
  readonly channel: Channel<ChatState>;
}

export function SubAgentTranscript({ session, channel }: SubAgentTranscriptProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const port = useMemo(() => chatPort(client, session, channel), [channel]);
  const state = channel.state.value;
  // Our host takes messages for a sub-agent at work; another host says by `interactivity` whether it does.
  const takesMessages = client.access.value !== undefined || state?.interactivity !== 'read-only';
  return (
    <ChatContext.Provider value={port}>
      <TurnActionsContext.Provider value={undefined}>
        <Transcript channel={channel} label="Transcript of the sub-agent" />
        {state?.activeTurn && mayControl && takesMessages && <SubAgentInput target={{ client, channel }} />}
      </TurnActionsContext.Provider>
    </ChatContext.Provider>
  );
}
