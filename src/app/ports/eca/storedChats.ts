// Stored chats and their messages as ECA's `read-chat` command prints them.
import { rowsOf } from '../../../doors/eca/inbound/chats.ts';
import { storedMessages } from '../../../doors/eca/remote/stored.ts';
import type { StoredMessage } from '../../../doors/eca/remote/stored.ts';
import type { Summary } from '../../../host/session/summary.ts';
import type { State } from '../../../model/state.ts';

/** From `since` up to, but not including, `until`; milliseconds since 1970. */
export interface Period {
  readonly since: number;
  readonly until: number;
}

/** The most recently changed chat comes first. */
export function chatRecords(summaries: readonly Summary[], { since, until }: Period): readonly object[] {
  return summaries
    .flatMap((summary) =>
      rowsOf(summary).map(({ messageCount: _, ...row }) => ({
        ...row,
        userPromptCount: summary.chats.find(({ id }) => id === row.id)?.turns ?? 0,
      })),
    )
    .filter(({ updatedAt }) => updatedAt >= since && updatedAt < until)
    .toSorted((a, b) => b.updatedAt - a.updatedAt);
}

/** `role` keeps the messages of one role only. */
export function messageRecords(
  state: State,
  chat: string,
  { role, since, until }: Period & { readonly role: string | undefined },
): readonly StoredMessage[] {
  return storedMessages(state, chat)
    .map(({ message }) => message)
    .filter((message) => role === undefined || message.role === role)
    .filter(({ createdAt }) => createdAt >= since && createdAt < until);
}
