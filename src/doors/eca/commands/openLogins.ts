// The chats in which one client is signing in to a provider. Its pipe keeps them for the next host, in memory
// only.
import * as z from 'zod';
import type { ChatId } from '../../../model/event.ts';
import type { LoginDialogue } from './loginDialogue.ts';

const keptDialogue = z.object({
  provider: z.string().optional(),
  method: z.string().optional(),
  fields: z.array(z.object({ key: z.string(), label: z.string(), type: z.enum(['secret', 'text']) })),
  values: z.record(z.string(), z.string()),
  choice: z
    .object({
      id: z.string(),
      question: z.string(),
      options: z.array(z.object({ label: z.string(), description: z.string().exactOptional() })),
    })
    .optional(),
  isElsewhere: z.literal(true).optional(),
});

export class OpenLogins {
  readonly #open = new Map<ChatId, LoginDialogue>();
  readonly #keep: (chat: ChatId, dialogue: unknown) => void;

  /** `keep` gets undefined for a dialogue that is over. */
  constructor(keep: (chat: ChatId, dialogue: unknown) => void) {
    this.#keep = keep;
  }

  has(chat: ChatId): boolean {
    return this.#open.has(chat);
  }

  get(chat: ChatId): LoginDialogue | undefined {
    return this.#open.get(chat);
  }

  get chats(): readonly ChatId[] {
    return [...this.#open.keys()];
  }

  set(chat: ChatId, dialogue: LoginDialogue): void {
    this.#open.set(chat, dialogue);
    const { asking: _, ...kept } = dialogue;
    this.#keep(chat, kept);
  }

  delete(chat: ChatId): void {
    if (this.#open.delete(chat)) this.#keep(chat, undefined);
  }

  /** A dialogue of the last host, as the pipe has kept it. */
  restore(chat: ChatId, kept: unknown): void {
    const { data } = keptDialogue.safeParse(kept);
    if (data) this.set(chat, { ...data, provider: data.provider, method: data.method });
  }
}
