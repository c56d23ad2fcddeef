// Parses the events of OpenAI's Responses API: items that are added, grow and are done, each with
// its own kind of delta.
import type { EventReader } from '../shared/events.ts';
import { fields, list, number, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import { linksTo } from '../shared/sources.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

export class ResponsesReader implements EventReader {
  /** Call ids by the index and by the id of their item: some servers send only one of them. */
  readonly #calls = new Map<unknown, string>();
  readonly #begun = new Set<string>();
  readonly #made = new Set<string>();
  #refused = false;
  #searches = 0;

  take(value: unknown, parts: Parts): void {
    const event = fields(value);
    if (text(event['type']).endsWith('.delta')) return this.#grow(event, parts);
    switch (event['type']) {
      // All parts of a summary are one reasoning item.
      case 'response.reasoning_summary_part.added':
        return event['summary_index'] === 0 ? undefined : parts.think('\n\n', text(event['item_id']));
      case 'response.output_item.added':
        return this.#add(event['output_index'], fields(event['item']), parts);
      case 'response.output_item.done':
        return this.#done(fields(event['item']), parts);
      case 'response.output_text.annotation.added':
        return cite(fields(event['annotation']), parts);
      case 'response.completed':
      case 'response.incomplete':
        return this.#finish(fields(event['response']), parts);
      case 'response.failed':
        throw fields(event['response'])['error'] ?? event;
      case 'error':
        throw event['error'] ?? event;
      default: // A start or end marker, or an event of a later version.
    }
  }

  #grow(event: JsonFields, parts: Parts): void {
    const delta = text(event['delta']);
    const item = text(event['item_id']);
    switch (event['type']) {
      case 'response.output_text.delta':
        return parts.say('text', delta, item);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return parts.think(delta, item);
      case 'response.function_call_arguments.delta':
        return parts.input(
          this.#calls.get(event['item_id']) ?? this.#calls.get(event['output_index']) ?? '',
          delta,
        );
      case 'response.refusal.delta':
        this.#refused = true;
        return parts.say('text', delta, item);
      default: // A delta of a later version.
    }
  }

  #add(place: unknown, item: JsonFields, parts: Parts): void {
    const served = servedNames[text(item['type'])];
    if (served !== undefined) {
      parts.serve(text(item['id']), served);
      parts.served({ id: text(item['id']), name: served, input: '' });
    }
    if (item['type'] !== 'function_call') return;
    const call = text(item['call_id']);
    this.#calls.set(place, call).set(item['id'] ?? place, call);
    this.#begun.add(call);
    parts.start(call, text(item['name']));
  }

  #done(item: JsonFields, parts: Parts): void {
    const id = text(item['id']);
    if (item['type'] === 'message' && typeof item['phase'] === 'string')
      parts.mark('text', id, { openai: { itemId: id, phase: item['phase'] } });
    if (item['type'] === 'reasoning' && typeof item['encrypted_content'] === 'string')
      parts.mark('reasoning', id, {
        openai: { itemId: id, reasoningEncryptedContent: item['encrypted_content'] },
      });
    if (item['type'] === 'web_search_call') return this.#searched(item, parts);
    if (item['type'] === 'image_generation_call') return drawn(item, parts);
    if (item['type'] !== 'function_call') return;
    this.#call(item, parts);
  }

  #call(item: JsonFields, parts: Parts): void {
    const call = text(item['call_id']);
    if (this.#made.has(call)) return;
    this.#made.add(call);
    if (!this.#begun.has(call)) parts.start(call, text(item['name']));
    parts.call({ id: call, name: text(item['name']), input: text(item['arguments']) });
  }

  #searched(item: JsonFields, parts: Parts): void {
    const { id, type, status, action } = item;
    const { sources, ...asked } = fields(action);
    const call = { id: text(id), name: 'web_search' };
    this.#searches += asked['type'] === 'search' || asked['type'] === undefined ? 1 : 0;
    const { type: _, ...input } = asked;
    if (Object.keys(input).length > 0) parts.served({ ...call, input: JSON.stringify(input) });
    const content = linksTo(
      list(sources)
        .map(fields)
        .map(({ url, title }) => ({ url: text(url), title: text(title) })),
    );
    // The search results are not sent back.
    parts.servedResult(
      { ...call, result: { content, ...(status === 'failed' ? { error: 'The search failed.' } : {}) } },
      {
        format: 'openai',
        blocks: [{ type, id, status, ...(action === undefined ? {} : { action: asked }) }],
      },
    );
  }

  #finishReason(incomplete: unknown): 'length' | 'refusal' | 'stop' {
    if (incomplete === 'max_output_tokens') return 'length';
    return incomplete === 'content_filter' || this.#refused ? 'refusal' : 'stop';
  }

  #finish(response: JsonFields, parts: Parts): void {
    // Calls without a `done` event are in the final response.
    const output: readonly unknown[] = Array.isArray(response['output']) ? response['output'] : [];
    for (const item of output.map(fields)) if (item['type'] === 'function_call') this.#call(item, parts);
    const usage = fields(response['usage']);
    const why = fields(response['incomplete_details'])['reason'];
    parts.finish(this.#finishReason(why), {
      input: number(usage['input_tokens']) ?? 0,
      output: number(usage['output_tokens']) ?? 0,
      cacheRead: number(fields(usage['input_tokens_details'])['cached_tokens']) ?? 0,
      searches: this.#searches,
    });
  }
}

const servedNames: { readonly [type: string]: string | undefined } = {
  web_search_call: 'web_search',
  image_generation_call: 'image_generation',
};

/** The image is stored once, and inserted into its item when the item is sent back. */
function drawn({ id, status, result, revised_prompt: prompt }: JsonFields, parts: Parts): void {
  const call = { id: text(id), name: 'image_generation' };
  if (text(prompt) !== '') parts.served({ ...call, input: JSON.stringify({ prompt }) });
  if (text(result) === '')
    return parts.servedResult({
      ...call,
      result: {
        content: [],
        error: `No picture came of it${text(status) === 'failed' ? '' : ` (${text(status)})`}.`,
      },
    });
  parts.servedResult({ ...call, result: { content: [] } });
  parts.picture(text(result), {
    format: 'openai',
    blocks: [{ type: 'image_generation_call', id: text(id), status: 'completed' }],
  });
}

function cite(annotation: JsonFields, parts: Parts): void {
  if (annotation['type'] === 'url_citation') parts.cite(text(annotation['url']), text(annotation['title']));
}

/**
 * OpenAI names the field of the request; the rest is in the message. The code is `invalid_value` or absent.
 */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    message:
      /(?:does not|doesn't|not) support (?:images?|vision)|image_url is only supported by certain models/i,
  },
  { reason: 'imagesUnsupported', param: /input|image/, message: /images? inputs? (?:is|are) not supported/i },
];
