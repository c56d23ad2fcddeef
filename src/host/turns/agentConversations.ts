// The agent conversations of one session's chats: opened with the first prompt, closed when the chat is
// removed or another agent takes over.
import type { ChatId, Origin, SessionChanges, TurnId } from '../../model/event.ts';
import type { Chat, State } from '../../model/state.ts';
import type { Agent, Conversation, TurnContext, TurnWork } from '../agent.ts';
import { createSessionReporter } from './conversationEvents.ts';
import type { World } from '../world.ts';
import type { Session } from '../session/session.ts';
import type { ToolServer } from '../workspace/workbench.ts';

export interface ConversationsOptions {
  readonly session: Session;
  readonly world: World;
  readonly agentOf: (id: string) => Agent | undefined;
  readonly servers: () => readonly ToolServer[];
  readonly closed: () => boolean;
  /** An agent starts a turn; without work it withdraws that. */
  readonly woken: (turn: TurnId, work: TurnWork | undefined) => void;
}

interface OpenConversation {
  readonly agent: string;
  opened: Promise<Conversation>;
}

export class Conversations {
  readonly #options: ConversationsOptions;
  readonly #open = new Map<ChatId, OpenConversation>();

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  async of(chat: Chat): Promise<Conversation> {
    const { session, world, agentOf, servers, closed, woken } = this.#options;
    const { agent: id, roots } = session.state;
    const open = this.#open.get(chat.id);
    if (open?.agent === id) return open.opened;
    const agent = agentOf(id);
    if (!agent) throw new Error(`There is no agent named ${id}.`);
    const ref = chat.bound?.agent === id ? chat.bound.ref : undefined;
    const from = chat.bound?.agent === id ? undefined : chat.bound?.agent;
    const current: OpenConversation = { agent: id, opened: never };
    const events = createSessionReporter({
      session,
      world,
      chat: chat.id,
      agent: id,
      // The session knows of another agent before the conversation is closed.
      closed: () => closed() || this.#open.get(chat.id) !== current || session.head.agent !== id,
      woken,
    });
    this.#open.set(chat.id, current);
    current.opened = agent.open({
      session: session.id,
      chat: chat.id,
      roots,
      ref,
      from,
      forkOf: forkOf(session.state, chat, id),
      servers,
      extensions: session.state.extensions,
      aside: events,
      isAttached: () => session.isWatched,
    });
    const conversation = await current.opened;
    if (conversation.ref !== undefined && conversation.ref !== ref)
      session.dispatch(
        { kind: 'bindAgent', chat: chat.id, agent: id, ref: conversation.ref },
        this.#origin(),
      );
    return conversation;
  }

  /** Reports where another agent took over, and what it was given. */
  tellHandover({ bound, turns }: Chat, { tellsHandover }: Conversation, context: TurnContext): void {
    const { session, agentOf } = this.#options;
    const { agent } = session.state;
    if (tellsHandover || !bound || bound.agent === agent || turns.length === 0) return;
    const name = (id: string) => agentOf(id)?.info.name ?? id;
    const given =
      turns.length === 1 ? 'the turn before this one' : `all ${turns.length} turns before this one`;
    context.report({
      kind: 'notice.added',
      level: 'info',
      text: `${name(agent)} takes over from ${name(bound.agent)} and was given ${given}.`,
    });
  }

  configure(changes: SessionChanges, { model, mode, options }: State): void {
    if (changes.model === undefined && changes.mode === undefined && changes.options === undefined) return;
    for (const { opened } of this.#open.values()) {
      void opened.then(
        (conversation) => conversation.configure?.({ model, mode, options }),
        () => {},
      );
    }
  }

  async steer(chat: ChatId): Promise<void> {
    const { session } = this.#options;
    const conversation = await this.#opened(chat);
    const active = session.state.chats[chat]?.active;
    if (!conversation?.steer || !active) return;
    for (const message of session.head.chats[chat]?.steering ?? []) conversation.steer(message);
    session.dispatch({ kind: 'takeSteering', chat, turn: active.id }, this.#origin());
  }

  async truncate(chat: ChatId, after: TurnId | undefined): Promise<void> {
    const conversation = await this.#opened(chat);
    if (conversation?.truncate)
      await conversation
        .truncate(after)
        .catch((error: unknown) => this.#options.world.report(error, 'truncating'));
  }

  /** Closes the conversations of chats that were removed or that another agent took over. */
  async reopen(chats: State['chats']): Promise<void> {
    const { agent } = this.#options.session.state;
    const stale = [...this.#open].filter(([chat, open]) => !chats[chat] || open.agent !== agent);
    await Promise.all(stale.map(([chat]) => this.drop(chat)));
  }

  async drop(chat: ChatId): Promise<void> {
    const open = this.forget(chat);
    await open?.opened
      .then((conversation) => conversation.close())
      .catch((error: unknown) => this.#options.world.report(error, 'closing a conversation'));
  }

  /** The next prompt opens a new conversation. */
  forget(chat: ChatId): OpenConversation | undefined {
    const open = this.#open.get(chat);
    this.#open.delete(chat);
    return open;
  }

  /** `forget` also lets the agents delete what they stored for the session. */
  async close(how: 'release' | 'forget'): Promise<void> {
    if (how === 'forget') await this.#openStored();
    await Promise.allSettled(
      [...this.#open.values()].map(async ({ opened }) => {
        const conversation = await opened;
        if (how === 'forget') await conversation.forget?.();
        await conversation.close();
      }),
    );
    this.#open.clear();
  }

  /** What an agent has stored is deleted by its conversation, also if nobody has needed that one yet. */
  async #openStored(): Promise<void> {
    const { session, agentOf } = this.#options;
    const { agent, chats } = session.state;
    const stored = Object.values(chats).filter(({ bound }) => bound?.agent === agent);
    if (agentOf(agent)?.info.forgets) await Promise.allSettled(stored.map((chat) => this.of(chat)));
  }

  async #opened(chat: ChatId): Promise<Conversation | undefined> {
    return this.#open.get(chat)?.opened.catch(() => undefined);
  }

  #origin(): Origin {
    return { kind: 'agent', agent: this.#options.session.state.agent };
  }
}

/** The placeholder until the conversation is opened. */
const never = new Promise<Conversation>(() => {});

/** Agents can only copy whole conversations, so only a fork from the last turn can use a copy. */
function forkOf(state: State, { origin, turns }: Chat, agent: string): string | undefined {
  if ((origin.type !== 'fork' && origin.type !== 'side') || turns.length > 0) return undefined;
  const source = Object.hasOwn(state.chats, origin.chat) ? state.chats[origin.chat] : undefined;
  return source?.bound?.agent === agent && source.turns.at(-1)?.id === origin.turn
    ? source.bound.ref
    : undefined;
}
