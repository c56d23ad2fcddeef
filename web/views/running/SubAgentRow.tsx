// A sub-agent: what it does now or how it ended, its chat below, and the buttons that open it beside its
// parent and stop it.
import { useContext } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatSummary, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { formatDuration, statusKindOf, statusLabels } from '../../text/format.ts';
import { stopTurn } from '../compose/sending.ts';
import { IconButton } from '../parts/Icon.tsx';
import { StatusMark } from '../parts/StatusMark.tsx';
import { isAtWork } from './activity.ts';
import { OpenBesideContext } from './openBeside.ts';
import { EndButton, RunningRow } from './RunningRow.tsx';
import { SubAgentTranscript } from './SubAgentTranscript.tsx';

export function SubAgentRow({ session, chat }: { readonly session: URI; readonly chat: ChatSummary }) {
  const { resource, title, status, activity } = chat;
  const client = useClient();
  const mayControl = useHasRole('control');
  const openBeside = useContext(OpenBesideContext);
  // Only the state of the chat names the turn to stop, and says how the last one ended.
  const channel = useChannel('chat', resource, 1);
  const { activeTurn, turns = [] } = channel.state.value ?? {};
  const last = turns.at(-1);
  const name = title || 'Sub-agent';
  return (
    <RunningRow
      mark={<StatusMark status={status} />}
      title={name}
      outcome={
        isAtWork(chat) || !last ? (
          <span class="truncate">{activity ?? statusLabels[statusKindOf(status)]}</span>
        ) : (
          <Ended turn={last} />
        )
      }
      buttons={
        <>
          {mayControl && isAtWork(chat) && (
            <EndButton
              label="Stop"
              name={name}
              disabled={activeTurn === undefined}
              onClick={() => void stopTurn({ client, channel })}
            />
          )}
          <IconButton icon="columns" label={`Open ${name} beside`} onClick={() => openBeside?.(resource)} />
        </>
      }
    >
      <div class="sub-agent-chat">
        <SubAgentTranscript session={session} channel={channel} />
      </div>
    </RunningRow>
  );
}

const endLabels = { complete: 'Done', cancelled: 'Stopped', error: 'Failed' } as const;

function Ended({ turn: { state, duration } }: { readonly turn: Turn }) {
  return (
    <span>
      <span class={state === 'error' ? 'bad' : ''}>{endLabels[state]}</span>
      {duration !== undefined && ` · ${formatDuration(duration)}`}
    </span>
  );
}
