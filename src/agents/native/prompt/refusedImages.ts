// The images that a provider refused: its model does not get them again in this chat, but it gets newer ones.
// A note in the log remembers it.
import type { TurnContext } from '../../../host/agent.ts';
import type { Json, TurnId } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';

export interface RefusedImages {
  /** The model does not get the images of this turn and of all turns before it. */
  readonly upTo: TurnId | undefined;
  /** Records that the provider refused an image of the running turn or of an earlier one. */
  refuse(): void;
}

export function refusedImages(
  { session, state }: Pick<TurnContext, 'session' | 'state'>,
  model: string,
  note: (key: string, value: Json) => void,
): RefusedImages {
  const { agent } = state();
  const key = `pictures:${session.chat}`;
  const turns = new Map<string, Json>(
    Object.entries(notesOf(state(), 'agents/native')[`${agent}:${key}`] ?? {}),
  );
  const upTo = turns.get(model);
  return {
    upTo: typeof upTo === 'string' ? upTo : undefined,
    refuse: () => note(key, Object.fromEntries(turns.set(model, session.turn))),
  };
}
