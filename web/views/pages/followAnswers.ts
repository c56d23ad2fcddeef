// Follows the last turns of the newest sessions for what was answered in them.
import { effect } from '@preact/signals';
import type { Channel } from '../../../client/connection/channel.ts';
import type { Client } from '../../../client/connection/client.ts';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChatState } from '../../../src/protocols/ahp/v1_0/state.ts';
import { answeredIn } from './answered.ts';
import type { AnsweredAsk } from './answered.ts';
import { newestFirst } from './sessionGroups.ts';

export interface AnsweredInSession extends AnsweredAsk {
  readonly session: URI;
}

const most = { sessions: 12, chats: 24, turns: 10, shown: 100 };

/** Calls back with the newest first, once something is known. The returned function ends it. */
export function followAnswers(
  client: Client,
  onAnswers: (answers: readonly AnsweredInSession[]) => void,
): () => void {
  const newest = newestFirst([...client.sessions.peek().values()]).slice(0, most.sessions);
  const sessions = newest.map(({ resource }) => client.open('session', resource));
  const chats = new Map<URI, Channel<ChatState>>();
  const chatOf = (uri: URI): Channel<ChatState> | undefined => {
    if (!chats.has(uri) && chats.size < most.chats)
      chats.set(uri, client.open('chat', uri, { turns: most.turns }));
    return chats.get(uri);
  };
  const stop = effect(() => {
    const followed = sessions.flatMap((session) =>
      (session.state.value?.chats ?? []).flatMap(({ resource }) => {
        const chat = chatOf(resource);
        return chat ? [{ session: session.uri, chat }] : [];
      }),
    );
    const found = followed.flatMap(({ session, chat }) =>
      (chat.state.value ? answeredIn(chat.state.value) : []).map((answer) => ({ ...answer, session })),
    );
    const isLoading = [...sessions, ...followed.map(({ chat }) => chat)].some(isOpening);
    if (found.length === 0 && isLoading) return;
    onAnswers(found.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, most.shown));
  });
  return () => {
    stop();
    for (const channel of [...sessions, ...chats.values()]) client.release(channel);
  };
}

function isOpening({ status }: Pick<Channel, 'status'>): boolean {
  return status.value.kind === 'opening';
}
