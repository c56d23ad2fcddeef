// Writes the updates of one chat to one client: in the form that this client can read, and no state twice.
import { memoPerObject } from '../../../base/memo.ts';
import type { Session } from '../../../host/session/session.ts';
import type { ChatId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { SessionUpdate } from '../../../protocols/acp/v1/messages.ts';
import { sessionUpdate } from '../../../protocols/acp/v1/methods.ts';
import { encodeNotification } from '../../../rpc/envelope.ts';
import type { AcpConnection } from '../connection.ts';
import { configOptionsOf, modesOf, selectedAgent } from '../inbound/sessionSettings.ts';
import { planOperation } from '../unstable/plan.ts';
import { textBlock } from './content.ts';
import type { AcpUpdate } from './entries.ts';
import { uniqueId } from './toolCall.ts';

type UpdateOf<K extends AcpUpdate['kind']> = Extract<AcpUpdate, { readonly kind: K }>;

export class UpdateWriter {
  readonly #connection: AcpConnection;
  readonly #session: Session;
  readonly #chat: ChatId;
  /** The calls that run in a terminal of this client; the client shows their output itself. */
  readonly #terminals = new Map<string, string>();
  #commands = '[]';
  /** What the client has got last of each update that is a whole state. */
  readonly #told = new Map<string, string>();

  constructor(connection: AcpConnection, session: Session, chat: ChatId) {
    this.#connection = connection;
    this.#session = session;
    this.#chat = chat;
  }

  /** The client gets a new replay. Its settings come with the response. */
  startAgain(state: State): void {
    this.#told.clear();
    this.#commands = '[]';
    this.#rememberSettings(state);
  }

  write(update: SessionUpdate): void {
    this.#writeText(update, () => this.#encoded(update));
  }

  /** The shared encoding, except for calls that this client shows in its own terminal. */
  writeShared(message: UpdateOf<'update'>): void {
    const { update } = message;
    if (update.sessionUpdate === 'plan' && this.#connection.client?.capabilities.plan)
      return this.write(planOperation(this.#chat, update.entries));
    const terminal = 'toolCallId' in update ? this.#terminals.get(update.toolCallId) : undefined;
    if (terminal === undefined || !('toolCallId' in update) || update.content === undefined)
      this.#writeText(update, () => textOf(message));
    else this.write({ ...update, content: [{ type: 'terminal', terminalId: terminal }] });
  }

  /** Sends the message as every client gets it. */
  writeAsIs(message: UpdateOf<'later' | 'state'>): void {
    this.#connection.peer.sendRaw(textOf(message));
  }

  showTerminal(tool: string, terminalId: string): void {
    const turn = this.#session.head.chats[this.#chat]?.active?.id;
    if (turn === undefined) return;
    const toolCallId = uniqueId(turn, tool);
    this.#terminals.set(toolCallId, terminalId);
    this.write({
      sessionUpdate: 'tool_call_update',
      toolCallId,
      content: [{ type: 'terminal', terminalId }],
    });
  }

  /** A client without notice support gets a warning as agent message, and information as thought. */
  writeNotice({ id, level, text, by }: UpdateOf<'notice'>): void {
    const [title = '', ...rest] = text.trim().split('\n');
    if (title === '' || (by?.kind === 'client' && by.client === this.#connection.id)) return;
    const description = rest.join('\n').trim();
    if (this.#connection.supports('notices'))
      this.write({
        sessionUpdate: 'notice',
        severity: level,
        title,
        ...(description !== '' && { description }),
      });
    else
      this.write({
        sessionUpdate: level === 'info' ? 'agent_thought_chunk' : 'agent_message_chunk',
        messageId: id,
        // Clients join the pieces of a turn, so the text brings its own paragraph.
        content: textBlock(`\n\n${text.trim()}\n\n`),
      });
  }

  writeCompaction({ id, chat, summary }: UpdateOf<'compacted'>): void {
    if (this.#connection.supports('compaction'))
      this.write({
        sessionUpdate: 'compaction_update',
        compactionId: id,
        status: 'completed',
        summary: [textBlock(summary)],
      });
    else
      this.writeNotice({
        kind: 'notice',
        chat,
        id,
        level: 'info',
        text: `The conversation was summarised.\n${summary}`,
      });
  }

  /** The client that changed the settings gets them in its response. */
  writeSettings({ by, before, after }: UpdateOf<'settings'>): void {
    if (by.kind === 'client' && by.client === this.#connection.id) return this.#rememberSettings(after);
    this.tellSettings(after);
    const agents = this.#connection.host.agents(this.#session.state.roots);
    const mode = modesOf(agents, after)?.currentModeId;
    if (mode !== undefined && mode !== modesOf(agents, before)?.currentModeId)
      this.write({ sessionUpdate: 'current_mode_update', currentModeId: mode });
  }

  /**
   * Sends the settings again: they may have changed without an entry, for example because models were found.
   */
  tellSettings(state: State): void {
    const update = this.#settingsUpdate(state);
    if (update.configOptions.length > 0) this.write(update);
    this.tellCommands(state);
  }

  /** Sends the complete list if it has changed since it was last sent. */
  tellCommands(state: State): void {
    const commands = selectedAgent(this.#connection.host.agents(state.roots), state)?.commands ?? [];
    const availableCommands = commands.map(({ name, description, hint }) => ({
      name,
      description,
      ...(hint !== undefined && { input: { hint } }),
    }));
    const encoded = JSON.stringify(availableCommands);
    if (encoded === this.#commands) return;
    this.#commands = encoded;
    this.write({ sessionUpdate: 'available_commands_update', availableCommands });
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

  #encoded(update: object): string {
    return encodeNotification(sessionUpdate, { sessionId: this.#chat, update });
  }

  /** Leaves out what the client cannot read, and a state that it has. */
  #writeText(update: SessionUpdate, encoded: () => string): void {
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
function textOf(message: UpdateOf<'update' | 'later' | 'state'>): string {
  return texts(message, () =>
    encodeNotification(sessionUpdate, { sessionId: message.chat, update: message.update }),
  );
}
