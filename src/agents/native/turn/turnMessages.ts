// The messages of one turn as the model gets them: the messages of the log, what the turn adds, and
// their size in tokens.
import type { TurnContext } from '../../../host/agent.ts';
import type { TurnId } from '../../../model/event.ts';
import type { Chat, State } from '../../../model/state.ts';
import { chatMessages, historyMessages } from './modelMessages.ts';
import { guessTokens, tokensNow, noMeasurement } from './compaction/contextUsage.ts';
import type { MeasuredRequest } from './compaction/contextUsage.ts';
import { resolvedInputs } from '../prompt/resolvedInput.ts';
import type { ModelMessage } from '../model.ts';

/** What the messages come from. */
type MessageSource = Pick<TurnContext, 'session' | 'history' | 'state'>;

export class TurnMessages {
  readonly #turn: MessageSource;
  readonly #refused: TurnId | undefined;
  #messages: ModelMessage[] = [];
  #start = 0;
  /** Our estimate for all messages; undefined until somebody asks. */
  #guess: number | undefined;
  #measured: MeasuredRequest = noMeasurement;

  /** `refused` is the last turn whose images the provider refused. */
  constructor(turn: MessageSource, refused?: TurnId) {
    this.#turn = turn;
    this.#refused = refused;
    this.reload();
    const { used } = turn.history.findLast(({ usage }) => usage?.context)?.usage?.context ?? noMeasurement;
    if (used > 0) this.#measured = { used, guessed: guessTokens(this.#messages.slice(0, this.#start)) };
  }

  get list(): readonly ModelMessage[] {
    return [...this.#messages];
  }

  /** The index of the first message of the running turn. */
  get start(): number {
    return this.#start;
  }

  /** True if there is an answer to summarise. */
  get worthSummary(): boolean {
    return this.#messages.some(({ role }) => role === 'assistant');
  }

  add(messages: readonly ModelMessage[]): void {
    this.#messages.push(...messages);
    if (this.#guess !== undefined) this.#guess += guessTokens(messages);
  }

  /** Records how many tokens the provider counted for the current messages. */
  measure(used: number): void {
    this.#measured = { used, guessed: this.#guessed };
  }

  /**
   * The tokens of the next request. `fixed` is an estimate for its other parts, used until the
   * provider has counted them.
   */
  tokens(fixed: () => number): number {
    return tokensNow(this.#guessed, this.#measured) + (this.#measured === noMeasurement ? fixed() : 0);
  }

  /** A session may have thousands of messages, so each is estimated once. */
  get #guessed(): number {
    return (this.#guess ??= guessTokens(this.#messages));
  }

  /** True if the running turn has images. */
  get showsImages(): boolean {
    return this.#messages.slice(this.#start).some(hasImage);
  }

  /** Replaces all images by a text; false if there was none. */
  dropImages(why: keyof typeof imageTexts): boolean {
    const has = this.#messages.some(hasImage);
    if (!has) return false;
    this.#messages = this.#messages.map((message) => withoutImages(message, why));
    this.#guess = undefined;
    return true;
  }

  /** Reads the log again, after a summary replaced a part of it. */
  reload(): void {
    const state = this.#turn.state();
    const chat = state.chats[this.#turn.session.chat];
    const inputOf = resolvedInputs(state);
    const { messages, start } = chat ? chatMessages(chat, inputOf) : { messages: [], start: 0 };
    const before = chat ? this.#sourceMessages(state, chat, inputOf) : [];
    const refused = chat ? this.#refusedCount(chat, inputOf) : 0;
    this.#messages = [
      ...before,
      ...messages.map((message, at) => (at < refused ? withoutImages(message, 'refused') : message)),
    ];
    this.#start = before.length + start;
    this.#guess = undefined;
    this.#measured = noMeasurement;
  }

  /** The number of messages up to the turn whose images were refused. */
  #refusedCount({ turns, compaction }: Chat, inputOf: ReturnType<typeof resolvedInputs>): number {
    const last = turns.findIndex(({ id }) => id === this.#refused);
    const summed = compaction ? turns.findIndex(({ id }) => id === compaction.after) : -1;
    return last < 0 || last < summed
      ? 0
      : historyMessages(turns.slice(0, last + 1), compaction, inputOf).length;
  }

  /** The messages of the chat that a side chat is about. */
  #sourceMessages(
    { chats }: State,
    { turns, active, origin }: Chat,
    inputOf: ReturnType<typeof resolvedInputs>,
  ): readonly ModelMessage[] {
    if (origin.type !== 'side') return [];
    const ownTurns = new Set([...turns, ...(active ? [active] : [])].map(({ id }) => id));
    return historyMessages(
      this.#turn.history.filter(({ id }) => !ownTurns.has(id)),
      chats[origin.chat]?.compaction,
      inputOf,
    );
  }
}

function hasImage(message: ModelMessage): boolean {
  return message.role !== 'tool' && message.content.some(({ type }) => type === 'image');
}

function withoutImages(message: ModelMessage, why: keyof typeof imageTexts): ModelMessage {
  if (message.role === 'tool') return message;
  const replacement = { type: 'text', text: imageTexts[why] } as const;
  if (message.role === 'user')
    return {
      ...message,
      content: message.content.map((part) => (part.type === 'image' ? replacement : part)),
    };
  return { ...message, content: message.content.map((part) => (part.type === 'image' ? replacement : part)) };
}

const imageTexts = {
  unsupported: '[A picture that cannot be shown to you.]',
  refused: '[image removed: rejected by the LLM provider]',
} as const;
