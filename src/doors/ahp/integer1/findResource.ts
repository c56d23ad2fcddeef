// Finds the resource of a version 1 URI and returns its current state.
import type { Snapshot } from '../../../protocols/ahp/integer1/state.ts';
import { configuredAgent, sessionConfigOf, configSchema } from '../inbound/sessionConfig.ts';
import type { ResolvedChannel } from '../connection.ts';
import { readToolTerminal } from '../outbound/content.ts';
import { openLocated } from '../channels/locate.ts';
import { chatTarget, rootTarget } from '../channels/target.ts';
import type { Target, ToolTerminal } from '../channels/target.ts';
import { toolAt } from '../outbound/toolTerminal.ts';
import { toolTerminalState } from '../v1_0/outbound/terminalState.ts';
import { thinTerminal } from './outbound/terminalState.ts';
import type { Integer1Connection } from './connection.ts';
import { flatCustomizations } from './outbound/customizations.ts';
import { locate } from './inbound/locate.ts';
import { rootState } from './outbound/rootState.ts';
import { sessionState } from './outbound/sessionState.ts';

/** Waits until the resource is durable. The result can be subscribed to in the same step as others. */
export async function find(
  { host, clients, liveResources }: Integer1Connection,
  uri: string,
): Promise<ResolvedChannel | undefined> {
  if (liveResources.knows(uri)) return { uri, session: host.own, target: { kind: 'live' } };
  const terminal = readToolTerminal(uri);
  if (terminal) {
    const session = await openLocated(host, { id: terminal.session });
    const { chat, turn, tool } = terminal;
    const target: ToolTerminal = { kind: 'terminal', chat, turn, tool };
    return session && toolAt(session.state, target) ? { uri, session, target } : undefined;
  }
  const located = locate(host, uri);
  if (located === undefined || located === 'root')
    return located && { uri, session: host.own, target: rootTarget };
  const session = await openLocated(host, located);
  if (!session) return undefined;
  clients.tend(session);
  if (!session.settledNow && (session.state.seq === 0 || located.chatIn(session.state) === undefined))
    await session.settled().catch(() => {});
  // What its workspace has to say can be set from the first snapshot on.
  await host.knowledge.of(session.state.roots);
  const chat = session.state.seq === 0 ? undefined : located.chatIn(session.state);
  return chat === undefined ? undefined : { uri, session, target: chatTarget(chat) };
}

export function stateOf(
  client: Integer1Connection,
  { uri, session, target }: ResolvedChannel<Target>,
): Snapshot['state'] | undefined {
  if (target.kind === 'root') return rootState(client.host, client.resources, client.liveResources.terminals);
  const { state } = session;
  if (target.kind === 'terminal') {
    const terminal = toolTerminalState(state, target, (id) => client.nameOf(id));
    return terminal && thinTerminal(terminal);
  }
  const shown = target.kind === 'chat' ? sessionState(client.shown(session), target.chat, uri) : undefined;
  const config = {
    schema: configSchema(configuredAgent(client.host, state.agent, state.roots)),
    values: sessionConfigOf(state).values,
  };
  return (
    shown && {
      ...shown,
      customizations: flatCustomizations(client.customizations.enter(uri, session)),
      config,
    }
  );
}
