// One chat that one client has open: selects and sends the messages of the shared projection
// that concern this client.
import { mayAs, questionsFor } from '../../../host/policy/roles.ts';
import type { Sink } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import type { AskId, ChatId, UserMessage } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { PromptResponse } from '../../../protocols/acp/v1/messages.ts';
import { benchOf } from '../editor/workbench.ts';
import type { AcpConnection } from '../connection.ts';
import type { UserQuestion } from './form.ts';
import { Inquiries } from './questions.ts';
import { pending } from './entries.ts';
import type { AcpUpdate } from './entries.ts';
import { Permissions } from './permissions.ts';
import { keepSeen } from '../inbound/keptValues.ts';
import { WaitingPrompts } from '../inbound/waitingPrompts.ts';
import { replay } from './replay.ts';
import { isWithin } from './subChats.ts';
import type { Subagent } from '../unstable/subagents.ts';
import { UpdateWriter } from './updateWriter.ts';

/** The client has got everything up to an entry. */
interface SeenPosition {
  readonly kind: 'seen';
  readonly seq: number;
}

export class OpenChat implements Sink<AcpUpdate> {
  readonly session: Session;
  readonly id: ChatId;
  readonly prompts: WaitingPrompts;
  readonly #connection: AcpConnection;
  readonly #permissions: Permissions;
  readonly #inquiries: Inquiries;
  readonly #writer: UpdateWriter;
  #waiting: readonly (AcpUpdate | SeenPosition)[] = [];
  /** The number of responses that must be sent before any message. */
  #holds = 0;
  #resume: (() => void) | undefined;
  #leave: (() => void) | undefined;
  #bench: Workbench | undefined;

  constructor(connection: AcpConnection, session: Session, id: ChatId) {
    const { host, peer } = connection;
    const context = { session, chat: id, origin: () => connection.origin, version: connection.version };
    this.session = session;
    this.id = id;
    this.prompts = new WaitingPrompts({ ...context, nextId: () => host.ids.next() });
    const asking = {
      ...context,
      peer,
      naming: (ask: AskId) => connection.naming(ask),
      report: (problem: unknown, about: string) => host.report(problem, about),
    };
    this.#permissions = new Permissions({ ...asking, mayRemember: mayAs(connection.role, 'control') });
    this.#inquiries = new Inquiries({ ...asking, knows: (mode) => connection.canAskBy(mode) });
    this.#writer = new UpdateWriter(connection, session, id);
    this.#connection = connection;
  }

  get following(): boolean {
    return this.#leave !== undefined;
  }

  /**
   * Follows the chat from its current durable state, or from an earlier one, and returns that state. Nothing
   * is sent before `release`.
   */
  follow(state: State = this.session.state): State {
    this.#leave?.();
    this.#holds += 1;
    this.#resume = undefined;
    keepSeen(this.#connection, this.id, state.seq);
    this.#writer.startAgain(state);
    this.#waiting = [
      ...this.#connection.version.opening(state, this.id),
      ...state.order.flatMap((chat) => pending(state, chat)),
    ].filter((message) => this.#concerns(message));
    const bench = this.bench();
    const unfollow = this.#connection.version.live(this.session).attach(this, state);
    const detach = bench ? this.#connection.host.workbenches.attach(this.session.id, bench) : () => {};
    this.#leave = () => {
      unfollow();
      detach();
    };
    return state;
  }

  /** Call once for every `follow`: sends the pending questions, then the messages that have waited. */
  release(): void {
    this.#holds -= 1;
    this.#writer.tellCommands(this.session.state);
    this.#flush();
  }

  /** The workbench of this client, for the turns that it waits for. */
  bench(): Workbench | undefined {
    const { editorRequests: requests, host, client } = this.#connection;
    this.#bench ??=
      client &&
      benchOf({
        requests,
        chat: this.id,
        clock: host.clock,
        capabilities: client.capabilities,
        shown: (tool, terminal) => this.#writer.showTerminal(tool, terminal),
        gaveUp: (text) => this.#warn(text),
      });
    return this.#bench;
  }

  /** Tells everybody in the running turn. */
  #warn(text: string): void {
    const turn = this.session.head.chats[this.id]?.active?.id;
    if (turn === undefined) return;
    const report = { kind: 'notice.added', level: 'warning', text } as const;
    this.session.dispatch({ kind: 'report', chat: this.id, turn, report }, { kind: 'host' });
  }

  /**
   * Sends one message of a replay. Leaves out questions and settings: those are over, or part of the
   * response. Notices are not replayed to clients that support them; the others got them as agent messages.
   */
  replay(message: AcpUpdate): void {
    if (message.kind === 'update') this.#writer.writeShared(message);
    else if (message.kind === 'later') this.#send(message);
    else if (message.kind === 'notice' && message.stays && !this.#connection.supports('notices'))
      this.#writer.writeNotice(message);
    else if (message.kind === 'compacted' && this.#connection.supports('compaction'))
      this.#writer.writeCompaction(message);
    else if (message.kind === 'subagent') this.#tellSubagent(message);
    else if (message.kind === 'ended' || message.kind === 'withdrawn' || message.kind === 'answered')
      this.#send(message);
  }

  cancel(): void {
    this.prompts.cancelAll();
  }

  tellSettings(state: State): void {
    this.#writer.tellSettings(state);
  }

  /** Closes the chat for this client; the session continues. */
  end(): void {
    this.#leave?.();
    this.#leave = undefined;
    this.#waiting = [];
    this.#permissions.end();
    this.#inquiries.end();
    this.prompts.end();
  }

  deliver(messages: readonly AcpUpdate[]): void {
    const concerned = messages.filter((message) => this.#concerns(message));
    this.#waiting = this.#waiting.length === 0 ? concerned : [...this.#waiting, ...concerned];
    this.#flush();
  }

  arrived(seq: number): void {
    if (!this.#connection.resumable || !this.#leave) return;
    this.#waiting = [...this.#waiting, { kind: 'seen', seq }];
    this.#flush();
  }

  /** A prompt that the last host did not answer: it is sent only if that host has not stored it. */
  sendAgain(message: UserMessage): Promise<PromptResponse> {
    const chat = this.session.head.chats[this.id];
    const known = [...(chat?.turns ?? []).map((turn) => turn.message), ...(chat?.queue ?? [])];
    if (chat?.active) known.push(chat.active.message);
    return known.some(({ id }) => id === message.id)
      ? this.prompts.wait(message.id)
      : this.prompts.send(message);
  }

  /** A client without sub-agent support gets the questions of sub-agents in this chat. */
  #concerns({ kind, chat }: AcpUpdate): boolean {
    if (chat === this.id) return true;
    const asks = kind === 'ask' || kind === 'inquiry' || kind === 'answered';
    return (
      asks && !this.#connection.client?.capabilities.subagents && isWithin(this.session.state, chat, this.id)
    );
  }

  ready(): boolean {
    return this.#holds === 0 && this.#connection.peer.ready();
  }

  whenReady(resume: () => void): void {
    if (this.#holds > 0) {
      this.#resume = resume;
      return;
    }
    const drain = this.#connection.peer.onDrain(() => {
      drain[Symbol.dispose]();
      resume();
    });
  }

  /** The response to a prompt is sent before the messages after its turn, so those wait for it. */
  #flush(): void {
    const messages = this.#waiting;
    let sent = 0;
    for (; sent < messages.length && this.#holds === 0 && this.#leave; sent += 1) {
      const message = messages[sent];
      if (message && !isReplacedBy(message, messages[sent + 1])) this.#send(message);
    }
    this.#waiting = this.#leave ? messages.slice(sent) : [];
    if (this.#holds > 0) return;
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #send(message: AcpUpdate | SeenPosition): void {
    switch (message.kind) {
      case 'seen':
        return keepSeen(this.#connection, this.id, message.seq);
      case 'update':
        return this.#sendUpdate(message);
      case 'later':
      case 'state':
        return this.#writer.writeAsIs(message);
      case 'notice':
        return this.#writer.writeNotice(message);
      case 'settings':
        return this.#writer.writeSettings(message);
      case 'ask':
      case 'inquiry':
        return this.#ask(message);
      case 'answered':
        return this.#takeBack(message.ask);
      case 'compacted':
        return this.#writer.writeCompaction(message);
      case 'ended':
        return this.#waitForAnswer(this.prompts.ended(message.message, message.outcome, message.usage));
      case 'withdrawn':
        return this.#waitForAnswer(this.prompts.withdrawn(message.message));
      case 'removed':
        return this.#connection.closeChat(this.id);
      case 'subagent':
        return this.#sendSubagent(message);
      default:
        return message satisfies never;
    }
  }

  #ask(message: Extract<AcpUpdate, { readonly kind: 'ask' | 'inquiry' }>): void {
    if (!this.#mayAnswer(message.kind === 'inquiry' ? message.ask : undefined)) return;
    if (message.kind === 'inquiry') {
      const asked = questionsFor(message.ask, this.#connection.role);
      return void this.#inquiries.ask(message.turn, asked, message.chat);
    }
    const request = this.#connection.version.permission({ ...message.request, sessionId: this.id });
    void this.#permissions.ask(message.ask, request, message.chat);
  }

  /** A client that may not decide is not asked. */
  #mayAnswer(ask?: UserQuestion): boolean {
    const needed = ask?.kind === 'question' ? ask.needs : undefined;
    return mayAs(this.#connection.role, needed ?? 'approve');
  }

  #sendUpdate(message: Extract<AcpUpdate, { readonly kind: 'update' }>): void {
    const known = message.message !== undefined && this.prompts.has(message.message);
    if (!known) this.#writer.writeShared(message);
  }

  #tellSubagent({ update }: Subagent): void {
    if (this.#connection.client?.capabilities.subagents) this.#writer.write(update);
  }

  /** Announces a sub-agent, replays its chat and follows it. */
  #sendSubagent(message: Subagent): void {
    const connection = this.#connection;
    if (!connection.client?.capabilities.subagents) return;
    this.#writer.write(message.update);
    const chat = connection.open(this.session, message.update.sessionId);
    if (chat.following) return;
    const replayed = replay({ connection, chat, upTo: chat.follow(), signal: connection.disconnected });
    void replayed
      .catch((error: unknown) => connection.host.report(error, `a sub-agent of session ${this.session.id}`))
      .finally(() => chat.release());
  }

  #takeBack(ask: string): void {
    this.#permissions.takeBack(ask);
    this.#inquiries.takeBack(ask);
  }

  /** Shows a notice that is not in the log, if a turn is running. */
  tellBeside(level: 'info' | 'warning', text: string): void {
    const isWaitedFor = this.session.state.chats[this.id]?.active !== undefined;
    if (isWaitedFor)
      this.#writer.writeNotice({
        kind: 'notice',
        chat: this.id,
        id: this.#connection.host.ids.next(),
        level,
        text,
      });
  }

  #waitForAnswer(answered: boolean): void {
    if (!answered) return;
    this.#holds += 1;
    this.#connection.afterResponse(() => this.release());
  }
}

function isReplacedBy(
  message: AcpUpdate | SeenPosition,
  next: AcpUpdate | SeenPosition | undefined,
): boolean {
  const key = replaceKeyOf(message);
  return key !== undefined && key === replaceKeyOf(next);
}

function replaceKeyOf(message: AcpUpdate | SeenPosition | undefined): string | undefined {
  return message?.kind === 'update' || message?.kind === 'later' ? message.replaceKey : undefined;
}
