// The chat of a sub-agent in full height beside its parent, with a button that stops it.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { stopTurn } from '../compose/sending.ts';
import { StatusMark } from '../parts/StatusMark.tsx';
import { SubAgentTranscript } from '../running/SubAgentTranscript.tsx';

const initialTurns = 20;

export function BesideChat({ session, chat }: { readonly session: URI; readonly chat: URI }) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const channel = useChannel('chat', chat, initialTurns);
  const state = channel.state.value;
  return (
    <>
      {state?.activeTurn && (
        <p class="beside-status">
          <StatusMark status={state.status} /> {state.activity ?? 'Running'}
          {mayControl && (
            <button type="button" class="btn small danger" onClick={() => void stopTurn({ client, channel })}>
              Stop
            </button>
          )}
        </p>
      )}
      <SubAgentTranscript session={session} channel={channel} />
    </>
  );
}
