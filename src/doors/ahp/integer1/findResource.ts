// Finds the resource that a URI of version 1 means, and shows it as it is.
import type { Snapshot } from '../../../protocols/ahp/integer1/state.ts';
import { clientsOf } from '../clients.ts';
import { agentOf, configOf, configSchema } from '../inbound/sessionConfig.ts';
import type { Found } from '../connection.ts';
import { readToolTerminal } from '../outbound/content.ts';
import { openLocated } from '../channels/locate.ts';
import { outside, root } from '../delivery/outgoing.ts';
import { isToolPlace, toolAt, toolPlace, v1ToolTerminal } from '../outbound/toolTerminal.ts';
import type { V1Connection } from './connection.ts';
import { thin } from './outbound/customizations.ts';
import { locate } from './inbound/locate.ts';
import { rootState } from './outbound/rootState.ts';
import { sessionState } from './outbound/sessionState.ts';

/** Waits until the resource is durable; what is found can be entered in the same step as others. */
export async function find({ host, outside: others }: V1Connection, uri: string): Promise<Found | undefined> {
  if (others.knows(uri)) return { uri, session: host.own, place: outside };
  const terminal = readToolTerminal(uri);
  if (terminal) {
    const session = await openLocated(host, { id: terminal.session });
    const place = toolPlace(terminal);
    return session && toolAt(session.state, place) ? { uri, session, place } : undefined;
  }
  const located = locate(host, uri);
  if (located === undefined || located === 'root') return located && { uri, session: host.own, place: root };
  const session = await openLocated(host, located);
  if (!session) return undefined;
  clientsOf(host).tend(session);
  if (!session.settledNow && (session.state.seq === 0 || located.placeIn(session.state) === undefined))
    await session.settled().catch(() => {});
  // What its workspace has to say can be set from the first snapshot on.
  await host.knowledge.of(session.state.roots);
  const place = session.state.seq === 0 ? undefined : located.placeIn(session.state);
  return place === undefined ? undefined : { uri, session, place };
}

export function stateOf(client: V1Connection, { uri, session, place }: Found): Snapshot['state'] | undefined {
  if (place === root) return rootState(client.host, client.resources, client.outside.terminals);
  const { state } = session;
  if (isToolPlace(place)) return v1ToolTerminal(state, place, (id) => client.nameOf(id));
  const shown = sessionState(state, place, uri);
  const config = {
    schema: configSchema(agentOf(client.host, state.agent, state.roots)),
    values: configOf(state).values,
  };
  return shown && { ...shown, customizations: thin(client.customizations.enter(uri, session)), config };
}
