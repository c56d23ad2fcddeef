// The clients a host knows: their ids, their owners, and who is connected. The ids are stored in the host's
// own log.
import type { Host } from '../../host/host.ts';
import type { ClientTool } from '../../host/tools/clientTools.ts';
import type { Session } from '../../host/session/session.ts';
import type { ChatId, SessionId, ToolId, TurnId, UserMessage } from '../../model/event.ts';
import { present } from '../../base/present.ts';
import type { LentTool } from '../../model/sessionClient.ts';
import { NewChats } from './channels/newChats.ts';
import { ClientPlugins } from './resources/clientPlugins.ts';
import { ClientFiles } from './resources/clientFiles.ts';
import type { ClientResources } from './resources/clientResources.ts';
import { dropNote, hasOldClients, knownClients, noOldClients, takeNote } from './notes.ts';
import type { KnownClient } from './notes.ts';

/** A client of long ago has to introduce itself again. */
const remembered = 256;

/** How long a client that has lost its connection counts as active in its sessions. */
export const grace = 30_000;

interface Present {
  readonly leave: () => void;
  readonly resources: ClientResources | undefined;
}

interface Entering {
  /** The files of the client's machine. */
  readonly resources?: ClientResources;
  /** Set for a client that may only look. */
  readonly visits?: boolean;
}

/** One value for each host: all connections to the host share it. */
export class Clients {
  readonly #host: Host;
  readonly #present = new Map<string, Present>();
  readonly #active = new Map<string, Set<SessionId>>();
  readonly #recalls = new Map<string, () => void>();
  readonly #tended = new WeakSet<Session>();
  /** Clients that may only look; they are known until the host stops. */
  readonly #visitors = new Map<string, KnownClient>();
  /** What clients bring along, as far as it was read. */
  readonly brought = new ClientPlugins();
  readonly newChats = new NewChats();
  /** What each client was sent by this process: since its last snapshot, up to which number, and when. */
  readonly #sent = new Map<string, { readonly from: number; readonly seq: number; readonly at: number }>();
  readonly #files: ClientFiles;

  constructor(host: Host) {
    this.#host = host;
    this.#files = new ClientFiles(host);
  }

  /** What a client attaches to its message can be read from it while the message is worked on. */
  attach(id: string, message: UserMessage): UserMessage {
    this.#files.lend(message, () => this.resourcesOf(id));
    return message;
  }

  known(id: string): KnownClient | undefined {
    return this.#visitors.get(id) ?? knownClients(this.#host.own.head).find((client) => client.id === id);
  }

  /** A connection speaks for a client from now on; one that did before is closed. */
  enter(client: KnownClient, leave: () => void, { resources, visits }: Entering = {}): () => void {
    if (visits) this.#greet(client);
    else this.#remember(client);
    this.#present.get(client.id)?.leave();
    this.#recalls.get(client.id)?.();
    this.#recalls.delete(client.id);
    const here: Present = { leave, resources };
    this.#present.set(client.id, here);
    return () => {
      if (this.#present.get(client.id) === here) this.#left(client.id);
    };
  }

  /** A client was sent everything up to a number, be it as a snapshot. */
  sent(id: string, seq: number, how: 'actions' | 'snapshot'): void {
    if (!this.#host.isShared) return;
    const known = this.#sent.get(id) ?? { from: seq, seq };
    this.#sent.delete(id);
    this.#sent.set(id, {
      from: how === 'snapshot' ? seq : known.from,
      seq: Math.max(known.seq, seq),
      at: this.#host.clock.elapsed(),
    });
    const oldest = this.#sent.size > remembered ? this.#sent.keys().next() : undefined;
    if (oldest && !oldest.done) this.#sent.delete(oldest.value);
  }

  /**
   * Whether a client can have seen a number of these sessions here. Hosts that share a store number the
   * entries of each other anew, so a number of another one, or from before a session was opened again, says
   * nothing about what the client has seen. A number before its last snapshot is such a one, too: the client
   * did not get that.
   */
  canHaveSeen(id: string, seq: number, sessions: readonly Session[]): boolean {
    if (!this.#host.isShared) return true;
    const sent = this.#sent.get(id);
    if (!sent || seq < sent.from || seq > sent.seq) return false;
    return sessions.every(({ openedAt }) => openedAt <= sent.at);
  }

  /** The files of a client that is here. */
  resourcesOf(id: string): ClientResources | undefined {
    return this.#present.get(id)?.resources;
  }

  /** Whether a client is here, or was a moment ago. */
  counts(id: string): boolean {
    return this.#present.has(id) || this.#recalls.has(id);
  }

  /** The tools and settings a client contributes to a session; undefined once it has left. */
  setActive(id: string, session: Session, tools: readonly LentTool[] | undefined): void {
    const sessions = this.#active.get(id) ?? new Set<SessionId>();
    this.#active.set(id, sessions);
    if (tools) sessions.add(session.id);
    else sessions.delete(session.id);
    this.#host.clientTools.lend(session.id, id, tools?.map((tool) => lent(id, tool)) ?? []);
  }

  /**
   * A session was opened: those who are active there lend their tools again, and those who do not
   * come back are let go.
   */
  tend(session: Session): void {
    // A client that is active in a session of another host is that host's business.
    if (session.owner !== undefined || this.#tended.has(session)) return;
    this.#tended.add(session);
    for (const { id, tools } of session.head.clients) {
      this.setActive(id, session, tools);
      if (!this.#present.has(id)) this.#wait(id);
    }
  }

  /** The client is no longer active in the session; calls that it was running there fail. */
  drop(id: string, session: Session): void {
    this.#host.clientTools.lend(session.id, id, []);
    if (session.head.clients.some((client) => client.id === id))
      session.dispatch({ kind: 'record', fact: { kind: 'client.left', client: id } }, { kind: 'host' });
    for (const { chat, turn, tool } of callsOf(session, id)) {
      const result = {
        status: 'failed',
        content: [],
        error: 'The client that runs this tool has disconnected.',
      } as const;
      session.dispatch(
        { kind: 'report', chat, turn, report: { kind: 'tool.ended', tool, result } },
        { kind: 'host' },
      );
    }
  }

  #left(id: string): void {
    this.#present.delete(id);
    const isMissed =
      this.#active.get(id)?.size ||
      this.#host.openSessions().some((session) => callsOf(session, id).length > 0);
    if (isMissed) this.#wait(id);
  }

  /** Lets a disconnected client reconnect within the grace period; calls of its tools wait as long. */
  #wait(id: string): void {
    if (this.#recalls.has(id)) return;
    this.#recalls.set(
      id,
      this.#host.clock.after(grace, () => {
        this.#recalls.delete(id);
        this.#active.delete(id);
        this.brought.forget(id);
        for (const session of this.#host.openSessions()) this.drop(id, session);
      }),
    );
  }

  #remember(client: KnownClient): void {
    this.#visitors.delete(client.id);
    const { own } = this.#host;
    const known = knownClients(own.head);
    const old = known.find(({ id }) => id === client.id);
    if (old?.principal === client.principal && old.version === client.version && old.name === client.name)
      return;
    const victim = old || known.length < remembered ? undefined : oldestOfMost(known);
    if (victim && hasOldClients(own.head)) own.dispatch(dropNote(noOldClients), { kind: 'host' });
    else if (victim) own.dispatch(dropNote({ note: 'known', client: victim }), { kind: 'host' });
    own.dispatch(takeNote({ note: 'known', client }), { kind: 'host' });
  }

  /** An observer writes nothing to the log and can evict only other observers. */
  #greet(client: KnownClient): void {
    const victim = this.#visitors.size < remembered ? undefined : oldestOfMost([...this.#visitors.values()]);
    if (victim) this.#visitors.delete(victim.id);
    this.#visitors.set(client.id, client);
  }
}

/** The oldest client of the principal with the most clients, so that no principal can displace others. */
function oldestOfMost(clients: readonly KnownClient[]): KnownClient | undefined {
  const counts = new Map<string, number>();
  for (const { principal } of clients) counts.set(principal, (counts.get(principal) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return clients.find(({ principal }) => counts.get(principal) === most);
}

function lent(client: string, { name, title, description, input }: LentTool): ClientTool {
  return present({
    client,
    name,
    title,
    description,
    parameters: input ?? { type: 'object', properties: {} },
  });
}

/** The calls that a client is running, except those whose result it has reported. */
function callsOf(
  { head }: Session,
  client: string,
): readonly { readonly chat: ChatId; readonly turn: TurnId; readonly tool: ToolId }[] {
  return Object.values(head.chats).flatMap(({ id: chat, active }) =>
    (active?.items ?? []).flatMap((item) => {
      if (
        item.type !== 'tool' ||
        item.source !== 'client' ||
        item.server !== client ||
        item.status === 'ended'
      )
        return [];
      return item.held ? [] : [{ chat, turn: active?.id ?? '', tool: item.id }];
    }),
  );
}
