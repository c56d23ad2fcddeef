// Sends notifications and the messages of followed chats to one client, in the form that
// the client understands.
import { present } from '../../../base/present.ts';
import type { Answer, AskId, ChatId } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { ChatConfig, Method, Notifications } from '../../../protocols/eca/messages.ts';
import type { Peer } from '../../../rpc/peer.ts';
import type { ClientProfile } from '../client/clientProfile.ts';
import type { Workspace } from '../client/workspace.ts';
import { chatConfig, isTrusted } from './catalogue.ts';
import { chatPosition } from './message.ts';
import type { EcaMessage } from './message.ts';
import { permissionsText } from './permissionsText.ts';
import { Questions } from './questions.ts';
import type { TitleFirst } from './titleFirst.ts';
import { wholeUsage } from './usage.ts';
import type { UsageFacts } from './usage.ts';

/** Takes notifications before they are encoded. */
export interface NotificationSink {
  notify<M extends Method>(method: M, params: Notifications[M]): void;
}

export interface SenderOptions {
  readonly peer: Peer;
  readonly profile: ClientProfile;
  readonly workspace: Workspace;
  /** Browsers get their own chats themselves, but messages and progress of the editor only from here. */
  readonly mirror: NotificationSink;
  usageFacts(state: State): UsageFacts;
  answer(chat: ChatId, ask: AskId, answer: Answer): void;
}

export class Sender implements NotificationSink {
  readonly #options: SenderOptions;
  readonly #questions: Questions;
  /** What the client was told outside its chats, as chats would say it. */
  readonly #told = new Set<string>();
  /** The configuration for all chats, as it was told last. */
  #config: ChatConfig = {};
  #sink: NotificationSink | undefined;
  #titleFirst: TitleFirst | undefined;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#questions = new Questions(options.peer, (chat, ask, answer) => options.answer(chat, ask, answer));
  }

  /**
   * Sends through the sink from now on, for clients that do not take the newest notifications as they are.
   */
  sendThrough(sink: NotificationSink | undefined): void {
    this.#sink = sink;
  }

  /** Present if the configuration asks for a fixed order of messages with `env: "test"`. */
  get titleFirst(): TitleFirst | undefined {
    return this.#titleFirst;
  }

  showTitleFirst(titleFirst: TitleFirst | undefined): void {
    this.#titleFirst = titleFirst;
  }

  notify<M extends Method>(method: M, params: Notifications[M]): void {
    if (this.#sink) this.#sink.notify(method, params);
    else this.#options.peer.notify(method, params);
    if (method === '$/showMessage' || method === '$/progress') this.#options.mirror.notify(method, params);
  }

  /** Tells the configuration for all chats. */
  configure(chat: ChatConfig): void {
    this.#config = chat;
    this.notify('config/updated', { chat });
  }

  /**
   * Tells what is new in the configuration of one chat, and the rest of it to a client that keeps only the
   * last configuration.
   */
  configureChat(chatId: ChatId, state: State, news: ChatConfig): void {
    const { profile, workspace } = this.#options;
    const { models, agents, behaviors, welcomeMessage } = this.#config;
    const rest = profile.keepsLastConfig
      ? {
          ...present({ models, agents, behaviors, welcomeMessage }),
          ...chatConfig(workspace.agents(), state),
          selectTrust: isTrusted(state),
        }
      : {};
    this.notify('config/updated', { chatId, chat: { ...rest, ...news } });
  }

  /** Tells something outside the chats; notices in chats do not repeat it to this client. */
  tellOnce(message: string): void {
    this.#told.add(`\n${message}\n`);
    this.notify('$/showMessage', { type: 'warning', message });
  }

  deliver(message: EcaMessage): void {
    if (this.#titleFirst?.holds(message) || this.#isTold(message)) return;
    switch (message.kind) {
      case 'notification':
        return this.#sink
          ? this.#sink.notify(message.method, message.params)
          : this.#options.peer.sendRaw(message.text);
      case 'selection':
        return this.configureChat(message.chat, message.state, this.#newSelection(message));
      case 'trust':
        return this.#deliverTrust(message);
      case 'permissions':
        return this.#deliverPermissions(message);
      case 'usage':
        return this.#deliverUsage(message);
      case 'question':
        return this.#ask(message);
      case 'settled':
        return this.#questions.settle(message.ask);
      default:
        return message satisfies never;
    }
  }

  close(): void {
    this.#questions.close();
  }

  /**
   * A question of the host must not stop a client that cannot ask; those of agents wait for other clients.
   */
  #ask({ chat, ask, by }: Extract<EcaMessage, { kind: 'question' }>): void {
    const { profile } = this.#options;
    if (profile.asksQuestions) this.#questions.ask(chat, ask);
    else if (ask.needs !== undefined && profile.isOrigin(by))
      this.#options.answer(chat, ask.id, { kind: 'declined', reason: 'This client cannot ask questions.' });
  }

  #isTold(message: EcaMessage): boolean {
    if (this.#told.size === 0 || message.kind !== 'notification') return false;
    if (message.method !== 'chat/contentReceived') return false;
    const { role, content } = message.params;
    return role === 'system' && content.type === 'text' && this.#told.has(content.text);
  }

  #deliverTrust({ chat, state, by }: Extract<EcaMessage, { kind: 'trust' }>): void {
    if (this.#options.profile.isOrigin(by)) return;
    this.configureChat(chat, state, { selectTrust: isTrusted(state) });
  }

  #deliverPermissions({ chat, state, by }: Extract<EcaMessage, { kind: 'permissions' }>): void {
    if (this.#options.profile.isOrigin(by)) return;
    const content = { type: 'text', text: `\n${permissionsText(state)}\n` } as const;
    this.notify('chat/contentReceived', { chatId: chat, role: 'system', content });
  }

  #deliverUsage({ root, chat, state }: Extract<EcaMessage, { kind: 'usage' }>): void {
    this.notify('chat/contentReceived', {
      chatId: chat,
      role: 'system',
      content: wholeUsage(state, chat, this.#options.usageFacts(state)),
      ...(root === chat ? {} : { parentChatId: chatPosition(state, chat).parent ?? root }),
    });
  }

  /** The client that chose a value knows it; it is told only what follows from the choice. */
  #newSelection({ state, chosen }: Extract<EcaMessage, { kind: 'selection' }>): ChatConfig {
    const { profile, workspace } = this.#options;
    const { selectModel, selectAgent, ...dependent } = chatConfig(workspace.agents(), state);
    const isOwn = profile.isOrigin(chosen?.by);
    const choseModel = isOwn && chosen?.what === 'model' && selectModel === state.model;
    return {
      ...present({
        selectModel: choseModel ? undefined : selectModel,
        selectAgent: isOwn ? undefined : selectAgent,
      }),
      ...dependent,
    };
  }
}
