// A client that lost its connection: it gets what it missed out of the log, or snapshots where that is too
// much. Survives a restart of the host.
import type { Requests } from '../../../protocols/ahp/v1_0/commands.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import type { StateAction } from '../../../protocols/ahp/v1_0/actions.ts';
import { answerSynchronously } from '../delivery/answers.ts';
import type { SynchronousAnswer } from '../delivery/answers.ts';
import type { Envelope } from '../delivery/outgoing.ts';
import { missedActions, resume, unloggedActions } from '../delivery/resume.ts';
import type { Catching, ResumeFrom } from '../delivery/resume.ts';
import type { AddressedAction } from '../delivery/subscriptions.ts';
import type { ResolvedChannel } from '../connection.ts';
import type { V1_0Connection } from './connection.ts';
import { rootState } from '../outbound/rootState.ts';

/** The actions are of whatever version they were projected for. */
type Result =
  | { readonly type: 'replay'; readonly actions: readonly Envelope[]; readonly missing: readonly string[] }
  | Extract<Requests['reconnect']['result'], { readonly type: 'snapshot' }>;

export function reconnect(
  client: V1_0Connection,
  { lastSeenServerSeq: seen, subscriptions }: Requests['reconnect']['params'],
  catching: Catching,
): SynchronousAnswer<Result> {
  return answerSynchronously(async (answer) => {
    const wanted = [...new Set(subscriptions)];
    const found = await Promise.all(wanted.map((uri) => client.find(uri)));
    const missing = wanted.filter((_, i) => !found[i]);
    const channels = found.flatMap((channel) => channel ?? []);
    const from: ResumeFrom = { seen, smallest: 0, channels, catching };
    await resume(client, from, (missed) => {
      if (!missed || (catching !== 'actions' && missed.some(goesBack)))
        return answer(snapshots(client, channels));
      const actions = [...missedActions(client, from, missed), ...unlogged(client, channels)];
      answer({ type: 'replay', actions, missing });
    });
  });
}

/** The turns that the client had loaded are unknown, so it cannot apply a truncation to one of them. */
function goesBack({ outgoing: { action } }: AddressedAction): boolean {
  return action.type === 'chat/truncated' && 'turnId' in action;
}

function snapshots(client: V1_0Connection, channels: readonly ResolvedChannel[]): Result {
  client.subscriptions.removeAll();
  return { type: 'snapshot', snapshots: channels.flatMap((channel) => client.enter(channel) ?? []) };
}

/** State that is in no log is sent again in full: customizations and the root. */
function unlogged(client: V1_0Connection, channels: readonly ResolvedChannel[]): readonly Envelope[] {
  const extended = channels
    .filter(({ target }) => target.kind === 'session')
    .map(({ uri, session }) => ({
      channel: uri,
      action: {
        type: 'session/customizationsChanged',
        customizations: client.customizations.enter(uri, session),
      },
    }));
  const isRoot = channels.some(({ target }) => target.kind === 'root');
  const root = isRoot ? rootActions(client).map((action) => ({ channel: rootChannel, action })) : [];
  const actions = unloggedActions(client, [...extended, ...root]);
  if (isRoot) client.watchRoot();
  return actions;
}

function rootActions({ host, resources, liveResources }: V1_0Connection): readonly StateAction[] {
  const { agents, activeSessions = 0, terminals } = rootState(host, resources, liveResources.terminals);
  return [
    { type: 'root/agentsChanged', agents },
    { type: 'root/activeSessionsChanged', activeSessions },
    ...(terminals ? [{ type: 'root/terminalsChanged', terminals } as const] : []),
  ];
}
