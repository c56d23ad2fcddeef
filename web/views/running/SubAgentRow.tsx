// A sub-agent: what it does now, and the buttons that open its chat beside its parent and stop it.
import { useContext } from 'preact/hooks';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatSummary } from '../../../src/protocols/ahp/v1_0/state.ts';
import { OpenBesideContext } from './openBeside.ts';
import { useChannel, useClient } from '../../state/app.ts';
import { useHasRole } from '../../state/role.ts';
import { statusKindOf, statusLabels } from '../../text/format.ts';
import { stopTurn } from '../compose/sending.ts';
import { StatusMark } from '../parts/StatusMark.tsx';
import { isAtWork } from './activity.ts';
import { EndButton } from './RunningRow.tsx';

export function SubAgentRow({ chat }: { readonly chat: ChatSummary }) {
  const { resource, title, status, activity } = chat;
  const mayControl = useHasRole('control');
  const openBeside = useContext(OpenBesideContext);
  const name = title || 'Sub-agent';
  return (
    <li class="running-row" aria-label={name}>
      <button type="button" class="call-line open-beside" onClick={() => openBeside?.(resource)}>
        <StatusMark status={status} />
        <span class="object" dir="auto">
          {name}
        </span>
        <span class="end">{activity ?? statusLabels[statusKindOf(status)]}</span>
      </button>
      {mayControl && isAtWork(chat) && (
        <div class="row-buttons">
          <StopButton chat={resource} name={name} />
        </div>
      )}
    </li>
  );
}

/** Follows the chat, because only its state names the turn to stop. */
function StopButton({ chat, name }: { readonly chat: URI; readonly name: string }) {
  const client = useClient();
  const channel = useChannel('chat', chat, 1);
  return (
    <EndButton
      label="Stop"
      name={name}
      disabled={channel.state.value?.activeTurn === undefined}
      onClick={() => void stopTurn({ client, channel })}
    />
  );
}
