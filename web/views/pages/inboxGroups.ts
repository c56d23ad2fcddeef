// Joins what waits in the inbox: the calls of one turn that can be answered together are one entry. Pure.
import { present } from '../../../src/base/present.ts';
import type { PendingToolCall } from '../../../src/protocols/ahp/v1_0/toolCall.ts';
import type { InboxEntry } from '../../state/inbox.ts';
import { batchOf } from '../transcript/batches.ts';

export interface InboxGroup {
  readonly key: string;
  /** The first entry of a batch. */
  readonly entry: InboxEntry;
  readonly batch?: readonly PendingToolCall[];
}

/** `split` has the keys of turns whose calls are answered each alone. */
export function groupEntries(
  entries: readonly InboxEntry[],
  split: ReadonlySet<string>,
): readonly InboxGroup[] {
  return entries.flatMap((entry) => {
    const call = pendingCall(entry);
    const turn = turnKey(entry);
    const together = entries.filter((other) => turn !== undefined && turnKey(other) === turn);
    const batch =
      turn === undefined || split.has(turn)
        ? []
        : batchOf(together.flatMap((other) => pendingCall(other) ?? []));
    const at = batch.findIndex(({ toolCallId }) => toolCallId === call?.toolCallId);
    if (at > 0) return [];
    const alone = `${entry.session} ${entry.request.id}`;
    return [
      {
        entry,
        ...present({
          key: at === 0 && turn !== undefined ? turn : alone,
          batch: at === 0 ? batch : undefined,
        }),
      },
    ];
  });
}

function turnKey({ session, request }: InboxEntry): string | undefined {
  return request.kind === 'toolConfirmation' ? `${session} ${request.chat} ${request.turnId}` : undefined;
}

function pendingCall({ request }: InboxEntry): PendingToolCall | undefined {
  if (request.kind !== 'toolConfirmation') return undefined;
  return request.toolCall.status === 'pending-confirmation' ? request.toolCall : undefined;
}
