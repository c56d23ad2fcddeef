// Reads the chunks of Google's Generative Language format: parts of one candidate, calls in one piece.
import type { Reader } from '../events.ts';
import { fields, isFields, list, number, text } from '../loose.ts';
import type { Fields } from '../loose.ts';
import type { Parts } from '../parts.ts';

export class GoogleReader implements Reader {
  #block = 0;
  #type: 'text' | 'reasoning' | undefined;
  #usage: Fields = {};
  #finish: string | undefined;

  take(given: unknown, parts: Parts): void {
    const event = fields(given);
    if (event['error'] !== undefined) throw event['error'];
    if (isFields(event['usageMetadata'])) this.#usage = event['usageMetadata'];
    if (fields(event['promptFeedback'])['blockReason'] !== undefined) this.#finish = 'SAFETY';
    const candidate = fields(list(event['candidates'])[0]);
    for (const part of list(fields(candidate['content'])['parts'])) this.#part(fields(part), parts);
    for (const chunk of list(fields(candidate['groundingMetadata'])['groundingChunks'])) cite(fields(fields(chunk)['web']), parts);
    if (typeof candidate['finishReason'] === 'string') this.#finish = candidate['finishReason'];
  }

  end(parts: Parts): void {
    if (this.#finish === undefined) return;
    const { promptTokenCount: input, candidatesTokenCount: output, thoughtsTokenCount: thoughts, cachedContentTokenCount: cached, toolUsePromptTokenCount: tools } = this.#usage;
    parts.finish(reasons[this.#finish] ?? 'stop', {
      input: (number(input) ?? 0) + (number(tools) ?? 0), output: (number(output) ?? 0) + (number(thoughts) ?? 0), cacheRead: number(cached) ?? 0,
    });
  }

  #part(part: Fields, parts: Parts): void {
    const signature = text(part['thoughtSignature']);
    const metadata = { google: { thoughtSignature: signature } };
    if (isFields(part['functionCall'])) {
      this.#type = undefined;
      call(part['functionCall'], signature === '' ? undefined : metadata, parts);
      return;
    }
    if (typeof part['text'] !== 'string') return;
    const type = part['thought'] === true ? 'reasoning' : 'text';
    if (type !== this.#type && (part['text'] !== '' || this.#type === undefined)) {
      this.#block += 1;
      this.#type = type;
    }
    parts.say(this.#type ?? type, part['text'], String(this.#block));
    if (signature !== '') parts.mark(this.#type ?? type, String(this.#block), metadata);
  }
}

const refused = ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY', 'LANGUAGE'];

const reasons: { readonly [reason: string]: 'length' | 'refusal' | undefined } = { MAX_TOKENS: 'length', ...Object.fromEntries(refused.map((reason) => [reason, 'refusal' as const])) };

function call({ id, name, args }: Fields, metadata: object | undefined, parts: Parts): void {
  const input = JSON.stringify(args ?? {});
  parts.start(text(id), text(name));
  parts.input(text(id), input);
  parts.call({ id: text(id), name: text(name), input }, metadata);
}

function cite(web: Fields, parts: Parts): void {
  parts.cite(text(web['uri']), text(web['title']));
}
