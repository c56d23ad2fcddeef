// What a chat says beside its turns. Pure.
import type { ChatState } from '../src/protocols/ahp/v1_0/state.ts';

/** What the chat does while no part of a turn shows it: it waits for an agent that has not stopped yet. */
export function activityBeside({ turns, activeTurn, activity }: ChatState): string | undefined {
  const parts = activeTurn ? activeTurn.responseParts : (turns.at(-1)?.responseParts ?? []);
  const isShown = activeTurn
    ? parts.length > 0
    : parts.some((part) => part.kind === 'error' && part.error.message === activity);
  return isShown ? undefined : activity;
}
