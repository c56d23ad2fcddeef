// One turn: what was asked, everything done about it, and how it ended.
import type { ActiveTurn, ResponsePart, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { lasting } from '../../text/words.ts';
import { Guarded } from '../parts/Guarded.tsx';
import { LazyBlock } from '../parts/LazyBlock.tsx';
import { memo } from '../parts/memo.tsx';
import { MessageView } from './MessageView.tsx';
import { PartView } from './PartView.tsx';
import { estimatePart, partRanges } from './stretches.ts';
import { UsageLine } from '../parts/UsageLine.tsx';

interface TurnViewProps {
  readonly turn: Turn | ActiveTurn;
  /** The last turn of an idle chat: the one that may be continued. */
  readonly last: boolean;
}

export const TurnView = memo(function TurnView({ turn, last }: TurnViewProps) {
  const { id, message, responseParts } = turn;
  const live = !('state' in turn);
  return (
    <article class="turn" aria-label={`Turn: ${message.text.slice(0, 60)}`} aria-busy={live}>
      <MessageView message={message} />
      {partRanges(responseParts.length).map(([from, to], index, ranges) => (
        <PartStretch
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
      {live ? <Working parts={responseParts} /> : <Ending turn={turn} />}
    </article>
  );
});

interface PartStretchProps {
  readonly parts: readonly ResponsePart[];
  readonly from: number;
  readonly to: number;
  readonly turnId: string;
  readonly live: boolean;
  readonly last: boolean;
  readonly always: boolean;
}

const PartStretch = memo(
  function PartStretch({ parts, from, to, turnId, live, last, always }: PartStretchProps) {
    const mine = parts.slice(from, to);
    const views = () =>
      mine.map((part, index) => (
        <Guarded key={from + index} what="This part">
          <PartView part={part} turnId={turnId} live={live && index === mine.length - 1} last={last} />
        </Guarded>
      ));
    if (always) return <>{views()}</>;
    return <LazyBlock estimate={mine.reduce((sum, part) => sum + estimatePart(part), 0)}>{views}</LazyBlock>;
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

/** Says that something happens where no growing text or running tool says so. */
function Working({ parts }: { readonly parts: readonly ResponsePart[] }) {
  const last = parts.at(-1);
  if (last?.kind === 'markdown' || last?.kind === 'inputRequest' || last?.kind === 'toolCall') return null;
  return <p class="at-work">Working…</p>;
}

const words = { complete: '', cancelled: 'Stopped', error: 'Failed' } as const;

function Ending({ turn: { state, duration, usage, message } }: { readonly turn: Turn }) {
  const model = usage?.model ?? message.model?.id;
  return (
    <footer class="turn-end">
      {words[state] !== '' && <strong>{words[state]}</strong>}
      {duration !== undefined && <span>{lasting(duration)}</span>}
      {model !== undefined && <span>{model}</span>}
      {usage && <UsageLine usages={[usage]} />}
    </footer>
  );
}
