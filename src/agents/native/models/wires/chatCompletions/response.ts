// Parses the chunks of OpenAI's chat format and the deviations of compatible servers: reasoning under two
// names or as parts, calls without index, late names.
import type { ModelUsage } from '../../../model.ts';
import type { EventReader } from '../shared/events.ts';
import { fields, list, number, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import { ThinkTags } from '../shared/thinkTags.ts';
import type { Tags } from '../shared/thinkTags.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

interface Call {
  id: string;
  name: string;
  input: string;
  signature: string;
}

export class ChatReader implements EventReader {
  readonly #tags: ThinkTags | undefined;
  readonly #calls = new Map<unknown, Call>();
  #open: Call | undefined;
  #usage: JsonFields = {};
  #finish: string | undefined;

  /** `tags` enclose reasoning inside the text. */
  constructor(tags?: Tags) {
    this.#tags = tags && new ThinkTags(tags);
  }

  take(given: unknown, parts: Parts): void {
    const event = fields(given);
    if (event['error'] !== undefined && event['error'] !== null) throw event['error'];
    if (event['usage']) this.#usage = fields(event['usage']);
    const choice = fields(list(event['choices'])[0]);
    if (typeof choice['finish_reason'] === 'string') this.#finish = choice['finish_reason'];
    // An answer that is not streamed is complete.
    if (choice['message']) this.#finish ??= 'stop';
    const delta = fields(choice['delta'] ?? choice['message']);
    this.#think(text(delta['reasoning_content']) || text(delta['reasoning']), parts);
    this.#content(delta['content'], parts);
    for (const call of list(delta['tool_calls'])) this.#call(fields(call), parts);
    for (const image of list(delta['images']))
      this.#picture(text(fields(fields(image)['image_url'])['url']), parts);
    for (const annotation of list(delta['annotations']))
      cite(fields(fields(annotation)['url_citation']), parts);
  }

  /** The usage follows the finish reason, so only the end of the stream completes the answer. */
  end(parts: Parts): void {
    if (this.#finish === undefined) return;
    this.#flush(parts);
    for (const call of this.#calls.values()) this.#complete(call, parts);
    parts.finish(reasons[this.#finish] ?? 'stop', this.#counts());
  }

  #counts(): ModelUsage {
    const { prompt_tokens: input, completion_tokens: output } = this.#usage;
    const cacheRead =
      number(fields(this.#usage['prompt_tokens_details'])['cached_tokens']) ??
      number(this.#usage['prompt_cache_hit_tokens']) ??
      0;
    return {
      ...counted('input', input),
      ...counted('output', output),
      ...counted('cost', this.#usage['cost']),
      cacheRead,
    };
  }

  #think(words: string, parts: Parts): void {
    if (words === '') return;
    this.#flush(parts);
    parts.say('reasoning', words, 'thoughts');
  }

  #content(content: unknown, parts: Parts): void {
    if (typeof content === 'string') this.#say(content, parts);
    for (const part of list(content)) {
      const { type, text: words, thinking } = fields(part);
      if (type === 'thinking')
        for (const thought of list(thinking)) this.#think(text(fields(thought)['text']), parts);
      else this.#say(text(words), parts);
    }
  }

  #say(words: string, parts: Parts): void {
    if (words === '') return;
    if (this.#tags) this.#tags.take(words, parts);
    else parts.say('text', words, 'words');
  }

  /** Images arrive as data URLs; any other URL is a source. */
  #picture(url: string, parts: Parts): void {
    this.#flush(parts);
    const data = /^data:[^,]*;base64,/.exec(url);
    if (data) parts.picture(url.slice(data[0].length));
    else parts.cite(url, 'Picture');
  }

  #flush(parts: Parts): void {
    this.#tags?.flush(parts);
  }

  #call({ index, id, function: called, extra_content: extra }: JsonFields, parts: Parts): void {
    this.#flush(parts);
    const { name, arguments: piece } = fields(called);
    const call = this.#callAt(index, text(id));
    call.id ||= text(id);
    call.signature ||= text(fields(fields(extra)['google'])['thought_signature']);
    const known = call.name !== '';
    call.name ||= text(name);
    call.input += text(piece);
    if (call.name === '') return;
    if (!known) parts.start(call.id, call.name);
    parts.input(call.id, known ? text(piece) : call.input);
  }

  /** Some servers send no index; a new id then begins a new call. */
  #callAt(index: unknown, id: string): Call {
    const isOpen = id === '' || id === this.#open?.id;
    const unnumbered = isOpen ? undefined : id;
    const place = typeof index === 'number' ? index : unnumbered;
    const found = place === undefined ? this.#open : this.#calls.get(place);
    const call = found ?? { id, name: '', input: '', signature: '' };
    if (!found) this.#calls.set(place ?? this.#calls.size, call);
    this.#open = call;
    return call;
  }

  #complete({ id, name, input, signature }: Call, parts: Parts): void {
    if (name !== '')
      parts.call(
        { id, name, input },
        signature === '' ? undefined : { google: { thoughtSignature: signature } },
      );
  }
}

const reasons: { readonly [reason: string]: 'calls' | 'length' | 'refusal' | undefined } = {
  tool_calls: 'calls',
  function_call: 'calls',
  length: 'length',
  content_filter: 'refusal',
};

function cite(citation: JsonFields, parts: Parts): void {
  parts.cite(text(citation['url']), text(citation['title']));
}

function counted(name: 'input' | 'output' | 'cost', count: unknown): ModelUsage {
  return typeof count === 'number' ? { [name]: count } : {};
}

/** None of these servers has a code for this; each row matches the message of one of them. */
export const refusals: readonly RefusalRule[] = [
  // OpenAI.
  { reason: 'imagesUnsupported', message: /image_url is only supported by certain models/i },
  // OpenRouter.
  { reason: 'imagesUnsupported', message: /no endpoints found that support image input/i },
  // vLLM: the limit of images, or the kind of the model.
  { reason: 'imagesUnsupported', message: /at most 0 image|is not a multimodal model/i },
  // llama.cpp, LM Studio, LiteLLM and others.
  {
    reason: 'imagesUnsupported',
    message: /(?:does not|doesn't|not) support (?:images?|vision)|images? inputs? (?:is|are) not supported/i,
  },
];
