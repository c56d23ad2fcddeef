// Shared by both versions: the parts of creating and disposing of a session. Disposing of a session ends its
// work and never its history.
import { didYouMean } from '../../../base/nearest.ts';
import type { Host } from '../../../host/host.ts';
import { copyPast } from '../../../host/session/importedPast.ts';
import type { ImportedEvent, Session } from '../../../host/session/session.ts';
import type { ChatId, Entry, Origin, SessionChanges, SessionId, TurnId } from '../../../model/event.ts';
import { schemeOf, sessionScheme } from '../channels/channels.ts';
import { configuredAgent, configChanges } from './sessionConfig.ts';
import type { AhpConnection } from '../connection.ts';
import { explainLoss, ahpError } from '../errors.ts';
import { filePath } from '../../../base/fileUri.ts';

/**
 * The agent a session is for: by name, or as the scheme of its URI; the specification's own scheme
 * leaves the choice to us.
 */
export function agentFor(
  host: Host,
  { uri, provider }: { readonly uri: string; readonly provider: string | undefined },
): string {
  const agents = host.agents();
  const scheme = schemeOf(uri);
  const wanted = provider ?? (scheme === sessionScheme ? agents[0]?.id : scheme);
  const agent = agents.find(({ id }) => id === wanted);
  if (!agent)
    throw ahpError(
      'providerNotFound',
      `There is no agent named ${wanted ?? scheme}.` +
        didYouMean(
          wanted ?? scheme,
          agents.map(({ id }) => id),
        ) +
        ' "parley agents" lists the agents.',
    );
  return agent.id;
}

/** The settings that a client chose for a new session. */
export function chosenSettings(
  host: Host,
  { agent, roots }: { readonly agent: string; readonly roots: readonly string[] },
  config: Readonly<Record<string, unknown>>,
): Pick<SessionChanges, 'mode' | 'autonomy' | 'options' | 'clientOptions'> {
  const changes = configChanges(configuredAgent(host, agent, roots), {
    config,
    old: { options: {}, clientOptions: {} },
    misfits: 'left-out',
  });
  return typeof changes === 'string' ? {} : changes;
}

/** Where a session works: the folders that a client names. */
export function rootsFor(directories: readonly string[]): readonly string[] {
  const roots = directories.map((uri) => {
    const path = filePath(uri);
    if (path === undefined)
      throw ahpError('invalidParams', 'Only file URIs of this machine can be working directories.');
    return path;
  });
  return [...new Set(roots)];
}

/** Stops everything that runs in a session; its queue stays, paused, for the next client. */
function endWork(host: Host, session: Session, by: Origin): void {
  for (const chat of Object.values(session.head.chats)) {
    if (!chat.active) continue;
    const outcome = {
      kind: chat.queue.length + chat.steering.length > 0 ? 'interrupted' : 'cancelled',
    } as const;
    session.dispatch(
      { kind: 'endTurn', chat: chat.id, turn: chat.active.id, outcome, next: host.ids.next() },
      by,
    );
  }
}

/**
 * Ends the work of a session that a client deletes, and archives it for everybody: a client's "delete" takes
 * no history away from the others, who do not see sessions without a message. The client itself hears no
 * more.
 */
export async function disposeOf(client: AhpConnection, session: Session, uri: string): Promise<null> {
  endWork(client.host, session, client.origin());
  await whenStored(session);
  client.subscriptions.removeAll(session.id);
  if (session.summary().started && !session.head.archived)
    session.dispatch({ kind: 'changeSession', changes: { archived: true } }, client.origin());
  await whenStored(session);
  client.forget(session.id, uri);
  return null;
}

/** The history of a chat up to and including a turn, as the beginning of a new session. */
export async function forkOf(
  session: Session,
  { chat, turn, as }: { readonly chat: ChatId; readonly turn: TurnId; readonly as: SessionId },
): Promise<readonly ImportedEvent[]> {
  if (!session.state.chats[chat]?.turns.some(({ id }) => id === turn))
    throw ahpError('notFound', 'There is no such turn that has ended.');
  const entries: Entry[] = [];
  for await (const entry of session.entries()) entries.push(entry);
  const last = entries.findLastIndex(
    ({ event }) => event.kind === 'turn.ended' && event.chat === chat && event.turn === turn,
  );
  return copyPast(entries.slice(0, last + 1), { state: session.state, chat, as, title: session.state.title });
}

export async function whenStored(session: Session): Promise<null> {
  try {
    await session.settled();
  } catch (error) {
    throw explainLoss(error);
  }
  return null;
}
