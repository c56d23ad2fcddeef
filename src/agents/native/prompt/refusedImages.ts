// Pictures that a provider has refused stay away from its model for the rest of the chat; newer ones are tried. A note in the log keeps it.
import type { TurnContext } from '../../../host/agent.ts';
import type { Json, TurnId } from '../../../model/event.ts';
import { notesOf } from '../../../model/state.ts';

export interface RefusedPictures {
  /** The last turn whose pictures, and those before it, the model is not shown. */
  readonly refused: TurnId | undefined;
  /** Those of the running turn, and all before it, were refused. */
  refuse(): void;
}

export function refusedPictures(
  turn: Pick<TurnContext, 'session' | 'state'>,
  model: string,
  note: (key: string, value: Json) => void,
): RefusedPictures {
  const state = turn.state();
  const key = `pictures:${turn.session.chat}`;
  const known = new Map<string, Json>(
    Object.entries(notesOf(state, 'agents/native')[`${state.agent}:${key}`] ?? {}),
  );
  const refused = known.get(model);
  return {
    refused: typeof refused === 'string' ? refused : undefined,
    refuse: () => note(key, Object.fromEntries(known.set(model, turn.session.turn))),
  };
}
