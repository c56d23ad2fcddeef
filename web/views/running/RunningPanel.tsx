// Everything that runs in a session in one panel: sub-agents, background jobs and terminals, each with its
// output and a way to end it.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { present } from '../../../src/base/present.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState, SessionState } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { freshId } from '../../../client/connection/freshId.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { Icon } from '../parts/Icon.tsx';
import { useActivity } from './activity.ts';
import { JobRow, WorkRow } from './JobRow.tsx';
import { SubAgentRow } from './SubAgentRow.tsx';
import { TerminalRow } from './TerminalRow.tsx';

interface RunningPanelProps {
  readonly session: URI;
  readonly state: SessionState;
  readonly chat: Channel<ChatState>;
}

export function RunningPanel({ session, state, chat }: RunningPanelProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { busy, run } = useHostAction();
  const { activity, reload } = useActivity(session, state, chat.state.value);
  const { subAgents, jobs, work, terminals } = activity;
  const [opened, setOpened] = useState<URI>();
  const open = async () => {
    const channel = `ahp-terminal:/${freshId()}`;
    setOpened(channel);
    await client.request('createTerminal', {
      channel,
      claim: { kind: 'session', session, chat: chat.uri },
      name: 'Terminal',
      ...present({ cwd: state.workingDirectories?.[0] }),
    });
  };
  return (
    <>
      <Group title="Sub-agents" shown={subAgents.length > 0}>
        {subAgents.map((each) => (
          <SubAgentRow key={each.resource} session={session} chat={each} />
        ))}
      </Group>
      <Group title="Background jobs" shown={jobs.length + work.length > 0}>
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} onChanged={() => void reload()} />
        ))}
        {work.map((each) => (
          <WorkRow key={each.id} work={each} />
        ))}
      </Group>
      <Group title="Terminals" shown={terminals.length > 0}>
        {terminals.map((terminal) => (
          <TerminalRow key={terminal.resource} {...terminal} isNew={terminal.resource === opened} />
        ))}
      </Group>
      {subAgents.length + jobs.length + work.length + terminals.length === 0 && (
        <p class="empty">Nothing runs in this session</p>
      )}
      {mayControl && (
        <button type="button" class="btn new-terminal" disabled={busy} onClick={() => void run(open)}>
          <Icon name="terminal" /> New terminal
        </button>
      )}
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly shown: boolean;
  readonly children: ComponentChildren;
}

function Group({ title, shown, children }: GroupProps) {
  if (!shown) return null;
  return (
    <section class="running-group" aria-label={title}>
      <h3>{title}</h3>
      <ul class="running-list">{children}</ul>
    </section>
  );
}
