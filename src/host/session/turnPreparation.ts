// Progress of the hooks that run before the agent starts a turn. Recorded only if there are such hooks; a
// door that shows their output in order waits for it.
import type { Event, EventOf, Preparation, PreparationStage, TurnId } from '../../model/event.ts';
import type { State, Turn } from '../../model/state.ts';
import type { Hook } from '../settings/projectKnowledge.ts';

const order: readonly PreparationStage[] = ['opening', 'message', 'agent'];

/** The events of one decision, with `turn.prepared` before each turn that hooks run before. */
export function withPreparation(
  state: State,
  events: readonly Event[],
  hooks: () => readonly Hook[],
): readonly Event[] {
  return events.flatMap((event): Event[] => {
    if (event.kind === 'turn.resumed')
      return recorded(state, event.turn)
        ? [
            prepared(event.turn, {
              stage: 'agent',
              early: preparationOf(state, state.chats[event.chat]?.turns.at(-1))?.early ?? 0,
            }),
            event,
          ]
        : [event];
    const stage = event.kind === 'turn.started' ? firstStage(state, event, hooks()) : undefined;
    return stage && 'turn' in event ? [prepared(event.turn, { stage, early: 0 }), event] : [event];
  });
}

function firstStage(
  { chats }: State,
  { chat, message }: EventOf<'turn.started'>,
  hooks: readonly Hook[],
): PreparationStage | undefined {
  const opens = chats[chat]?.origin.type === 'tool' ? 'subagentStart' : 'chatStart';
  // A message that steered the turn before has been shown already.
  if (hooks.some(({ on }) => on === opens) && !chats[chat]?.steering.some(({ id }) => id === message.id))
    return 'opening';
  return hooks.some(({ on }) => on === opens || on === 'preRequest') ? 'message' : undefined;
}

/** The event for a later stage; undefined if the turn has reached it already, or no hook runs before it. */
export function furtherPreparation(
  state: State,
  turn: Turn,
  stage: PreparationStage,
): EventOf<'turn.prepared'> | undefined {
  const now = preparationOf(state, turn);
  if (!now || order.indexOf(stage) <= order.indexOf(now.stage)) return undefined;
  return prepared(turn.id, { stage, early: now.stage === 'opening' ? turn.items.length : now.early });
}

/** The stage of a turn. A turn with output counts as started by its agent, whatever was recorded. */
export function preparationOf(state: State, turn: Turn | undefined): Preparation | undefined {
  const now = turn && recorded(state, turn.id);
  if (!turn || !now || now.stage === 'agent') return now;
  const output = turn.items.findIndex(({ type }, at) => at >= now.early && type !== 'notice');
  if (output < 0 && !('outcome' in turn)) return now;
  if (now.stage === 'message') return { stage: 'agent', early: now.early };
  return { stage: 'agent', early: output < 0 ? turn.items.length : output };
}

function prepared(turn: TurnId, { stage, early }: Preparation): EventOf<'turn.prepared'> {
  return { kind: 'turn.prepared', turn, stage, early };
}

function recorded({ preparations }: State, turn: TurnId): Preparation | undefined {
  return Object.hasOwn(preparations, turn) ? preparations[turn] : undefined;
}
