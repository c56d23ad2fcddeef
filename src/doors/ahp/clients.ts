// The clients a host knows: which ids exist, whose they are, and who is here now. The ids are kept in the host's own log.
import type { Host } from '../../host/host.ts';
import type { ClientTool } from '../../host/tools/clientTools.ts';
import type { Session } from '../../host/session/session.ts';
import type { ChatId, SessionId, ToolId, TurnId, UserMessage } from '../../model/event.ts';
import { present } from '../../base/present.ts';
import type { SessionActiveClient } from '../../protocols/ahp/v1_0/state.ts';
import type { ToolDefinition } from '../../protocols/ahp/v1_0/toolCall.ts';
import { Brought } from './resources/clientPlugins.ts';
import { ClientFiles } from './resources/clientFiles.ts';
import type { ClientResources } from './resources/clientResources.ts';
import { json } from './outbound/wireJson.ts';
import { activeClients, heldResult, knownClients, takeNote } from './notes.ts';
import type { KnownClient } from './notes.ts';

/** A client of long ago has to introduce itself again. */
const remembered = 256;

/** How long a client that has lost its connection counts as active in its sessions. */
export const grace = 30_000;

interface Present {
  readonly leave: () => void;
  readonly resources: ClientResources | undefined;
}

export class Clients {
  readonly #host: Host;
  readonly #present = new Map<string, Present>();
  readonly #active = new Map<string, Set<SessionId>>();
  readonly #recalls = new Map<string, () => void>();
  readonly #tended = new WeakSet<Session>();
  /** What clients bring along, as far as it was read. */
  readonly brought = new Brought();
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
    return knownClients(this.#host.own.head).find((client) => client.id === id);
  }

  /** A connection speaks for a client from now on; one that did before is closed. */
  enter(client: KnownClient, leave: () => void, resources?: ClientResources): () => void {
    this.#remember(client);
    this.#present.get(client.id)?.leave();
    this.#recalls.get(client.id)?.();
    this.#recalls.delete(client.id);
    const here: Present = { leave, resources };
    this.#present.set(client.id, here);
    return () => {
      if (this.#present.get(client.id) === here) this.#left(client.id);
    };
  }

  /** The files of a client that is here. */
  resourcesOf(id: string): ClientResources | undefined {
    return this.#present.get(id)?.resources;
  }

  /** Whether a client is here, or was a moment ago. */
  counts(id: string): boolean {
    return this.#present.has(id) || this.#recalls.has(id);
  }

  /** What a client brings to a session, or nothing any more. */
  setActive(id: string, session: Session, active: SessionActiveClient | undefined): void {
    const sessions = this.#active.get(id) ?? new Set<SessionId>();
    this.#active.set(id, sessions);
    if (active) sessions.add(session.id);
    else sessions.delete(session.id);
    this.#host.clientTools.lend(session.id, id, active?.tools.map((tool) => lent(id, tool)) ?? []);
  }

  /** A session was opened: those who are active there lend their tools again, and those who do not come back are let go. */
  tend(session: Session): void {
    if (this.#tended.has(session)) return;
    this.#tended.add(session);
    for (const { client, active } of activeClients(session.head)) {
      this.setActive(client, session, active ?? undefined);
      if (!this.#present.has(client)) this.#wait(client);
    }
  }

  /** A client is not active in a session any more; what it was running for it has failed. */
  drop(id: string, session: Session): void {
    this.#host.clientTools.lend(session.id, id, []);
    if (activeClients(session.head).some(({ client }) => client === id))
      session.dispatch(takeNote({ note: 'client', client: id, since: 0, active: null }), { kind: 'host' });
    for (const { chat, turn, tool } of callsOf(session, id)) {
      const result = {
        status: 'failed',
        content: [],
        error: 'The client that runs this tool has gone.',
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

  /** A client that has gone may come back in time; its tools wait as long. */
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
    const others = knownClients(this.#host.own.head).filter(({ id }) => id !== client.id);
    const old = this.known(client.id);
    if (old?.principal === client.principal && old.version === client.version && old.name === client.name)
      return;
    this.#host.own.dispatch(takeNote({ note: 'clients', known: [...others.slice(1 - remembered), client] }), {
      kind: 'host',
    });
  }
}

function lent(client: string, { name, title, description, inputSchema }: ToolDefinition): ClientTool {
  return present({
    client,
    name,
    title,
    description,
    parameters: json(inputSchema ?? { type: 'object', properties: {} }),
  });
}

/** The calls that a client is running now, but for those it has said the result of. */
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
      const place = { chat, turn: active?.id ?? '', tool: item.id };
      return heldResult(head, place) ? [] : [place];
    }),
  );
}

const perHost = new WeakMap<Host, Clients>();

/** The clients of a host, whatever door instance they came through. */
export function clientsOf(host: Host): Clients {
  const clients = perHost.get(host) ?? new Clients(host);
  perHost.set(host, clients);
  return clients;
}
