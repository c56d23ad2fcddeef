// The prompts that the host still prepares: reading contexts takes time, and a stop may come meanwhile.
import type { ChatId } from '../../../model/event.ts';

export interface UnsentPrompt {
  /** Set by a stop that came before the prompt could start its turn. */
  isStopped: boolean;
}

export class UnsentPrompts {
  readonly #unsent = new Map<ChatId, Set<UnsentPrompt>>();

  /** Runs `send`, which starts the turn of a prompt unless it is stopped before. */
  async track<T>(chat: ChatId | undefined, send: (prompt: UnsentPrompt) => Promise<T>): Promise<T> {
    const prompt: UnsentPrompt = { isStopped: false };
    if (chat === undefined) return send(prompt);
    const prompts = this.#unsent.get(chat) ?? new Set();
    this.#unsent.set(chat, prompts.add(prompt));
    try {
      return await send(prompt);
    } finally {
      prompts.delete(prompt);
      if (prompts.size === 0) this.#unsent.delete(chat);
    }
  }

  stop(chat: ChatId): void {
    for (const prompt of this.#unsent.get(chat) ?? []) prompt.isStopped = true;
  }
}
