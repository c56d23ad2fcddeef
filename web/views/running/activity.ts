// What runs in a session: its sub-agents, background jobs and terminals.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type {
  BackgroundWork,
  ChatState,
  ChatSummary,
  RootState,
  SessionState,
  TerminalInfo,
} from '../../../src/protocols/ahp/v1_0/state.ts';
import { isSameSession } from '../../../client/connection/catalogue.ts';
import type { BackgroundJob } from '../../../client/connection/extensions.ts';
import { useClient } from '../../state/app.ts';
import { usePolledHostData } from '../../state/hostData.ts';
import type { HostData } from '../../state/hostData.ts';
import { nameOf, statusKindOf } from '../../text/format.ts';

export interface SessionActivity {
  readonly subAgents: readonly ChatSummary[];
  readonly jobs: readonly BackgroundJob[];
  /** What a host that is not Parley reports. */
  readonly work: readonly BackgroundWork[];
  readonly terminals: readonly TerminalInfo[];
}

interface ActivitySources {
  readonly session: URI;
  readonly state: SessionState;
  readonly root: RootState | undefined;
  readonly chat: ChatState | undefined;
  readonly jobs: readonly BackgroundJob[] | undefined;
}

function activityIn({ session, state, root, chat, jobs = [] }: ActivitySources): SessionActivity {
  const work = chat?.backgroundWork ?? [];
  return {
    subAgents: state.chats.filter(({ origin }) => origin?.kind === 'tool'),
    jobs,
    work,
    terminals: (root?.terminals ?? []).filter(
      ({ claim, resource }) =>
        claim.kind === 'session' &&
        isSameSession(claim.session, session) &&
        !work.some(({ terminal }) => terminal === resource),
    ),
  };
}

/** How much of it still runs. */
export function countRunning({ subAgents, jobs, work, terminals }: SessionActivity): number {
  return (
    subAgents.filter(isAtWork).length +
    jobs.filter(({ status }) => status === 'running').length +
    work.length +
    terminals.filter(({ exitCode }) => exitCode === undefined).length
  );
}

export function isAtWork({ status }: Pick<ChatSummary, 'status'>): boolean {
  return ['running', 'waiting'].includes(statusKindOf(status));
}

const refreshMs = 2_000;

/** The jobs of a session; only Parley has them. */
function useJobs(session: URI): HostData<readonly BackgroundJob[]> {
  return usePolledHostData('jobs/list', { session: decodeURIComponent(nameOf(session)) }, refreshMs);
}

/** Everything that runs in a session, and a function that reads it again. */
export function useActivity(
  session: URI,
  state: SessionState,
  chat: ChatState | undefined,
): { readonly activity: SessionActivity; readonly reload: () => Promise<void> } {
  const root = useClient().root.state.value;
  const { value: jobs, reload } = useJobs(session);
  return { activity: activityIn({ session, state, root, chat, jobs }), reload };
}
