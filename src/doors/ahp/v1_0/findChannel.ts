// Finds the channel that a URI of the newest dialect means, and shows it as it is.
import type { Session } from '../../../host/session/session.ts';
import type { SessionState, Snapshot } from '../../../protocols/ahp/v1_0/state.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import { clientsOf } from '../clients.ts';
import { agentOf, configOf, configSchema } from '../inbound/sessionConfig.ts';
import type { Found } from '../connection.ts';
import { readToolTerminal } from '../outbound/content.ts';
import { locate, openLocated, placeIn } from '../channels/locate.ts';
import { changesOf, isChanges, outside, root, whole } from '../delivery/outgoing.ts';
import { isToolPlace, newestToolTerminal, toolAt, toolPlace } from '../outbound/toolTerminal.ts';
import { changesetState, readChangeset } from './outbound/changesets.ts';
import { chatState } from './outbound/chatState.ts';
import type { NewestConnection } from './connection.ts';
import { olderChat, olderSession } from './outbound/v0_9.ts';
import { rootState } from './outbound/rootState.ts';
import { sessionState } from './outbound/sessionState.ts';

/** Waits until the channel is durable; what is found can be entered in the same step as others. */
export async function find(
  { host, outside: others }: NewestConnection,
  uri: string,
): Promise<Found | undefined> {
  if (others.knows(uri)) return { uri, session: host.own, place: outside };
  const changeset = readChangeset(uri);
  const terminal = changeset ? undefined : readToolTerminal(uri);
  const inner = changeset ?? terminal;
  if (inner) {
    const session = await openLocated(host, { id: inner.session });
    const place = terminal ? toolPlace(terminal) : changesOf(changeset?.turn ?? '');
    return session && session.state.seq > 0 && isThere(session, place, changeset?.turn)
      ? { uri, session, place }
      : undefined;
  }
  const located = locate(host, uri);
  if (located === undefined || located === 'root')
    return located && { uri: rootChannel, session: host.own, place: root };
  const session = await openLocated(host, located);
  if (!session) return undefined;
  clientsOf(host).tend(session);
  if (!session.settledNow && (session.state.seq === 0 || placeIn(session.state, located) === undefined))
    await session.settled().catch(() => {});
  const place = session.state.seq === 0 ? undefined : placeIn(session.state, located);
  // What its workspace has to say can be set from the first snapshot on.
  if (place === whole) await host.knowledge.of(session.state.roots);
  return place === undefined ? undefined : { uri, session, place };
}

/** Changes are those of a session, or of a turn that has ended. */
function isThere({ state }: Session, place: string, turn: string | undefined): boolean {
  return (isToolPlace(place) ? toolAt(state, place) : changesetState(state, turn)) !== undefined;
}

export function stateOf(
  client: NewestConnection,
  { uri, session, place }: Found,
  turns: number | undefined,
): Snapshot['state'] | undefined {
  if (place === root) return rootState(client.host, client.resources, client.outside.terminals);
  if (place === whole) return sessionOf(client, uri, session);
  if (isChanges(place)) return changesetState(session.state, readChangeset(uri)?.turn);
  if (isToolPlace(place)) return newestToolTerminal(session.state, place, (id) => client.nameOf(id));
  const chat = chatState(session.state, place, turns);
  return chat && { ...(client.fields === 'basic' ? olderChat(chat) : chat), resource: uri };
}

/** With what is in no log: what can be set, and what extends the agents. */
function sessionOf(
  { host, customizations, fields }: NewestConnection,
  uri: string,
  session: Session,
): SessionState {
  const { state } = session;
  const config = {
    schema: configSchema(agentOf(host, state.agent, state.roots)),
    values: configOf(state).values,
  };
  const shown = { ...sessionState(state), customizations: customizations.enter(uri, session), config };
  return fields === 'basic' ? olderSession(shown) : shown;
}
