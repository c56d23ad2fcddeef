// Reconnects a client of version 1: sends the actions that it missed, or snapshots.
// What is gone is left out.
import type { Requests } from '../../../protocols/ahp/integer1/commands.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import type { Envelope } from '../delivery/outgoing.ts';
import { missedActions, resume, unloggedActions } from '../delivery/resume.ts';
import type { Catching, ResumeFrom } from '../delivery/resume.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { Integer1Connection } from './connection.ts';
import { flatCustomizations } from './outbound/customizations.ts';
import { rootState } from './outbound/rootState.ts';
import type { Integer1Action } from './outbound/outgoingAction.ts';

type Result =
  | { readonly type: 'replay'; readonly actions: readonly Envelope[] }
  | Extract<Requests['reconnect']['result'], { readonly type: 'snapshot' }>;

export function reconnect(
  client: Integer1Connection,
  { lastSeenServerSeq: seen, subscriptions }: Requests['reconnect']['params'],
  catching: Catching,
): SynchronousAnswer<Result> {
  return answerSynchronously(async (answer) => {
    const channels = await client.findAll(subscriptions);
    const from: ResumeFrom = { seen, smallest: 1, channels, catching };
    await resume(client, from, (missed) =>
      answer(
        missed
          ? {
              type: 'replay',
              actions: [...missedActions(client, from, missed), ...unlogged(client, from.channels)],
            }
          : snapshots(client, from.channels),
      ),
    );
  });
}

function snapshots(client: Integer1Connection, channels: readonly ResolvedChannel[]): Result {
  client.subscriptions.removeAll();
  return { type: 'snapshot', snapshots: channels.flatMap((channel) => client.enter(channel) ?? []) };
}

/** State that is in no log is sent again as it is: customizations of sessions, and the root. */
function unlogged(client: Integer1Connection, channels: readonly ResolvedChannel[]): readonly Envelope[] {
  const extended = channels
    .filter(({ target }) => target.kind === 'chat')
    .map(({ uri, session }) => ({
      type: 'session/customizationsChanged',
      session: uri,
      customizations: flatCustomizations(client.customizations.enter(uri, session)),
    }));
  const root = channels.some(({ target }) => target.kind === 'root') ? rootActions(client) : [];
  return unloggedActions(
    client,
    [...extended, ...root].map((action) => ({ action })),
  );
}

function rootActions({ host, resources, liveResources }: Integer1Connection): readonly Integer1Action[] {
  const { agents, activeSessions = 0, terminals } = rootState(host, resources, liveResources.terminals);
  return [
    { type: 'root/agentsChanged', agents },
    { type: 'root/activeSessionsChanged', activeSessions },
    ...(terminals ? [{ type: 'root/terminalsChanged', terminals } as const] : []),
  ];
}
