// A client of version 1 that lost its connection: it gets what it missed out of the log, or snapshots. What is gone is left out.
import type { Requests } from '../../../protocols/ahp/integer1/commands.ts';
import { answered } from '../delivery/answers.ts';
import type { Answering } from '../delivery/answers.ts';
import type { Envelope } from '../delivery/outgoing.ts';
import { seqUpTo } from '../delivery/serverSeq.ts';
import type { Missed } from '../delivery/subscriptions.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { Integer1Connection } from './connection.ts';
import { thin } from './outbound/customizations.ts';
import { agentInfos, rootState } from './outbound/rootState.ts';
import type { Said } from './outbound/outgoingAction.ts';

/** More missed actions than this and snapshots are cheaper for both sides. */
const replayLimit = 5_000;

type Result =
  | { readonly type: 'replay'; readonly actions: readonly Envelope[] }
  | Extract<Requests['reconnect']['result'], { readonly type: 'snapshot' }>;

export function reconnect(
  client: Integer1Connection,
  { lastSeenServerSeq: seen, subscriptions }: Requests['reconnect']['params'],
): Answering<Result> {
  return answered(async (answer) => {
    const found = await Promise.all([...new Set(subscriptions)].map((uri) => client.find(uri)));
    const known = found.flatMap((one) => one ?? []);
    const arrived = (missed?: readonly Missed[]) => {
      const all = known.every(({ uri }) => client.subscriptions.follows(uri));
      answer(missed && all ? replay(client, known, { seen, missed }) : snapshots(client, known));
    };
    const isPast = Number.isSafeInteger(seen) && seen > 0 && seen <= seqUpTo(client.host.shown + 1);
    // What is in no log cannot be told again, only shown as it is now.
    const channels = known.flatMap(({ uri, session, target }) =>
      target.kind === 'live' ? [] : [{ session, channel: uri, target }],
    );
    if (!isPast || channels.length < known.length) return arrived();
    await client.subscriptions.addFrom(seen, channels, { limit: replayLimit, arrived });
  });
}

function snapshots(client: Integer1Connection, known: readonly ResolvedChannel[]): Result {
  client.subscriptions.removeAll();
  return { type: 'snapshot', snapshots: known.flatMap((one) => client.enter(one) ?? []) };
}

function replay(
  client: Integer1Connection,
  known: readonly ResolvedChannel[],
  { seen, missed }: { seen: number; missed: readonly Missed[] },
): Result {
  client.outlet.saw(seen);
  for (const { uri } of known) client.names.heard(uri);
  const actions = missed.map(({ channel, outgoing }) => {
    client.outlet.saw(outgoing.seq);
    return outgoing.envelope(channel);
  });
  const extended = known
    .filter(({ target }) => target.kind === 'chat')
    .map(({ uri, session }): Envelope => {
      const action = {
        type: 'session/customizationsChanged',
        session: uri,
        customizations: thin(client.customizations.enter(uri, session)),
      };
      return { action, serverSeq: client.outlet.nextSeq() };
    });
  return {
    type: 'replay',
    actions: [
      ...actions,
      ...extended,
      ...(known.some(({ target }) => target.kind === 'root') ? rootNews(client) : []),
    ],
  };
}

/** What the log does not tell of the root is told again as it is. */
function rootNews(client: Integer1Connection): readonly Envelope[] {
  const agents: Said = { type: 'root/agentsChanged', agents: agentInfos(client.host, client.resources) };
  const busy: Said = {
    type: 'root/activeSessionsChanged',
    activeSessions: rootState(client.host, client.resources).activeSessions ?? 0,
  };
  const { terminals } = client.outside;
  const list: readonly Said[] = terminals ? [{ type: 'root/terminalsChanged', terminals }] : [];
  return [agents, busy, ...list].map((action) => ({ action, serverSeq: client.outlet.nextSeq() }));
}
