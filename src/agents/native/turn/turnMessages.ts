// The messages of one turn as the model is given them: what the log holds, what is added on the way, and how much room is left.
import type { TurnContext } from '../../../host/agent.ts';
import type { TurnId } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import { chatMessages, historyMessages } from './modelMessages.ts';
import { guessTokens, tokensNow, unmeasured } from './compaction/contextUsage.ts';
import type { Measured } from './compaction/contextUsage.ts';
import { givenWith } from '../prompt/resolvedInput.ts';
import type { ModelMessage } from '../model.ts';

export class Talk {
  readonly #turn: TurnContext;
  readonly #refused: TurnId | undefined;
  #messages: ModelMessage[] = [];
  #start = 0;
  #measured: Measured = unmeasured;

  /** `refused` is the turn up to which the model wants to see no picture. */
  constructor(turn: TurnContext, refused?: TurnId) {
    this.#turn = turn;
    this.#refused = refused;
    this.reload();
    const { used } = turn.history.findLast(({ usage }) => usage?.context)?.usage?.context ?? unmeasured;
    if (used > 0) this.#measured = { used, guessed: guessTokens(this.#messages.slice(0, this.#start)) };
  }

  get messages(): readonly ModelMessage[] {
    return [...this.#messages];
  }

  /** Where the running turn begins. */
  get start(): number {
    return this.#start;
  }

  /** Whether anything was said that a summary could stand for. */
  get worthSummary(): boolean {
    return this.#messages.some(({ role }) => role === 'assistant');
  }

  add(messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
  }

  /** The provider has counted what is there now. */
  measure(used: number): void {
    this.#measured = { used, guessed: guessTokens(this.#messages) };
  }

  /** How many tokens the next request has, besides the fixed part of it where nothing was counted yet. */
  tokens(fixed: number): number {
    return tokensNow(this.#messages, this.#measured) + (this.#measured === unmeasured ? fixed : 0);
  }

  /** Whether the running turn has pictures in it. */
  get showsPictures(): boolean {
    return this.#messages.slice(this.#start).some(hasPicture);
  }

  /** Leaves out what the model cannot see, or its provider has not taken; false where there is nothing to leave out. */
  dropPictures(why: keyof typeof unseen): boolean {
    const has = this.#messages.some(hasPicture);
    this.#messages = this.#messages.map((message) => withoutPictures(message, why));
    return has;
  }

  /** Starts over from the log, where a summary has taken the place of the rest. */
  reload(): void {
    const state = this.#turn.state();
    const chat = state.chats[this.#turn.session.chat];
    const given = givenWith(state);
    const { messages, start } = chat ? chatMessages(chat, given) : { messages: [], start: 0 };
    const before = chat ? this.#around(state, chat, given) : [];
    const told = chat ? this.#told(chat, given) : 0;
    this.#messages = [
      ...before,
      ...messages.map((message, at) => (at < told ? withoutPictures(message, 'refused') : message)),
    ];
    this.#start = before.length + start;
    this.#measured = unmeasured;
  }

  /** How many messages are there up to the turn whose pictures were refused. */
  #told({ turns, compaction }: Chat, given: ReturnType<typeof givenWith>): number {
    const last = turns.findIndex(({ id }) => id === this.#refused);
    const summed = compaction ? turns.findIndex(({ id }) => id === compaction.after) : -1;
    return last < 0 || last < summed
      ? 0
      : historyMessages(turns.slice(0, last + 1), compaction, given).length;
  }

  /** What was said in the chat that this one is about. */
  #around(
    { chats }: State,
    { turns, active, origin }: Chat,
    given: ReturnType<typeof givenWith>,
  ): readonly ModelMessage[] {
    if (origin.type !== 'side') return [];
    const own = new Set([...turns, ...(active ? [active] : [])].map(({ id }) => id));
    return historyMessages(
      this.#turn.history.filter(({ id }) => !own.has(id)),
      chats[origin.chat]?.compaction,
      given,
    );
  }
}

function hasPicture(message: ModelMessage): boolean {
  return message.role !== 'tool' && message.content.some(({ type }) => type === 'image');
}

function withoutPictures(message: ModelMessage, why: keyof typeof unseen): ModelMessage {
  if (message.role === 'tool') return message;
  const place = { type: 'text', text: unseen[why] } as const;
  if (message.role === 'user')
    return { ...message, content: message.content.map((part) => (part.type === 'image' ? place : part)) };
  return { ...message, content: message.content.map((part) => (part.type === 'image' ? place : part)) };
}

const unseen = {
  blind: '[A picture that cannot be shown to you.]',
  refused: '[image removed: rejected by the LLM provider]',
} as const;
