// The turns of one chat, oldest first, and the one that is running. Finished turns are not touched while the running one grows.
import { useMemo, useRef } from 'preact/hooks';
import type { ActiveTurn, ChatState, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Channel } from '../../client/channel.ts';
import { LazyBlock } from '../parts/LazyBlock.tsx';
import { memo } from '../parts/memo.tsx';
import { EarlierTurns } from './EarlierTurns.tsx';
import { estimateTurn, sameItems, stretchesAround } from './stretches.ts';
import type { AnyTurn } from './stretches.ts';
import { TurnView } from './TurnView.tsx';

export function Conversation({ channel }: { readonly channel: Channel<ChatState> }) {
  const state = channel.state.value;
  const condition = channel.condition.value;
  if (!state) return <p class="hint">{condition.kind === 'gone' ? condition.why : 'Loading…'}</p>;
  const { turns, activeTurn, turnsNextCursor } = state;
  if (turns.length === 0 && !activeTurn)
    return <p class="empty">Nothing has been said yet. Write the first message below.</p>;
  return (
    <>
      {turnsNextCursor !== undefined && <EarlierTurns chat={channel.uri} cursor={turnsNextCursor} />}
      <Turns turns={turns} activeTurn={activeTurn} />
    </>
  );
}

interface TurnsProps {
  readonly turns: readonly Turn[];
  readonly activeTurn: ActiveTurn | undefined;
}

/** A turn stays where it is when it ends, so that nothing a person unfolded in it folds again. */
function Turns({ turns, activeTurn }: TurnsProps) {
  // Stretches begin at a turn that stays, so that older turns loaded before it do not shift them all.
  const anchor = useRef(turns[0]?.id ?? activeTurn?.id);
  const stretches = useMemo(
    () => stretchesAround(activeTurn ? [...turns, activeTurn] : turns, anchor.current),
    [turns, activeTurn?.id],
  );
  const older = useMemo(() => stretches.slice(0, -1), [stretches]);
  const final = stretches.at(-1) ?? [];
  const current = activeTurn ? [...final.slice(0, -1), activeTurn] : final;
  return (
    <>
      <Older stretches={older} />
      <div key={current[0]?.id} class="stretch">
        {current.map((turn, index) => (
          <TurnView key={turn.id} turn={turn} last={!activeTurn && index === current.length - 1} />
        ))}
      </div>
    </>
  );
}

const Older = memo(function Older({ stretches }: { readonly stretches: readonly (readonly AnyTurn[])[] }) {
  return (
    <>
      {stretches.map((stretch) => (
        <Stretch key={stretch[0]?.id} turns={stretch} />
      ))}
    </>
  );
});

const Stretch = memo(
  function Stretch({ turns }: { readonly turns: readonly AnyTurn[] }) {
    const estimate = turns.reduce((sum, turn) => sum + estimateTurn(turn), 0);
    return (
      <LazyBlock estimate={estimate}>
        {() => turns.map((turn) => <TurnView key={turn.id} turn={turn} last={false} />)}
      </LazyBlock>
    );
  },
  (before, after) => sameItems(before.turns, after.turns),
);
