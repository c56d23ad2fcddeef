// What a chat says beside its turns. Pure.
import { statusBits } from '../src/protocols/ahp/status.ts';
import type { ChatState } from '../src/protocols/ahp/v1_0/state.ts';

/** What the chat does while no part of a turn shows it: it waits for an agent that has not stopped yet. */
export function activityBeside({ activeTurn, activity, status }: ChatState): string | undefined {
  const isShown = status % 32 === statusBits.error || (activeTurn?.responseParts.length ?? 0) > 0;
  return isShown ? undefined : activity;
}
