// The images that a provider refused: its model does not get them again in this chat, but it gets newer ones.
import type { AgentFact, TurnContext } from '../../../host/agent.ts';
import type { TurnId } from '../../../model/event.ts';

export interface RefusedImages {
  /** The model does not get the images of this turn and of all turns before it. */
  readonly upTo: TurnId | undefined;
  /** Records that the provider refused an image of the running turn or of an earlier one. */
  refuse(): void;
}

export function refusedImages(
  { session: { chat, turn }, state }: Pick<TurnContext, 'session' | 'state'>,
  model: string,
  record: (fact: AgentFact) => void,
): RefusedImages {
  const refused = state().chats[chat]?.refusedImages ?? {};
  return {
    upTo: Object.hasOwn(refused, model) ? refused[model] : undefined,
    refuse: () => record({ kind: 'images.refused', chat, upTo: { [model]: turn } }),
  };
}
