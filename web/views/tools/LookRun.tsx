// Several calls that only looked at something, in one line that unfolds to all of them.
import { useState } from 'preact/hooks';
import type { CompletedToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import { formatDuration } from '../../text/format.ts';
import { Icon } from '../parts/Icon.tsx';
import { callLine } from './callLine.ts';
import { runLine } from './lookRuns.ts';
import { ToolCard } from './ToolCard.tsx';
import { UnfoldedCallsContext } from './unfoldedCalls.ts';

interface LookRunProps {
  readonly calls: readonly CompletedToolCall[];
  readonly turnId: string;
}

export function LookRun({ calls, turnId }: LookRunProps) {
  const [open, setOpen] = useState(false);
  const { verb, object } = runLine(calls);
  const [first] = calls;
  const duration = calls.reduce((sum, { _meta }) => sum + durationIn(_meta), 0);
  return (
    <details class="call" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name={first ? callLine(first).icon : 'file'} kind="kind" />
        <span class="verb">{verb}</span>{' '}
        <span class="object" dir="auto">
          {object}
        </span>
        <Icon name="chev" kind="chev" />
        <span class="end">{duration > 0 && <span>{formatDuration(duration)}</span>}</span>
      </summary>
      {open && (
        <UnfoldedCallsContext.Provider value={undefined}>
          <div class="call-body">
            {calls.map((call) => (
              <ToolCard key={call.toolCallId} call={call} turnId={turnId} recent={false} />
            ))}
          </div>
        </UnfoldedCallsContext.Provider>
      )}
    </details>
  );
}

function durationIn(ours: CompletedToolCall['_meta']): number {
  const duration = ours?.['duration'];
  return typeof duration === 'number' && duration >= 0 ? duration : 0;
}
