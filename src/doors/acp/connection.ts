// One ACP client: its identity, its capabilities and the chats that it has open. Independent of method names.
import { storageGoesOn, storageWaits } from '../../host/session/backlog.ts';
import { present } from '../../base/present.ts';
import type { Host } from '../../host/host.ts';
import type { Role } from '../../host/policy/roles.ts';
import type { Session } from '../../host/session/session.ts';
import type { AskId, ChatId, MessageId, Origin, SessionId } from '../../model/event.ts';
import type { ClientCapabilities, Implementation } from '../../protocols/acp/v1/agentSchema.ts';
import type { Peer } from '../../rpc/peer.ts';
import { askKey, pipeMethods } from '../../host/door.ts';
import { EditorRequests } from './editor/editorRequests.ts';
import { unknownSession } from './errors.ts';
import { forgetChat } from './inbound/keptValues.ts';
import type { AcpOptions } from './options.ts';
import { OpenChat } from './outbound/openChat.ts';
import { version1 } from './outbound/wireVersion.ts';
import type { ClientChannel } from './unstable/mcpOverAcp.ts';
import type { NesSession } from './unstable/nes/nes.ts';
import type { Switches } from './inbound/sessionSettings.ts';

export interface ClientInfo {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** The options of the door that concern one client. */
export type ConnectionOptions = Pick<AcpOptions, 'role' | 'resumable' | 'device' | 'most'>;

export class AcpConnection {
  readonly host: Host;
  readonly peer: Peer;
  readonly role: Role;
  /** Whether the client continues with the next host after this one. */
  readonly resumable: boolean;
  readonly id: string;
  readonly editorRequests: EditorRequests;
  /** Set by `initialize`. */
  client: ClientInfo | undefined;
  /** Set by `initialize`. */
  version = version1;
  /** The prompts of version 2 that are not part of their chat yet. */
  readonly insertions = new Map<MessageId, ChatId>();
  /** The suggestion sessions that the client has open, by id. */
  readonly suggestions = new Map<string, NesSession>();
  /** The channels to MCP servers that run in the client. */
  readonly mcpChannels = new Set<ClientChannel>();
  readonly #disconnect = new AbortController();
  readonly #chats = new Map<ChatId, OpenChat>();
  readonly #options: ConnectionOptions;
  readonly #leave: () => void;
  readonly #leaveStorage: () => void;
  readonly #cleanups = new Map<string, (() => void) | undefined>();

  constructor(host: Host, peer: Peer, options: ConnectionOptions = {}) {
    const { role = 'control', resumable = false } = options;
    this.host = host;
    this.#options = options;
    this.role = role;
    this.resumable = resumable;
    this.peer = peer;
    this.editorRequests = new EditorRequests(peer, host.clock);
    this.id = host.ids.next();
    this.#leave = host.follow((change) => {
      if (change.kind === 'removed') this.#closeSession(change.id);
      else if (change.kind === 'agents')
        for (const chat of this.#chats.values()) chat.tellSettings(chat.session.state);
    });
    this.#leaveStorage = host.storage.follow((isWaiting) => {
      const text = isWaiting ? storageWaits : storageGoesOn;
      for (const chat of this.#chats.values()) chat.tellBeside(isWaiting ? 'warning' : 'info', text);
    });
  }

  get closed(): boolean {
    return this.disconnected.aborted;
  }

  /** Aborts when the client has disconnected. */
  get disconnected(): AbortSignal {
    return this.#disconnect.signal;
  }

  get origin(): Origin {
    const name = this.client?.info?.title ?? this.client?.info?.name;
    const { device, most } = this.#options;
    return { kind: 'client', door: 'acp', client: this.id, ...present({ name, device, most }) };
  }

  /** True if the client supports an update that must not be sent to other clients. */
  supports(what: 'notices' | 'compaction'): boolean {
    return this.client?.capabilities.session?.[what] !== undefined;
  }

  /** The ways in which the client can ask its user: by a form, or by opening an address. */
  canAskBy(mode: 'form' | 'url'): boolean {
    return this.client?.capabilities.elicitation?.[mode] !== undefined;
  }

  get switches(): Switches {
    return this.client?.capabilities.session?.configOptions?.boolean === undefined ? 'select' : 'boolean';
  }

  /** The open chat of this client; opens it if necessary. */
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

  get chats(): readonly OpenChat[] {
    return [...this.#chats.values()];
  }

  /** Lets the pipe of the client keep a value for the next host; null removes it. */
  keep(key: string, value: unknown): void {
    if (this.resumable && !this.closed) this.peer.notify(pipeMethods.keep, { key, value });
  }

  /** A request to a pipe has the name of its question. */
  naming(ask: AskId): object {
    return this.resumable ? { _meta: { [askKey]: ask } } : {};
  }

  /** Throws an error for the client if it has not opened the chat. */
  chat(id: ChatId): OpenChat {
    const chat = this.#chats.get(id);
    if (chat) return chat;
    const exists = this.host.sessionOf(id) !== undefined;
    throw unknownSession(id, exists ? `Session ${id} is not open here; load or resume it first.` : undefined);
  }

  closeChat(id: ChatId): void {
    this.#chats.get(id)?.end();
    this.#chats.delete(id);
    forgetChat(this, id);
  }

  /** Starts something once; the function that it returns is called when the client disconnects. */
  startOnce(name: string, start: () => (() => void) | undefined): void {
    if (!this.#cleanups.has(name)) this.#cleanups.set(name, start());
  }

  /** Runs a function after the current response has been sent. */
  afterResponse(run: () => void): void {
    this.host.clock.defer(run);
  }

  /** Yields to other work. */
  pause(): Promise<void> {
    return new Promise((resolve) => this.host.clock.defer(resolve));
  }

  /** Resolves once the client can receive more, or has disconnected. */
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

  /** The client has disconnected; its sessions continue. */
  end(): void {
    this.#disconnect.abort();
    this.#leave();
    this.#leaveStorage();
    for (const cleanUp of this.#cleanups.values()) cleanUp?.();
    for (const id of [...this.#chats.keys()]) this.closeChat(id);
  }

  #closeSession(id: SessionId): void {
    for (const chat of [...this.#chats.values()]) if (chat.session.id === id) this.closeChat(chat.id);
  }
}
