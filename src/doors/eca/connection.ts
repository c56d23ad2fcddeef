// One ECA client and what is known about it: its workspace, what it can do, what it chose, what it hears of.
import type { Host } from '../../host/host.ts';
import type { Session } from '../../host/session/session.ts';
import { isRejection } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import type { ChatId, Origin, Rule, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { ChatConfig, Method, Notifications } from '../../protocols/eca/messages.ts';
import type { LoginField, ProviderStatus } from '../../protocols/eca/serviceMessages.ts';
import type { Peer } from '../../rpc/peer.ts';
import { chatConfig, isTrusted } from './outbound/catalogue.ts';
import type { Selected } from './outbound/catalogue.ts';
import type { Draft } from './draft/dialect.ts';
import { Hearings } from './outbound/followedChats.ts';
import { placeOf } from './outbound/message.ts';
import type { EcaMessage } from './outbound/message.ts';
import type { ConfigSources, Configured, EcaDoorOptions, Following } from './options.ts';
import { Questions } from './outbound/questions.ts';
import type { KeptRemote } from './remote/keep.ts';
import { ServerNews } from './outbound/serverUpdates.ts';
import type { TitleFirst } from './outbound/titleFirst.ts';
import { wholeUsage } from './outbound/usage.ts';
import type { UsageFacts } from './outbound/usage.ts';

/** What a client is before its configuration was read. */
export const unconfigured: Configured = { problems: [] };

/** How a client is told things. */
export interface Dialect {
  tell<M extends Method>(method: M, params: Notifications[M]): void;
}

/** Where a sign-in stands: what is asked for next. */
export interface LoginDialogue {
  readonly provider: string | undefined;
  readonly method: string | undefined;
  readonly fields: readonly LoginField[];
  readonly given: { readonly [key: string]: string };
  /** Set while the user chooses in the client or signs in elsewhere; whatever is typed meanwhile ends that. */
  readonly asking?: AbortController | undefined;
}

export class Connection {
  readonly host: Host;
  readonly peer: Peer;
  readonly options: EcaDoorOptions;
  readonly hearings: Hearings;
  readonly questions: Questions;
  readonly servers: ServerNews;
  readonly #id: string;
  /** The client's own name, for others to see who answered. */
  name: string | undefined;
  /** Set where the client speaks the first draft. */
  draft: Draft | undefined;
  /** Takes what is told where the client is told in another way than by notifications. */
  dialect: Dialect | undefined;
  /** Set where the configuration asks for a fixed order of messages with `env: "test"`. */
  titleFirst: TitleFirst | undefined;
  /** The client can put questions to its user. */
  asksQuestions = false;
  /** The client has said that it listens; some lose what is told to them before. */
  greeted = false;
  roots: readonly string[] = [];
  /** What the client chose for new chats. */
  selected: Selected = { agent: undefined, model: undefined, variant: undefined };
  /** What the client sent along with `initialize`. */
  initial: ConfigSources['initial'] = {};
  configured: Configured = unconfigured;
  following: Following | undefined;
  /** Set while servers of the user's own are asked for their models, before the client is first told of any. */
  ready: Promise<void> | undefined;
  /** Once what the workspace tells agents was read as it was configured last. */
  known: Promise<unknown> = Promise.resolve();
  /** What the client was last told about models and agents, and about the native tools. */
  announced: ChatConfig = {};
  toldTools = '';
  /** The workspace whose servers of tools are heard of. */
  watched: { readonly roots: readonly string[]; readonly leave: () => void } | undefined;
  /** Sessions that were begun here and so have this client's workspace. */
  readonly begun = new Set<SessionId>();
  /** What the user has let run from now on, here. */
  remembered: readonly Rule[] = [];
  /** Steering sent from here, which the client takes back when it prompts anew. */
  readonly steering = new Map<ChatId, Set<string>>();
  /** Chats in which this client is signing in to a provider. */
  readonly logins = new Map<ChatId, LoginDialogue>();
  /** What lets browsers reach this client's chats, where its configuration wants that. */
  remote: KeptRemote | undefined;
  readonly #providers = new Map<string, string>();
  readonly #ending = new AbortController();
  #work: Promise<void> = Promise.resolve();

  constructor(host: Host, peer: Peer, options: EcaDoorOptions) {
    this.host = host;
    this.peer = peer;
    this.options = options;
    this.#id = host.ids.next();
    this.hearings = new Hearings(peer, (message) => this.deliver(message));
    this.servers = new ServerNews((method, params) => this.tell(method, params));
    this.questions = new Questions(
      peer,
      (chat, ask, answer) => void this.dispatch(chat, { kind: 'answer', chat, ask, answer }),
    );
  }

  /** Aborts when the client is gone. */
  get gone(): AbortSignal {
    return this.#ending.signal;
  }

  /** What new chats begin with: what was chosen here, else what the configuration says. */
  get defaults(): Selected {
    const { agent, model, variant } = this.selected;
    return {
      agent: agent ?? this.configured.defaultAgent,
      model,
      variant,
      usual: this.configured.defaultModel ?? this.host.settings?.of(this.roots).defaultModel,
    };
  }

  get origin(): Origin {
    return {
      kind: 'client',
      door: 'eca',
      client: this.#id,
      ...(this.name === undefined ? {} : { name: this.name }),
    };
  }

  tell<M extends Method>(method: M, params: Notifications[M]): void {
    if (this.dialect) this.dialect.tell(method, params);
    else this.peer.notify(method, params);
    // Browsers hear of their own chats themselves; what goes on around them only the editor is told.
    if (method === '$/showMessage' || method === '$/progress') this.remote?.remote.tell(method, params);
  }

  /** The connection ends when that process does. */
  watch(pid: number): void {
    this.whenGone(this.options.watchProcess?.(pid, () => this.peer.close()));
  }

  /** Does what takes a while one after the other. */
  inTurn(work: () => Promise<void>): void {
    this.#work = this.#work
      .then(work)
      .catch((error: unknown) => this.host.report(error, 'an ECA connection'));
  }

  whenGone(leave: (() => void) | undefined): void {
    if (leave) this.gone.addEventListener('abort', leave, { once: true });
  }

  /** What a client knows already is not told again. */
  tellProvider(status: ProviderStatus): void {
    const now = JSON.stringify(status);
    if (this.#providers.get(status.id) === now) return;
    this.#providers.set(status.id, now);
    this.tell('providers/updated', status);
  }

  deliver(message: EcaMessage): void {
    if (this.titleFirst?.holds(message)) return;
    switch (message.kind) {
      case 'notification':
        return this.dialect
          ? this.dialect.tell(message.method, message.params)
          : this.peer.sendRaw(message.text);
      case 'selection':
        return this.tell('config/updated', { chatId: message.chat, chat: this.#newsOf(message) });
      case 'trust':
        return this.#isOwn(message.by)
          ? undefined
          : this.tell('config/updated', {
              chatId: message.chat,
              chat: { selectTrust: isTrusted(message.state) },
            });
      case 'usage':
        return this.tell('chat/contentReceived', {
          chatId: message.chat,
          role: 'system',
          content: wholeUsage(message.state, message.chat, this.usageFacts(message.state)),
          ...(message.root === message.chat
            ? {}
            : { parentChatId: placeOf(message.state, message.chat).parent ?? message.root }),
        });
      case 'question':
        return this.asksQuestions ? this.questions.ask(message.chat, message.ask) : undefined;
      case 'settled':
        return this.questions.settle(message.ask);
      default:
        return message satisfies never;
    }
  }

  #isOwn(by: Origin | undefined): boolean {
    return by?.kind === 'client' && by.door === 'eca' && by.client === this.#id;
  }

  #newsOf({ state, chosen }: Extract<EcaMessage, { kind: 'selection' }>): ChatConfig {
    const { selectModel, selectAgent, ...follows } = chatConfig(this.host.agents(this.roots), state);
    const knows = chosen?.what === 'model' && this.#isOwn(chosen.by) && selectModel === state.model;
    const model = selectModel === undefined || knows ? {} : { selectModel };
    return {
      ...model,
      ...(selectAgent === undefined || this.#isOwn(chosen?.by) ? {} : { selectAgent }),
      ...follows,
    };
  }

  usageFacts(state: State): UsageFacts {
    const { roots } = state;
    return {
      agents: this.host.agents(this.roots),
      preamble: this.#preamble(state),
      compactAt: this.host.settings?.of(roots).limits.compactAt,
    };
  }

  /** What is sent along with every request, by where it comes from. */
  #preamble(state: State): UsageFacts['preamble'] {
    const { systemPrompt, tools } = this.options;
    const { rules, skills, instructions } = this.host.knowledge.now(state.roots);
    const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
    const parts = {
      rules: length(rules.filter(({ globs }) => globs.length === 0).map(({ text }) => text)),
      skills: length(skills.map(({ name, description }) => name + description)),
      agentsFile: length(instructions.map(({ text }) => text)),
    };
    const offered =
      tools?.(state)
        .filter(({ disabled }) => disabled !== true)
        .map(({ name, description, parameters }) => ({ name, description, parameters })) ?? [];
    return {
      system: Math.max(
        0,
        (systemPrompt?.(state).length ?? 0) - parts.rules - parts.skills - parts.agentsFile,
      ),
      ...parts,
      tools: JSON.stringify(offered).length,
    };
  }

  /** Whether a folder, or what it is a part of, is in this client's workspace. A client without one sees all. */
  sees(roots: readonly string[]): boolean {
    const homeOf = this.options.homeOf ?? ((root: string) => root);
    const own = this.roots.map(homeOf);
    return own.length === 0 || roots.some((root) => own.includes(homeOf(root)));
  }

  /** The session of a chat if it is in memory; where it is not, nothing of it can be running. */
  opened(chat: ChatId): Session | undefined {
    return this.host.opened(this.host.sessionOf(chat) ?? chat);
  }

  /** The session of a chat, read from its log where necessary. */
  async find(chat: ChatId): Promise<Session | undefined> {
    const known = this.opened(chat);
    const id = this.host.sessionOf(chat);
    if (known || id === undefined) return known?.head.chats[chat] ? known : undefined;
    const session = await this.host.open(id);
    return isRejection(session) || !session.state.chats[chat] ? undefined : session;
  }

  /** A chat inside another is heard with the one around it. */
  hears({ head }: Session, chat: ChatId): boolean {
    return this.hearings.has(placeOf(head, chat).root);
  }

  hear(session: Session, chat: ChatId): void {
    this.hearings.start(session, placeOf(session.head, chat).root);
  }

  /** Carries out a wish about a chat in memory. */
  dispatch(chat: ChatId, command: Command): Rejection | undefined {
    return this.opened(chat)?.dispatch(command, this.origin);
  }

  close(): void {
    this.#ending.abort();
    this.hearings.close();
    this.questions.close();
    this.watched?.leave();
  }
}
