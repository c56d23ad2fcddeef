// One chat that one client has open: selects and sends the messages of the shared projection
// that concern this client.
import { memoPerObject } from '../../../base/memo.ts';
import { mayAs, questionsFor } from '../../../host/policy/roles.ts';
import type { Sink } from '../../../host/session/live.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import type { ChatId, UserMessage } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { PromptResponse, SessionUpdate } from '../../../protocols/acp/v1/messages.ts';
import { sessionUpdate } from '../../../protocols/acp/v1/methods.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import { benchOf } from '../editor/workbench.ts';
import type { AcpConnection } from '../connection.ts';
import { textBlock } from './content.ts';
import type { UserQuestion } from './form.ts';
import { Inquiries } from './questions.ts';
import { pending } from './entries.ts';
import type { AcpUpdate } from './entries.ts';
import { Permissions } from './permissions.ts';
import { keepSeen } from '../inbound/keptValues.ts';
import { WaitingPrompts } from '../inbound/waitingPrompts.ts';
import { replay } from './replay.ts';
import { selectedAgent, configOptionsOf, modesOf } from '../inbound/sessionSettings.ts';
import { uniqueId } from './toolCall.ts';
import { isWithin } from './subChats.ts';
import { planOperation } from '../unstable/plan.ts';
import type { Subagent } from '../unstable/subagents.ts';

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
  /** The calls that run in a terminal of this client; the client shows their output itself. */
  readonly #terminals = new Map<string, string>();
  #commands = '[]';
  /** What the client has got last of each update that is a whole state. */
  readonly #told = new Map<string, string>();
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
      report: (problem: unknown, about: string) => host.report(problem, about),
    };
    this.#permissions = new Permissions({ ...asking, mayRemember: mayAs(connection.role, 'control') });
    this.#inquiries = new Inquiries({ ...asking, knows: (mode) => connection.canAskBy(mode) });
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
    this.#told.clear();
    this.#rememberSettings(state);
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
    this.#tellCommands(this.session.state);
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
        shown: (tool, terminal) => this.#showTerminal(tool, terminal),
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
    if (message.kind === 'update') this.#transmit(message);
    else if (message.kind === 'later') this.#send(message);
    else if (message.kind === 'notice' && message.stays && !this.#connection.supports('notices'))
      this.#sendNotice(message);
    else if (message.kind === 'compacted' && this.#connection.supports('compaction'))
      this.#sendCompaction(message);
    else if (message.kind === 'subagent') this.#tellSubagent(message);
    else if (message.kind === 'ended' || message.kind === 'withdrawn' || message.kind === 'answered')
      this.#send(message);
  }

  cancel(): void {
    this.prompts.cancelAll();
  }

  /**
   * Sends the settings again: they may have changed without an entry, for example because models were found.
   */
  tellSettings(state: State): void {
    const update = this.#settingsUpdate(state);
    if (update.configOptions.length > 0) this.#notify(update);
    this.#tellCommands(state);
  }

  #settingsUpdate(state: State) {
    const { host, switches } = this.#connection;
    const configOptions = configOptionsOf(host.agents(state.roots), state, switches);
    return { sessionUpdate: 'config_option_update', configOptions } as const;
  }

  /** The client gets these settings with a response. */
  #rememberSettings(state: State): void {
    const update = this.#settingsUpdate(state);
    this.#told.set(update.sessionUpdate, this.#encoded(this.#connection.version.update(update) ?? update));
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
        return this.#connection.peer.sendRaw(textOf(message));
      case 'notice':
        return this.#sendNotice(message);
      case 'settings':
        return this.#sendSettings(message);
      case 'ask':
      case 'inquiry':
        return this.#ask(message);
      case 'answered':
        return this.#takeBack(message.ask);
      case 'compacted':
        return this.#sendCompaction(message);
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
    if (!known) this.#transmit(message);
  }

  /** The shared encoding, except for calls that this client shows in its own terminal. */
  #transmit(message: Extract<AcpUpdate, { readonly kind: 'update' }>): void {
    const { update } = message;
    if (update.sessionUpdate === 'plan' && this.#connection.client?.capabilities.plan)
      return this.#notify(planOperation(this.id, update.entries));
    const terminal = 'toolCallId' in update ? this.#terminals.get(update.toolCallId) : undefined;
    if (terminal === undefined || !('toolCallId' in update) || update.content === undefined)
      this.#sendText(update, () => textOf(message));
    else this.#notify({ ...update, content: [{ type: 'terminal', terminalId: terminal }] });
  }

  #showTerminal(tool: string, terminalId: string): void {
    const turn = this.session.head.chats[this.id]?.active?.id;
    if (turn === undefined) return;
    const toolCallId = uniqueId(turn, tool);
    this.#terminals.set(toolCallId, terminalId);
    this.#notify({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      content: [{ type: 'terminal', terminalId }],
    });
  }

  #tellSubagent({ update }: Subagent): void {
    if (this.#connection.client?.capabilities.subagents) this.#notify(update);
  }

  /** Announces a sub-agent, replays its chat and follows it. */
  #sendSubagent(message: Subagent): void {
    const connection = this.#connection;
    if (!connection.client?.capabilities.subagents) return;
    this.#notify(message.update);
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

  /** Sends the complete list if it has changed since it was last sent. */
  #tellCommands(state: State): void {
    const commands = selectedAgent(this.#connection.host.agents(state.roots), state)?.commands ?? [];
    const availableCommands = commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && { input: { hint } }),
    }));
    const encoded = JSON.stringify(availableCommands);
    if (encoded === this.#commands) return;
    this.#commands = encoded;
    this.#notify({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** Tells whoever waits for a turn something that is not in the log. */
  tellBeside(level: 'info' | 'warning', text: string): void {
    const isWaitedFor = this.session.state.chats[this.id]?.active !== undefined;
    if (isWaitedFor)
      this.#sendNotice({ kind: 'notice', chat: this.id, id: this.#connection.host.ids.next(), level, text });
  }

  /** A client without notice support gets a warning as agent message, and information as thought. */
  #sendNotice({ id, level, text, by }: Extract<AcpUpdate, { readonly kind: 'notice' }>): void {
    const [title = '', ...rest] = text.trim().split('\n');
    if (title === '' || (by?.kind === 'client' && by.client === this.#connection.id)) return;
    const description = rest.join('\n').trim();
    if (this.#connection.supports('notices'))
      this.#notify({
        sessionUpdate: 'notice',
        severity: level,
        title,
        ...(description !== '' && { description }),
      });
    else
      this.#notify({
        sessionUpdate: level === 'info' ? 'agent_thought_chunk' : 'agent_message_chunk',
        messageId: id,
        // Clients join the pieces of a turn, so the text brings its own paragraph.
        content: textBlock(`\n\n${text.trim()}\n\n`),
      });
  }

  #sendCompaction({ id, chat, summary }: Extract<AcpUpdate, { readonly kind: 'compacted' }>): void {
    if (this.#connection.supports('compaction'))
      this.#notify({
        sessionUpdate: 'compaction_update',
        compactionId: id,
        status: 'completed',
        summary: [textBlock(summary)],
      });
    else
      this.#sendNotice({
        kind: 'notice',
        chat,
        id,
        level: 'info',
        text: `The conversation was summarised.\n${summary}`,
      });
  }

  /** The client that changed the settings gets them in its response. */
  #sendSettings({ by, before, after }: Extract<AcpUpdate, { readonly kind: 'settings' }>): void {
    if (by.kind === 'client' && by.client === this.#connection.id) return this.#rememberSettings(after);
    this.tellSettings(after);
    const agents = this.#connection.host.agents(this.session.state.roots);
    const mode = modesOf(agents, after)?.currentModeId;
    if (mode !== undefined && mode !== modesOf(agents, before)?.currentModeId)
      this.#notify({ sessionUpdate: 'current_mode_update', currentModeId: mode });
  }

  #waitForAnswer(answered: boolean): void {
    if (!answered) return;
    this.#holds += 1;
    this.#connection.afterResponse(() => this.release());
  }

  #notify(update: SessionUpdate): void {
    this.#sendText(update, () => this.#encoded(update));
  }

  #encoded(update: object): string {
    return encodeNotification(sessionUpdate, { sessionId: this.id, update });
  }

  /** Leaves out what the client cannot read, and a state that it has. */
  #sendText(update: SessionUpdate, encoded: () => string): void {
    const { peer, version } = this.#connection;
    const readable = version.update(update);
    if (!readable) return;
    const text = readable === update ? encoded() : this.#encoded(readable);
    const { sessionUpdate: kind } = update;
    if (wholeStates.has(kind)) {
      if (this.#told.get(kind) === text) return;
      this.#told.set(kind, text);
    }
    peer.sendRaw(text);
  }
}

/** Updates that replace the last one of their kind, so the same again says nothing. */
const wholeStates: ReadonlySet<SessionUpdate['sessionUpdate']> = new Set([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'plan',
  'usage_update',
]);

const texts = memoPerObject<AcpUpdate, string>();

/** Encodes once for all clients that have the chat open. */
function textOf(message: Extract<AcpUpdate, { readonly kind: 'update' | 'later' | 'state' }>): string {
  return texts(message, () =>
    encodeNotification(sessionUpdate, { sessionId: message.chat, update: message.update }),
  );
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
