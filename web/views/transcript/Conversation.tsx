// The turns of one chat, oldest first. Finished turns are not rendered again while the running one grows.
import { useContext, useMemo, useRef } from 'preact/hooks';
import type { ActiveTurn, ChatState, Turn } from '../../../src/protocols/ahp/v1_0/state.ts';
import { activityBeside } from '../../../client/activityBeside.ts';
import type { Channel } from '../../../client/connection/channel.ts';
import { Loading } from '../parts/Loading.tsx';
import { LazyBlock } from '../parts/LazyBlock.tsx';
import { memo } from '../parts/memo.tsx';
import { EarlierTurns } from './EarlierTurns.tsx';
import { FoundPlaceContext } from './foundPlace.ts';
import { estimateTurnHeight, sameItems, chunkTurns } from './turnChunks.ts';
import type { AnyTurn } from './turnChunks.ts';
import { TurnView } from './TurnView.tsx';

export function Conversation({ channel }: { readonly channel: Channel<ChatState> }) {
  const state = channel.state.value;
  const status = channel.status.value;
  if (!state)
    return status.kind === 'gone' ? <p class="note">{status.reason}</p> : <Loading what="the conversation" />;
  const { turns, activeTurn, turnsNextCursor } = state;
  const activity = activityBeside(state);
  if (turns.length === 0 && !activeTurn) return <p class="empty">No messages yet</p>;
  return (
    <>
      {turnsNextCursor !== undefined && <EarlierTurns chat={channel.uri} cursor={turnsNextCursor} />}
      <Turns turns={turns} activeTurn={activeTurn} />
      {activity !== undefined && (
        <p class="call-line" role="status" dir="auto">
          <span class="status running" />
          {activity}
        </p>
      )}
    </>
  );
}

interface TurnsProps {
  readonly turns: readonly Turn[];
  readonly activeTurn: ActiveTurn | undefined;
}

/** A turn keeps its place in the tree when it ends, so that its unfolded parts stay unfolded. */
function Turns({ turns, activeTurn }: TurnsProps) {
  // Chunks are counted from a fixed turn, so that loading older turns does not shift all chunks.
  const anchor = useRef(turns[0]?.id ?? activeTurn?.id);
  const chunks = useMemo(
    () => chunkTurns(activeTurn ? [...turns, activeTurn] : turns, anchor.current),
    [turns, activeTurn?.id],
  );
  const older = useMemo(() => chunks.slice(0, -1), [chunks]);
  const final = chunks.at(-1) ?? [];
  const current = activeTurn ? [...final.slice(0, -1), activeTurn] : final;
  return (
    <>
      <OlderTurns chunks={older} />
      <div key={current[0]?.id} class="stretch">
        {current.map((turn, index) => (
          <TurnView key={turn.id} turn={turn} last={!activeTurn && index === current.length - 1} />
        ))}
      </div>
    </>
  );
}

const OlderTurns = memo(function OlderTurns({
  chunks,
}: {
  readonly chunks: readonly (readonly AnyTurn[])[];
}) {
  return (
    <>
      {chunks.map((chunk) => (
        <TurnChunk key={chunk[0]?.id} turns={chunk} />
      ))}
    </>
  );
});

const TurnChunk = memo(
  function TurnChunk({ turns }: { readonly turns: readonly AnyTurn[] }) {
    const estimate = turns.reduce((sum, turn) => sum + estimateTurnHeight(turn), 0);
    const found = useContext(FoundPlaceContext)?.turn;
    return (
      <LazyBlock estimate={estimate} always={turns.some(({ id }) => id === found)}>
        {() => turns.map((turn) => <TurnView key={turn.id} turn={turn} last={false} />)}
      </LazyBlock>
    );
  },
  (before, after) => sameItems(before.turns, after.turns),
);
