// Continues the channels of a client that lost its connection: what it missed comes out of the log, as long
// as that is not too much.
import { encodeNotification } from '../../../rpc/envelope.ts';
import type { AhpConnection, ResolvedChannel } from '../connection.ts';
import type { Envelope } from './outgoing.ts';
import { passOthers } from './passOthers.ts';
import { seqUpTo } from './serverSeq.ts';
import type { AddressedAction } from './subscriptions.ts';

/** More missed actions than this and snapshots are cheaper for both sides. */
const replayLimit = 5_000;

/**
 * Whether a client takes snapshots. One on a pipe that outlives its host does not notice the new host, so it
 * gets every action, however many.
 */
export type Catching = 'actions or snapshots' | 'actions';

export interface ResumeFrom {
  /** The last number that the client has seen. */
  readonly seen: number;
  /** The smallest number that a client can have seen. */
  readonly smallest: number;
  readonly channels: readonly ResolvedChannel[];
  readonly catching: Catching;
}

/**
 * Calls `arrived` in the step in which the client has caught up; without an argument if it needs snapshots.
 */
export async function resume(
  client: AhpConnection,
  { seen, smallest, channels, catching }: ResumeFrom,
  arrived: (missed?: readonly AddressedAction[]) => void,
): Promise<void> {
  // A pipe stays with its host, whose last process has said that its numbers are those of the store.
  const sessions = channels.map(({ session }) => session);
  const isOurs =
    catching === 'actions' || client.clients.canHaveSeen(client.opening.client.id, seen, sessions);
  const isPast =
    isOurs && Number.isSafeInteger(seen) && seen >= smallest && seen <= seqUpTo(client.host.shown + 1);
  if (!isOurs) await passOthers(client.host);
  // Not before: until then the client was not sent anything here again.
  const arrive: typeof arrived = (missed) => {
    if (isPast) client.sendQueue.saw(seen);
    arrived(missed);
  };
  // State that is in no log cannot be replayed, only sent as it is now.
  const logged = channels.flatMap(({ uri, session, target }) =>
    target.kind === 'live' ? [] : [{ session, channel: uri, target }],
  );
  if (!isPast || logged.length < channels.length) return arrive();
  await client.subscriptions.addFrom(seen, logged, {
    limit: catching === 'actions' ? Number.POSITIVE_INFINITY : replayLimit,
    arrived: (missed) => {
      const follows = channels.every(({ uri }) => client.subscriptions.follows(uri));
      arrive(follows ? missed : undefined);
    },
  });
}

/** The envelopes of the actions that a client missed. */
export function missedActions(
  client: AhpConnection,
  { channels }: ResumeFrom,
  missed: readonly AddressedAction[],
): readonly Envelope[] {
  for (const { uri } of channels) {
    client.names.remember(uri);
    client.keepChannel(uri);
  }
  return missed.map(({ channel, outgoing }) => {
    client.sendQueue.saw(outgoing.seq);
    return outgoing.envelope(channel);
  });
}

/** Numbers what is in no log, for the answer. What there are no numbers for yet comes after it. */
export function unloggedActions(
  { sendQueue }: AhpConnection,
  actions: readonly Omit<Envelope, 'serverSeq'>[],
): readonly Envelope[] {
  const { free } = sendQueue;
  for (const each of actions.slice(free))
    sendQueue.tell((seq) => encodeNotification('action', { ...each, serverSeq: seq() }));
  return actions.slice(0, free).map((each) => ({ ...each, serverSeq: sendQueue.nextSeq() }));
}
