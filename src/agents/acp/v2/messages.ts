// The messages of an agent of version 2 as the chunks of version 1. It may send a message as a whole, also
// after parts of it; the log only grows.
import { isRecord } from '../../../base/isRecord.ts';
import { message } from '../../../protocols/acp/v2/answerSchema.ts';

type Channel = 'agent_message' | 'agent_thought';

interface ShownMessage {
  /** Its id in version 1: a message that was replaced goes on under another one. */
  id: string;
  text: string;
  /** How many blocks that are no text were shown. */
  others: number;
}

export class MessageChunks {
  readonly #shown = new Map<string, ShownMessage>();

  /** At the end of a turn its messages are complete. */
  clear(): void {
    this.#shown.clear();
  }

  /** Keeps in mind what a chunk shows. */
  chunk(channel: Channel, update: { readonly [key: string]: unknown }): readonly unknown[] {
    const { messageId, content } = update;
    if (typeof messageId !== 'string') return [update];
    const shown = this.#find(channel, messageId);
    const text = textOf(content);
    if (text === undefined) shown.others += 1;
    else shown.text += text;
    return [{ ...update, messageId: shown.id }];
  }

  /** A message as a whole: what is not shown yet. */
  whole(channel: Channel, update: unknown): readonly unknown[] {
    const read = message.safeParse(update);
    if (!read.success || !read.data.content) return [];
    const { messageId, content } = read.data;
    const shown = this.#find(channel, messageId);
    const texts = content.map(textOf);
    const text = texts.filter((one) => one !== undefined).join('');
    const others = content.filter((_, at) => texts[at] === undefined);
    if (!text.startsWith(shown.text)) {
      shown.id = `${shown.id}~`;
      shown.text = '';
    }
    const rest = text.slice(shown.text.length);
    const fresh = others.slice(shown.others);
    shown.text = text;
    shown.others = Math.max(shown.others, others.length);
    const blocks = [...(rest === '' ? [] : [{ type: 'text', text: rest }]), ...fresh];
    return blocks.map((block) => ({
      sessionUpdate: `${channel}_chunk`,
      messageId: shown.id,
      content: block,
    }));
  }

  #find(channel: Channel, id: string): ShownMessage {
    const key = `${channel} ${id}`;
    const known = this.#shown.get(key);
    if (known) return known;
    const fresh = { id, text: '', others: 0 };
    this.#shown.set(key, fresh);
    return fresh;
  }
}

function textOf(block: unknown): string | undefined {
  return isRecord(block) && block['type'] === 'text' && typeof block['text'] === 'string'
    ? block['text']
    : undefined;
}
