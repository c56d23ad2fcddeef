// Progress of the hooks that run before the agent begins a turn. Recorded only where there are such hooks; a door that shows their output in order waits for it.
import type { Event, EventOf, Preparation, PreparationStage, TurnId } from '../../model/event.ts';
import type { State, Turn } from '../../model/state.ts';
import type { Hook } from '../settings/projectKnowledge.ts';

const order: readonly PreparationStage[] = ['opening', 'message', 'agent'];

/** The events of one decision, with a word in front of each turn that programs of the user come before. */
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
  // What was said while the turn before it ran has been shown already.
  if (hooks.some(({ on }) => on === opens) && !chats[chat]?.steering.some(({ id }) => id === message.id))
    return 'opening';
  return hooks.some(({ on }) => on === opens || on === 'preRequest') ? 'message' : undefined;
}

/** Says that a turn has come further; nothing where it is as far already, or no hook comes before it. */
export function furtherPreparation(
  state: State,
  turn: Turn,
  stage: PreparationStage,
): EventOf<'turn.prepared'> | undefined {
  const now = preparationOf(state, turn);
  if (!now || order.indexOf(stage) <= order.indexOf(now.stage)) return undefined;
  return prepared(turn.id, { stage, early: now.stage === 'opening' ? turn.items.length : now.early });
}

/** An agent that works has begun, whatever was said about it. */
export function preparationOf(state: State, turn: Turn | undefined): Preparation | undefined {
  const now = turn && recorded(state, turn.id);
  if (!turn || !now || now.stage === 'agent') return now;
  const works = turn.items.findIndex(({ type }, at) => at >= now.early && type !== 'notice');
  if (works < 0 && !('outcome' in turn)) return now;
  return {
    stage: 'agent',
    early: now.stage === 'message' ? now.early : works < 0 ? turn.items.length : works,
  };
}

function prepared(turn: TurnId, { stage, early }: Preparation): EventOf<'turn.prepared'> {
  return { kind: 'turn.prepared', turn, stage, early };
}

function recorded({ preparations }: State, turn: TurnId): Preparation | undefined {
  return Object.hasOwn(preparations, turn) ? preparations[turn] : undefined;
}
