// Parses the chunks of Google's generateContent API: parts of one candidate; calls are not streamed.
import { inputText } from '../shared/answerJson.ts';
import type { EventReader } from '../shared/events.ts';
import { fields, isFields, list, number, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import { linksTo } from '../shared/sources.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

export class GoogleReader implements EventReader {
  #block = 0;
  #type: 'text' | 'reasoning' | undefined;
  #usage: JsonFields = {};
  #finish: string | undefined;
  /** Search queries and their results. */
  readonly #queries = new Set<string>();
  readonly #found: JsonFields[] = [];
  /** Whether searches were reported while they ran. */
  #told = false;

  take(given: unknown, parts: Parts): void {
    const event = fields(given);
    if (event['error'] !== undefined) throw event['error'];
    if (isFields(event['usageMetadata'])) this.#usage = event['usageMetadata'];
    if (fields(event['promptFeedback'])['blockReason'] !== undefined) this.#finish = 'SAFETY';
    const candidate = fields(list(event['candidates'])[0]);
    for (const part of list(fields(candidate['content'])['parts'])) this.#part(fields(part), parts);
    this.#ground(fields(candidate['groundingMetadata']), parts);
    if (typeof candidate['finishReason'] === 'string') this.#finish = candidate['finishReason'];
  }

  end(parts: Parts): void {
    if (this.#finish === undefined) return;
    this.#search(parts);
    const {
      promptTokenCount: input,
      candidatesTokenCount: output,
      thoughtsTokenCount: thoughts,
      cachedContentTokenCount: cached,
      toolUsePromptTokenCount: tools,
    } = this.#usage;
    parts.finish(reasons[this.#finish] ?? 'stop', {
      input: (number(input) ?? 0) + (number(tools) ?? 0),
      output: (number(output) ?? 0) + (number(thoughts) ?? 0),
      cacheRead: number(cached) ?? 0,
      searches: this.#queries.size,
      pictureTokens: pictureTokens(this.#usage),
    });
  }

  #ground({ groundingChunks: chunks, webSearchQueries: queries }: JsonFields, parts: Parts): void {
    for (const query of list(queries)) if (typeof query === 'string') this.#queries.add(query);
    for (const chunk of list(chunks)) {
      const web = fields(fields(chunk)['web']);
      this.#found.push(web);
      cite(web, parts);
    }
  }

  /** If only the queries are reported, at the end, they become one call. */
  #search(parts: Parts): void {
    if (this.#queries.size === 0 || this.#told) return;
    parts.serve('', 'web_search');
    parts.served({ id: '', name: 'web_search', input: JSON.stringify({ queries: [...this.#queries] }) });
    parts.servedResult({
      id: '',
      name: 'web_search',
      result: {
        content: linksTo(this.#found.map(({ uri, title }) => ({ url: text(uri), title: text(title) }))),
      },
    });
  }

  /** A provider-executed part is sent back whole, with its signature. */
  #serve(part: JsonFields, parts: Parts): void {
    this.#type = undefined;
    const { id, toolType, args } = fields(part['toolCall'] ?? part['toolResponse']);
    const name = text(toolType).includes('SEARCH') ? 'web_search' : text(toolType).toLowerCase() || 'tool';
    const raw = { format: 'google', blocks: [part] };
    if (part['toolCall'] === undefined)
      return parts.servedResult({ id: text(id), name, result: { content: [] } }, raw);
    this.#told ||= name === 'web_search';
    parts.serve(text(id), name);
    parts.served({ id: text(id), name, input: inputText(args) }, raw);
  }

  #picture({ inlineData, thought }: JsonFields, signature: string, parts: Parts): void {
    this.#type = undefined;
    // Intermediate images are not part of the answer.
    if (thought !== true)
      parts.picture(text(fields(inlineData)['data']), {
        format: 'google',
        blocks: [signature === '' ? {} : { thoughtSignature: signature }],
      });
  }

  #part(part: JsonFields, parts: Parts): void {
    const signature = text(part['thoughtSignature']);
    const metadata = { google: { thoughtSignature: signature } };
    if (isFields(part['functionCall'])) {
      this.#type = undefined;
      call(part['functionCall'], signature === '' ? undefined : metadata, parts);
      return;
    }
    if (isFields(part['inlineData'])) return this.#picture(part, signature, parts);
    if (isFields(part['toolCall']) || isFields(part['toolResponse'])) return this.#serve(part, parts);
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

const refused = [
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'LANGUAGE',
];

const reasons: { readonly [reason: string]: 'length' | 'refusal' | undefined } = {
  MAX_TOKENS: 'length',
  ...Object.fromEntries(refused.map((reason) => [reason, 'refusal' as const])),
};

function call({ id, name, args }: JsonFields, metadata: object | undefined, parts: Parts): void {
  const input = inputText(args);
  parts.start(text(id), text(name));
  parts.call({ id: text(id), name: text(name), input }, metadata);
}

function pictureTokens({ candidatesTokensDetails: details }: JsonFields): number {
  return (
    number(
      list(details)
        .map(fields)
        .find(({ modality }) => modality === 'IMAGE')?.['tokenCount'],
    ) ?? 0
  );
}

function cite(web: JsonFields, parts: Parts): void {
  parts.cite(text(web['uri']), text(web['title']));
}

/** Google has no code for this: the status is `INVALID_ARGUMENT`, as for every invalid request. */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    code: /INVALID_ARGUMENT/,
    message: /image input modality is not enabled|(?:does not|doesn't|not) support images?/i,
  },
];
