// One ACP client: who it is, what it can do and which chats it has open. Knows no method name.
import type { Host } from '../../host/host.ts';
import type { Role } from '../../host/policy/roles.ts';
import type { Session } from '../../host/session/session.ts';
import type { ChatId, Origin, SessionId } from '../../model/event.ts';
import type { ClientCapabilities, Implementation } from '../../protocols/acp/v1/agentSchema.ts';
import type { Peer } from '../../rpc/peer.ts';
import { unknownSession } from './errors.ts';
import { OpenChat } from './outbound/openChat.ts';
import type { Switches } from './inbound/sessionSettings.ts';

export interface Client {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

export class Connection {
  readonly host: Host;
  readonly peer: Peer;
  readonly role: Role;
  readonly id: string;
  /** Known from initialize on. */
  client: Client | undefined;
  readonly #left = new AbortController();
  readonly #chats = new Map<ChatId, OpenChat>();
  readonly #leave: () => void;
  readonly #kept = new Map<string, (() => void) | undefined>();

  constructor(host: Host, peer: Peer, role: Role = 'control') {
    this.host = host;
    this.role = role;
    this.peer = peer;
    this.id = host.ids.next();
    this.#leave = host.follow((change) => {
      if (change.kind === 'removed') this.#forgetSession(change.id);
      else if (change.kind === 'agents')
        for (const chat of this.#chats.values()) chat.tellSettings(chat.session.state);
    });
  }

  get closed(): boolean {
    return this.left.aborted;
  }

  /** Aborted when the client is gone. */
  get left(): AbortSignal {
    return this.#left.signal;
  }

  get origin(): Origin {
    const name = this.client?.info?.title ?? this.client?.info?.name;
    return { kind: 'client', door: 'acp', client: this.id, ...(name !== undefined && { name }) };
  }

  /** Whether the client knows an update that must not be sent unasked for. */
  can(what: 'notices' | 'compaction'): boolean {
    return this.client?.capabilities.session?.[what] !== undefined;
  }

  /** Whether the client can show a form, or lead its user to an address. */
  knows(mode: 'form' | 'url'): boolean {
    return this.client?.capabilities.elicitation?.[mode] !== undefined;
  }

  get switches(): Switches {
    return this.client?.capabilities.session?.configOptions?.boolean === undefined ? 'select' : 'boolean';
  }

  /** The chat as this client has it open, opened now where it was not. */
  open(session: Session, id: ChatId): OpenChat {
    const known = this.#chats.get(id);
    if (known?.session === session) return known;
    known?.end();
    const chat = new OpenChat(this, session, id);
    this.#chats.set(id, chat);
    return chat;
  }

  find(id: ChatId): OpenChat | undefined {
    return this.#chats.get(id);
  }

  /** Throws an error meant for the wire where this client has no such chat open. */
  chat(id: ChatId): OpenChat {
    const chat = this.#chats.get(id);
    if (chat) return chat;
    const exists = this.host.sessionOf(id) !== undefined;
    throw unknownSession(id, exists ? `Session ${id} is not open here; load or resume it first.` : undefined);
  }

  forget(id: ChatId): void {
    this.#chats.get(id)?.end();
    this.#chats.delete(id);
  }

  /** Begins something once and for as long as the client stays; what it returns ends it. */
  keep(name: string, begin: () => (() => void) | undefined): void {
    if (!this.#kept.has(name)) this.#kept.set(name, begin());
  }

  /** Runs something after the answer that is being given now has been sent. */
  afterAnswer(run: () => void): void {
    this.host.clock.defer(run);
  }

  /** Lets everything else have its turn. */
  pause(): Promise<void> {
    return new Promise((resolve) => this.host.clock.defer(resolve));
  }

  /** Resolves once the client can take more, or never will. */
  drained(): Promise<void> | undefined {
    if (this.closed || this.peer.ready()) return undefined;
    return new Promise((resolve) => {
      const drain = this.peer.onDrain(() => {
        drain[Symbol.dispose]();
        resolve();
      });
      void this.peer.closed.then(() => resolve());
    });
  }

  /** The client is gone; its sessions go on. */
  end(): void {
    this.#left.abort();
    this.#leave();
    for (const end of this.#kept.values()) end?.();
    for (const id of [...this.#chats.keys()]) this.forget(id);
  }

  #forgetSession(id: SessionId): void {
    for (const chat of [...this.#chats.values()]) if (chat.session.id === id) this.forget(chat.id);
  }
}
