// One turn: the user's message, the parts of the answer, and how the turn ended.
import { useContext, useMemo, useRef, useState } from 'preact/hooks';
import type { ActiveTurn, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { formatDuration } from '../../text/format.ts';
import { spokenText } from './readText.ts';
import { CopyButton, copyText } from '../parts/CopyButton.tsx';
import { ErrorBoundary } from '../parts/ErrorBoundary.tsx';
import { IconButton } from '../parts/Icon.tsx';
import { LazyBlock } from '../parts/LazyBlock.tsx';
import { memo } from '../parts/memo.tsx';
import { MenuItem } from '../parts/Menu.tsx';
import { ModelName } from '../usage/ModelName.tsx';
import { isAskedBelow, questionAt } from './asks.ts';
import { BatchContext, batchIn } from './batches.ts';
import type { WaitingBatch } from './batches.ts';
import { FoldedActions } from './FoldedActions.tsx';
import { FoundPlaceContext } from './foundPlace.ts';
import { MessageView } from './MessageView.tsx';
import { isWaitingPart } from './waiting.ts';
import { ApprovalPendingContext } from '../tools/approvalPending.ts';
import { LookRun } from '../tools/LookRun.tsx';
import { withRuns } from '../tools/lookRuns.ts';
import { UnfoldedCallsContext } from '../tools/unfoldedCalls.ts';
import { PartView } from './PartView.tsx';
import { TurnActionsContext } from './turnActions.ts';
import { estimatePartHeight, partRanges } from './turnChunks.ts';
import { UsageLine } from '../parts/UsageLine.tsx';

/** The chunks at the end of the conversation that are drawn at once: about what a screen shows. */
const drawnAtEnd = 3;

interface TurnViewProps {
  readonly turn: Turn | ActiveTurn;
  /** The last turn of an idle chat: the one that may be continued. */
  readonly last: boolean;
}

export const TurnView = memo(function TurnView({ turn, last }: TurnViewProps) {
  const { id, message, responseParts } = turn;
  const live = !('state' in turn);
  const waits = responseParts.some(isPendingApproval);
  const found = useContext(FoundPlaceContext);
  const foundAt = found?.turn === id ? (found.part ?? -1) : -1;
  const batch = useBatch(responseParts);
  return (
    <article class="turn" data-turn={id} aria-label={`Turn: ${message.text.slice(0, 60)}`} aria-busy={live}>
      <MessageView message={message} turnId={id} live={live} />
      <BatchContext.Provider value={batch}>
        <ApprovalPendingContext.Provider value={waits}>
          {partRanges(responseParts).map(([from, to], index, ranges) => (
            <PartChunk
              key={from}
              parts={responseParts}
              from={from}
              to={to}
              turnId={id}
              live={live && to === responseParts.length}
              last={last}
              recent={live || last}
              always={
                ranges.length === 1 ||
                (foundAt >= from && foundAt < to) ||
                ((live || last) && index >= ranges.length - drawnAtEnd) ||
                (live && responseParts.slice(from, to).some(isWaitingPart))
              }
            />
          ))}
        </ApprovalPendingContext.Provider>
      </BatchContext.Provider>
      {live ? <Working parts={responseParts} /> : <Ending turn={turn} last={last} />}
    </article>
  );
});

/** The calls of the turn that wait together, unless the user answers each alone. */
function useBatch(parts: readonly ResponsePart[]): WaitingBatch | undefined {
  const [isSplit, setSplit] = useState(false);
  return useMemo(() => {
    const calls = isSplit ? [] : batchIn(parts);
    return calls.length === 0 ? undefined : { calls, split: () => setSplit(true) };
  }, [parts, isSplit]);
}

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
  readonly recent: boolean;
  readonly always: boolean;
}

const PartChunk = memo(
  function PartChunk({ parts, from, to, turnId, live, last, recent, always }: PartChunkProps) {
    const shown = parts.slice(from, to);
    // What went on after an error has used its buttons.
    const lastError = last ? parts.findLast(({ kind }) => kind === 'error') : undefined;
    const unfolded = useRef(new Set<string>()).current;
    const views = () =>
      withRuns(shown, unfolded).map(({ at, run }) => {
        const part = shown[at];
        if (part === undefined || isAskedBelow(parts, from + at)) return null;
        return (
          <ErrorBoundary key={from + at} what="This part">
            {run ? (
              <LookRun calls={run} turnId={turnId} />
            ) : (
              <PartView
                part={part}
                turnId={turnId}
                live={live && at === shown.length - 1}
                last={part === lastError}
                recent={recent}
              />
            )}
          </ErrorBoundary>
        );
      });
    return (
      <UnfoldedCallsContext.Provider value={unfolded}>
        <LazyBlock estimate={shown.reduce((sum, part) => sum + estimatePartHeight(part), 0)} always={always}>
          {views}
        </LazyBlock>
      </UnfoldedCallsContext.Provider>
    );
  },
  (before, after) => {
    const same =
      before.to === after.to &&
      before.live === after.live &&
      before.last === after.last &&
      before.always === after.always &&
      questionAt(before.parts, after.to) === questionAt(after.parts, after.to);
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
  return (
    <p class="call-line">
      <span class="status running" />
      Working…
    </p>
  );
}

const endLabels = { complete: '', cancelled: 'Stopped', error: 'Failed' } as const;

interface EndingProps {
  readonly turn: Turn;
  readonly last: boolean;
}

/** How the turn ended, and what can be done with its answer. Always shown for the last turn. */
function Ending({ turn, last }: EndingProps) {
  const { state, duration, usage, message } = turn;
  const model = usage?.model ?? message.model?.id;
  return (
    <footer class={`actions ${last || state !== 'complete' ? 'shown' : ''}`}>
      <AnswerActions turn={turn} />
      <span class="meta">
        {endLabels[state] !== '' && <b class={state === 'error' ? 'bad' : ''}>{endLabels[state]}</b>}
        {duration !== undefined && <span>{formatDuration(duration)}</span>}
        {model !== undefined && <ModelName id={model} />}
        {usage && <UsageLine usage={usage} />}
      </span>
    </footer>
  );
}

function AnswerActions({ turn: { id, state, responseParts } }: { readonly turn: Turn }) {
  const actions = useContext(TurnActionsContext);
  const answer = responseParts
    .flatMap((part) => (part.kind === 'markdown' ? [part.content] : []))
    .join('\n\n');
  const mayRetry = actions !== undefined && state !== 'error';
  return (
    <>
      <span class="desk-only">
        {answer !== '' && <CopyButton text={answer} what="answer" />}
        {answer !== '' && (
          <IconButton
            icon="doc"
            label="Copy answer without markdown"
            onClick={() => void copyText(spokenText(answer))}
          />
        )}
        {mayRetry && <IconButton icon="retry" label="Retry" onClick={() => actions.repeat(id)} />}
        {actions && <IconButton icon="fork" label="Fork from here" onClick={() => void actions.fork(id)} />}
      </span>
      <span class="phone-only">
        <FoldedActions what="answer" text={answer}>
          {(close) => (
            <>
              {mayRetry && (
                <MenuItem
                  icon="retry"
                  label="Retry"
                  onChoose={() => {
                    close();
                    actions.repeat(id);
                  }}
                />
              )}
              {actions && (
                <MenuItem
                  icon="fork"
                  label="Fork from here"
                  onChoose={() => {
                    close();
                    void actions.fork(id);
                  }}
                />
              )}
            </>
          )}
        </FoldedActions>
      </span>
    </>
  );
}
