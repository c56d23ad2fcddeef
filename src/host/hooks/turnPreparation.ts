// How far a turn has come before its agent begins: programs of the user may run first, and a door that shows them in their place waits for them. A note in the log, and only where there are such programs.
import type { Event, EventOf, Json, TurnId } from '../../model/event.ts';
import type { State, Turn } from '../../model/state.ts';
import type { Hook } from '../settings/projectKnowledge.ts';

/** What comes next: the programs that open a chat, those that see its message, or the agent. */
export type Stage = 'opening' | 'message' | 'agent';

export interface Preparation {
  readonly stage: Stage;
  /** How many items of the turn came before its message was taken up. */
  readonly early: number;
}

const door = 'host';
const prefix = 'prepared ';
const order: readonly Stage[] = ['opening', 'message', 'agent'];

/** The events of one decision, with a word in front of each turn that programs of the user come before. */
export function withPreparation(
  state: State,
  events: readonly Event[],
  hooks: () => readonly Hook[],
): readonly Event[] {
  return events.flatMap((event): Event[] => {
    if (event.kind === 'turn.resumed')
      return noteOf(state, event.turn)
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
): Stage | undefined {
  const opens = chats[chat]?.origin.type === 'tool' ? 'subagentStart' : 'chatStart';
  // What was said while the turn before it ran has been shown already.
  if (hooks.some(({ on }) => on === opens) && !chats[chat]?.steering.some(({ id }) => id === message.id))
    return 'opening';
  return hooks.some(({ on }) => on === opens || on === 'preRequest') ? 'message' : undefined;
}

/** The note that a turn has come further; nothing where it is as far already, or nothing comes before it. */
export function furtherNote(state: State, turn: Turn, stage: Stage): EventOf<'note'> | undefined {
  const now = preparationOf(state, turn);
  if (!now || order.indexOf(stage) <= order.indexOf(now.stage)) return undefined;
  return prepared(turn.id, { stage, early: now.stage === 'opening' ? turn.items.length : now.early });
}

/** An agent that works has begun, whatever was said about it. */
export function preparationOf(state: State, turn: Turn | undefined): Preparation | undefined {
  const now = turn && noteOf(state, turn.id);
  if (!turn || !now || now.stage === 'agent') return now;
  const works = turn.items.findIndex(({ type }, at) => at >= now.early && type !== 'notice');
  if (works < 0 && !('outcome' in turn)) return now;
  return {
    stage: 'agent',
    early: now.stage === 'message' ? now.early : works < 0 ? turn.items.length : works,
  };
}

/** The turn that such a note is about. */
export function preparedTurn({ door: from, key }: EventOf<'note'>): TurnId | undefined {
  return from === door && key.startsWith(prefix) ? key.slice(prefix.length) : undefined;
}

function prepared(turn: TurnId, { stage, early }: Preparation): EventOf<'note'> {
  return { kind: 'note', door, key: `${prefix}${turn}`, value: { stage, early } };
}

function noteOf({ notes }: State, turn: TurnId): Preparation | undefined {
  const key = `${door}:${prefix}${turn}`;
  const value: Json | undefined = Object.hasOwn(notes, key) ? notes[key] : undefined;
  if (typeof value !== 'object' || value === null || !('stage' in value)) return undefined;
  const stage = order.find((each) => each === value['stage']);
  return stage && { stage, early: typeof value['early'] === 'number' ? value['early'] : 0 };
}
