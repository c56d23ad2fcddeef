// A client that lost its connection: it gets what it missed out of the log, or snapshots where that is too much. Survives a restart of the host.
import type { Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { StateAction } from '../../../protocols/ahp/v1_0/actions.ts';
import { answered } from '../delivery/answers.ts';
import type { Answering } from '../delivery/answers.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Envelope } from '../delivery/outgoing.ts';
import { seqUpTo } from '../delivery/serverSeq.ts';
import type { Missed } from '../delivery/subscriptions.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { V1_0Connection } from './connection.ts';
import { agentInfos } from '../outbound/agents.ts';
import { rootState } from './outbound/rootState.ts';

/** More missed actions than this and snapshots are cheaper for both sides. */
const replayLimit = 5_000;

/** The actions are of whatever version they were projected for. */
type Result =
  | { readonly type: 'replay'; readonly actions: readonly Envelope[]; readonly missing: readonly string[] }
  | Extract<Requests['reconnect']['result'], { readonly type: 'snapshot' }>;

export function reconnect(
  client: V1_0Connection,
  { lastSeenServerSeq: seen, subscriptions }: Requests['reconnect']['params'],
): Answering<Result> {
  return answered(async (answer) => {
    const wanted = [...new Set(subscriptions)];
    const found = await Promise.all(wanted.map((uri) => client.find(uri)));
    const missing = wanted.filter((_, i) => !found[i]);
    const known = found.flatMap((channel) => channel ?? []);
    const isPast = Number.isSafeInteger(seen) && seen >= 0 && seen <= seqUpTo(client.host.shown + 1);
    const arrived = (missed?: readonly Missed[]) => {
      const all = known.every(({ uri }) => client.subscriptions.follows(uri));
      // Which turns the client had loaded is not known any more, so it cannot be told to go back to one of them.
      const goesBack = missed?.some(
        ({ outgoing: { action } }) => action.type === 'chat/truncated' && 'turnId' in action,
      );
      answer(
        missed && all && !goesBack
          ? replay(client, known, { seen, missed, missing })
          : snapshots(client, known),
      );
    };
    // What is in no log cannot be told again, only shown as it is now.
    const channels = known.flatMap(({ uri, session, target }) =>
      target.kind === 'live' ? [] : [{ session, channel: uri, target }],
    );
    if (!isPast || channels.length < known.length) return arrived();
    await client.subscriptions.addFrom(seen, channels, { limit: replayLimit, arrived });
  });
}

function snapshots(client: V1_0Connection, known: readonly ResolvedChannel[]): Result {
  client.subscriptions.removeAll();
  return { type: 'snapshot', snapshots: known.flatMap((channel) => client.enter(channel) ?? []) };
}

function replay(
  client: V1_0Connection,
  known: readonly ResolvedChannel[],
  { seen, missed, missing }: { seen: number; missed: readonly Missed[]; missing: readonly string[] },
): Result {
  client.outlet.saw(seen);
  for (const { uri } of known) client.names.heard(uri);
  const actions = missed.map(({ channel, outgoing }) => {
    client.outlet.saw(outgoing.seq);
    return outgoing.envelope(channel);
  });
  const extended = known.flatMap(({ uri, session, target }) =>
    target.kind === 'session' ? [extendedAgain(client, uri, session)] : [],
  );
  return {
    type: 'replay',
    actions: [
      ...actions,
      ...extended,
      ...(known.some(({ target }) => target.kind === 'root') ? rootNews(client) : []),
    ],
    missing,
  };
}

/** What extends the agents of a session is in no log, so it is told again. */
function extendedAgain(client: V1_0Connection, channel: string, session: Session): Envelope {
  const action: StateAction = {
    type: 'session/customizationsChanged',
    customizations: client.customizations.enter(channel, session),
  };
  return { channel, action, serverSeq: client.outlet.nextSeq() };
}

/** What the log does not tell of the root is told again as it is. */
function rootNews(client: V1_0Connection): readonly Envelope[] {
  const agents: StateAction = {
    type: 'root/agentsChanged',
    agents: agentInfos(client.host, client.resources),
  };
  const { terminals } = client.outside;
  const list: readonly StateAction[] = terminals ? [{ type: 'root/terminalsChanged', terminals }] : [];
  const busy: StateAction = {
    type: 'root/activeSessionsChanged',
    activeSessions: rootState(client.host, client.resources).activeSessions ?? 0,
  };
  client.watchRoot();
  return [
    { channel: rootChannel, action: agents, serverSeq: client.outlet.nextSeq() },
    { channel: rootChannel, action: busy, serverSeq: client.outlet.nextSeq() },
    ...list.map((action) => ({ channel: rootChannel, action, serverSeq: client.outlet.nextSeq() })),
  ];
}
