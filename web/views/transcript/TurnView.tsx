// One turn: the user's message, the parts of the answer, and how the turn ended.
import type { ActiveTurn, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { formatDuration } from '../../text/format.ts';
import { ErrorBoundary } from '../parts/ErrorBoundary.tsx';
import { LazyBlock } from '../parts/LazyBlock.tsx';
import { memo } from '../parts/memo.tsx';
import { MessageView } from './MessageView.tsx';
import { ApprovalPendingContext } from '../tools/approvalPending.ts';
import { PartView } from './PartView.tsx';
import { estimatePartHeight, partRanges } from './turnChunks.ts';
import { UsageLine } from '../parts/UsageLine.tsx';

interface TurnViewProps {
  readonly turn: Turn | ActiveTurn;
  /** The last turn of an idle chat: the one that may be continued. */
  readonly last: boolean;
}

export const TurnView = memo(function TurnView({ turn, last }: TurnViewProps) {
  const { id, message, responseParts } = turn;
  const live = !('state' in turn);
  const waits = responseParts.some(isPendingApproval);
  return (
    <article class="turn" aria-label={`Turn: ${message.text.slice(0, 60)}`} aria-busy={live}>
      <MessageView message={message} />
      <ApprovalPendingContext.Provider value={waits}>
        {partRanges(responseParts.length).map(([from, to], index, ranges) => (
          <PartChunk
            key={from}
            parts={responseParts}
            from={from}
            to={to}
            turnId={id}
            live={live && to === responseParts.length}
            last={last}
            always={ranges.length === 1 || (live && index === ranges.length - 1)}
          />
        ))}
      </ApprovalPendingContext.Provider>
      {live ? <Working parts={responseParts} /> : <Ending turn={turn} />}
    </article>
  );
});

function isPendingApproval(part: ResponsePart): boolean {
  return part.kind === 'toolCall' && part.toolCall.status === 'pending-confirmation';
}

interface PartChunkProps {
  readonly parts: readonly ResponsePart[];
  readonly from: number;
  readonly to: number;
  readonly turnId: string;
  readonly live: boolean;
  readonly last: boolean;
  readonly always: boolean;
}

const PartChunk = memo(
  function PartChunk({ parts, from, to, turnId, live, last, always }: PartChunkProps) {
    const shown = parts.slice(from, to);
    const views = () =>
      shown.map((part, index) => (
        <ErrorBoundary key={from + index} what="This part">
          <PartView part={part} turnId={turnId} live={live && index === shown.length - 1} last={last} />
        </ErrorBoundary>
      ));
    if (always) return <>{views()}</>;
    return (
      <LazyBlock estimate={shown.reduce((sum, part) => sum + estimatePartHeight(part), 0)}>{views}</LazyBlock>
    );
  },
  (before, after) => {
    const same =
      before.to === after.to &&
      before.live === after.live &&
      before.last === after.last &&
      before.always === after.always;
    if (!same) return false;
    for (let index = after.from; index < after.to; index += 1)
      if (before.parts[index] !== after.parts[index]) return false;
    return true;
  },
);

/** Shows activity while neither growing text nor a running tool does. */
function Working({ parts }: { readonly parts: readonly ResponsePart[] }) {
  const last = parts.at(-1);
  if (last?.kind === 'markdown' || last?.kind === 'inputRequest' || last?.kind === 'toolCall') return null;
  return <p class="at-work">Working…</p>;
}

const endLabels = { complete: '', cancelled: 'Stopped', error: 'Failed' } as const;

function Ending({ turn: { state, duration, usage, message } }: { readonly turn: Turn }) {
  const model = usage?.model ?? message.model?.id;
  return (
    <footer class="turn-end">
      {endLabels[state] !== '' && <strong>{endLabels[state]}</strong>}
      {duration !== undefined && <span>{formatDuration(duration)}</span>}
      {model !== undefined && <span>{model}</span>}
      {usage && <UsageLine usages={[usage]} />}
    </footer>
  );
}
