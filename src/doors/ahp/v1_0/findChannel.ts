// Finds the channel of an AHP 1.0 URI and returns its current state.
import { present } from '../../../base/present.ts';
import type { Host } from '../../../host/host.ts';
import type { Session } from '../../../host/session/session.ts';
import type { SessionId } from '../../../model/event.ts';
import type { SessionState, Snapshot } from '../../../protocols/ahp/v1_0/state.ts';
import { rootChannel } from '../../../protocols/ahp/v1_0/state.ts';
import { configuredAgent, sessionConfigOf, configSchema } from '../inbound/sessionConfig.ts';
import type { ResolvedChannel } from '../connection.ts';
import { readToolTerminal } from '../outbound/content.ts';
import { locate, openLocated, targetIn } from '../channels/locate.ts';
import { rootTarget } from '../channels/target.ts';
import type { Target } from '../channels/target.ts';
import { toolAt } from '../outbound/toolTerminal.ts';
import { toolTerminalState } from './outbound/terminalState.ts';
import { changesetState, readChangeset } from './outbound/changesets.ts';
import { chatState } from './outbound/chatState.ts';
import type { V1_0Connection } from './connection.ts';
import { rootState } from '../outbound/rootState.ts';
import { sessionState } from './outbound/sessionState.ts';

/** Waits until the channel is durable. The result can be subscribed to in the same step as others. */
export async function find(client: V1_0Connection, uri: string): Promise<ResolvedChannel | undefined> {
  const { host, liveResources } = client;
  if (liveResources.knows(uri)) return { uri, session: host.own, target: { kind: 'live' } };
  const inner = readInner(uri);
  if (inner) return findInner(host, uri, inner);
  const located = locate(client, uri);
  if (located === undefined || located === 'root')
    return located && { uri: rootChannel, session: host.own, target: rootTarget };
  const session = await openLocated(host, located);
  if (!session) return undefined;
  client.clients.tend(session);
  if (!session.settledNow && (session.state.seq === 0 || targetIn(session.state, located) === undefined))
    await session.settled().catch(() => {});
  const target = session.state.seq === 0 ? undefined : targetIn(session.state, located);
  // What its workspace has to say can be set from the first snapshot on.
  if (target?.kind === 'session') await host.knowledge.of(session.state.roots);
  return target && { uri, session, target };
}

/** Changes are those of a session, or of a turn that has ended. */
function exists({ state }: Session, target: InnerTarget): boolean {
  return (
    (target.kind === 'terminal' ? toolAt(state, target) : changesetState(state, target.turn)) !== undefined
  );
}

async function findInner(
  host: Host,
  uri: string,
  { session: id, target }: InnerChannel,
): Promise<ResolvedChannel | undefined> {
  const session = await openLocated(host, { id });
  return session && session.state.seq > 0 && exists(session, target) ? { uri, session, target } : undefined;
}

interface InnerChannel {
  readonly session: SessionId;
  readonly target: InnerTarget;
}

type InnerTarget = Extract<Target, { readonly kind: 'changes' | 'terminal' }>;

/** A channel that its URI places inside a session: file changes, or the terminal of a tool call. */
function readInner(uri: string): InnerChannel | undefined {
  const changeset = readChangeset(uri);
  if (changeset)
    return {
      session: changeset.session,
      target: present({ kind: 'changes' as const, turn: changeset.turn }),
    };
  const terminal = readToolTerminal(uri);
  if (!terminal) return undefined;
  const { session, ...call } = terminal;
  return { session, target: { kind: 'terminal', ...call } };
}

export function stateOf(
  client: V1_0Connection,
  { uri, session, target }: ResolvedChannel<Target>,
  turns: number | undefined,
): Snapshot['state'] | undefined {
  const { state } = session;
  switch (target.kind) {
    case 'root':
      return rootState(client.host, client.resources, client.liveResources.terminals);
    case 'session':
      return sessionOf(client, uri, session);
    case 'changes':
      return changesetState(state, target.turn);
    case 'terminal':
      return toolTerminalState(state, target, (id) => client.nameOf(id));
    case 'chat': {
      const chat = chatState(client.shown(session), target.chat, turns);
      return chat && { ...client.translation.chat(chat), resource: uri };
    }
    default:
      return target satisfies never;
  }
}

/** Adds the parts that are in no log: possible settings and customizations. */
function sessionOf(client: V1_0Connection, uri: string, session: Session): SessionState {
  const { host, customizations, translation } = client;
  const state = client.shown(session);
  const config = {
    schema: configSchema(configuredAgent(host, state.agent, state.roots)),
    values: sessionConfigOf(state).values,
  };
  const shown = { ...sessionState(state), customizations: customizations.enter(uri, session), config };
  return translation.session(shown);
}
