// A terminal of the session, which takes input while it runs.
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import { useClient } from '../../state/app.ts';
import { useHostAction } from '../../state/hostData.ts';
import { useHasRole } from '../../state/role.ts';
import { Icon } from '../parts/Icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { EndButton, RunningRow } from './RunningRow.tsx';

/** Loaded on demand: the terminal emulator is larger than the console itself. */
export const LiveTerminal = lazy(async () => (await import('../tools/TerminalView.tsx')).TerminalView);

interface TerminalRowProps {
  readonly resource: URI;
  readonly title: string;
  readonly exitCode?: number;
  /** Opened by this page a moment ago. */
  readonly isNew: boolean;
}

export function TerminalRow({ resource, title, exitCode, isNew }: TerminalRowProps) {
  const client = useClient();
  const mayControl = useHasRole('control');
  const { busy, run } = useHostAction();
  const end = () => run(() => client.request('disposeTerminal', { channel: resource }));
  const isOver = exitCode !== undefined;
  return (
    <RunningRow
      mark={<Icon name="terminal" kind="kind" />}
      title={title}
      isCommand
      startsOpen={isNew}
      outcome={isOver ? <span class={exitCode === 0 ? '' : 'bad'}>Exit {exitCode}</span> : null}
      buttons={
        mayControl && (
          <EndButton
            label={isOver ? 'Remove' : 'Kill'}
            name={title}
            disabled={busy}
            onClick={() => void end()}
          />
        )
      }
    >
      <LiveTerminal terminal={resource} title={title} />
    </RunningRow>
  );
}
