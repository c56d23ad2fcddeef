// Parses Anthropic's events: numbered blocks that start, grow and stop.
import type { ModelUsage } from '../../../model.ts';
import type { EventReader } from '../shared/events.ts';
import { fields, list, number, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import type { Quote } from './quotes.ts';
import { linksTo } from '../shared/sources.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

interface Block {
  /** Adjacent text blocks are one run and share its id. */
  readonly id: string;
  readonly type: string;
  /** The id of the call, for a call block. */
  readonly call: string;
  readonly name: string;
  input: string;
  /** The block of the start event. */
  readonly started: JsonFields;
  signature: string;
  /** Where its text begins in the run. */
  readonly from: number;
  readonly citations: unknown[];
}

interface Run {
  readonly id: string;
  length: number;
  readonly quotes: Quote[];
}

export class AnthropicReader implements EventReader {
  readonly #blocks = new Map<unknown, Block>();
  #usage: JsonFields = {};
  #stop = '';
  #searches = 0;
  #run: Run | undefined;

  take(given: unknown, parts: Parts): void {
    const event = fields(given);
    switch (event['type']) {
      case 'content_block_delta':
        return this.#grow(event, parts);
      case 'content_block_start':
        return this.#begin(event, parts);
      case 'content_block_stop':
        return this.#end(event, parts);
      case 'message_start':
        this.#usage = fields(fields(event['message'])['usage']);
        return;
      case 'message_delta':
        return this.#close(event);
      case 'message_stop':
        return this.#finish(parts);
      case 'error':
        throw event['error'];
      // A keep-alive, or an event of a later version.
      default:
        if (Array.isArray(event['content'])) this.#whole(event, parts);
    }
  }

  /** A complete answer that is not streamed. */
  #whole({ content, usage, stop_reason: stop }: JsonFields, parts: Parts): void {
    list(content).forEach((block, index) =>
      this.#begin({ index, content_block: { type: 'text', ...fields(block) } }, parts),
    );
    this.#close({ usage, delta: { stop_reason: text(stop) || 'end_turn' } });
    this.#finish(parts);
  }

  #begin(event: JsonFields, parts: Parts): void {
    const started = fields(event['content_block']);
    const type = text(started['type']);
    // Blocks do not overlap, and some compatible servers send no stop event.
    for (const index of this.#blocks.keys()) this.#end({ index }, parts);
    if (type === 'text') this.#run ??= { id: String(event['index']), length: 0, quotes: [] };
    else this.#endRun(parts);
    const block: Block = {
      id: this.#run?.id ?? String(event['index']),
      type,
      call: text(started['id']),
      name: text(started['name']),
      input: '',
      started,
      signature: text(started['signature']),
      from: this.#run?.length ?? 0,
      citations: [],
    };
    this.#blocks.set(event['index'], block);
    if (block.type === 'text') this.#say(text(started['text']), parts);
    else if (block.type === 'thinking') parts.say('reasoning', text(started['thinking']), block.id);
    else if (block.type === 'redacted_thinking')
      parts.mark('reasoning', block.id, { anthropic: { redactedData: text(started['data']) } });
    else if (block.type === 'tool_use') parts.start(block.call, block.name);
    else if (block.type === 'server_tool_use') parts.serve(block.call, block.name);
    else if (block.type.endsWith('_tool_result')) served(started, parts);
  }

  #grow(event: JsonFields, parts: Parts): void {
    const delta = fields(event['delta']);
    const block = this.#blocks.get(event['index']) ?? this.#unannounced(event['index'], delta, parts);
    if (!block) return;
    switch (delta['type']) {
      case 'text_delta':
        return this.#say(text(delta['text']), parts);
      case 'thinking_delta':
        return parts.say('reasoning', text(delta['thinking']), block.id);
      case 'signature_delta':
        block.signature += text(delta['signature']);
        return;
      case 'input_json_delta':
        return this.#input(block, text(delta['partial_json']), parts);
      case 'citations_delta':
        block.citations.push(delta['citation']);
        return cite(fields(delta['citation']), parts);
      default:
    }
  }

  /** Some compatible servers send no start event for text. */
  #unannounced(index: unknown, { type }: JsonFields, parts: Parts): Block | undefined {
    if (type !== 'text_delta' && type !== 'thinking_delta') return undefined;
    const kind = type === 'text_delta' ? 'text' : 'thinking';
    this.#begin({ index, content_block: { type: kind } }, parts);
    return this.#blocks.get(index);
  }

  #input(block: Block, piece: string, parts: Parts): void {
    block.input += piece;
    if (block.type === 'tool_use' || block.type === 'server_tool_use') parts.input(block.call, piece);
  }

  #end(event: JsonFields, parts: Parts): void {
    const block = this.#blocks.get(event['index']);
    if (!block) return;
    this.#blocks.delete(event['index']);
    switch (block.type) {
      case 'thinking':
        if (block.signature !== '')
          parts.mark('reasoning', block.id, { anthropic: { signature: block.signature } });
        return;
      case 'text':
        if (block.citations.length > 0 && this.#run)
          this.#run.quotes.push({ from: block.from, to: this.#run.length, citations: block.citations });
        return;
      case 'tool_use':
      case 'server_tool_use':
        return endCall(block, parts);
      default:
    }
  }

  #say(words: string, parts: Parts): void {
    if (!this.#run) return;
    this.#run.length += words.length;
    parts.say('text', words, this.#run.id);
  }

  /** Citations are reported when the text of the run is complete. */
  #endRun(parts: Parts): void {
    if (this.#run && this.#run.quotes.length > 0)
      parts.keep(this.#run.id, { format: 'anthropic', blocks: this.#run.quotes });
    this.#run = undefined;
  }

  /** Some compatible servers send no stop event for a block. */
  #finish(parts: Parts): void {
    if (this.#stop === '') return;
    for (const index of [...this.#blocks.keys()]) this.#end({ index }, parts);
    this.#endRun(parts);
    parts.finish(reasons[this.#stop] ?? 'stop', { ...usageOf(this.#usage), searches: this.#searches });
  }

  #close(event: JsonFields): void {
    this.#searches =
      number(fields(fields(event['usage'])['server_tool_use'])['web_search_requests']) ?? this.#searches;
    this.#stop = text(fields(event['delta'])['stop_reason']) || this.#stop;
    const known = Object.entries(fields(event['usage'])).filter(([, count]) => typeof count === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }
}

/** Some compatible servers send the arguments in one piece, at the start of the block. */
function endCall(block: Block, parts: Parts): void {
  const { input: atStart } = block.started;
  const isWhole = block.input === '' && JSON.stringify(atStart ?? {}) !== '{}';
  const whole = isWhole ? JSON.stringify(atStart) : '';
  parts.input(block.call, whole);
  const call = { id: block.call, name: block.name, input: block.input || whole };
  if (block.type === 'tool_use') return parts.call(call);
  parts.served(call, {
    format: 'anthropic',
    blocks: [{ ...block.started, input: objectIn(call.input) }],
  });
}

const reasons: { readonly [reason: string]: 'calls' | 'length' | 'refusal' | 'pause' | undefined } = {
  tool_use: 'calls',
  pause_turn: 'pause',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
};

function cite(citation: JsonFields, parts: Parts): void {
  parts.cite(text(citation['url']), text(citation['title']));
}

/** The arguments of a call as an object. */
function objectIn(input: string): object {
  try {
    return fields(JSON.parse(input));
  } catch {
    return {};
  }
}

/** The result of a provider-executed call: links, output, or an error. */
function served(block: JsonFields, parts: Parts): void {
  const { type, tool_use_id: id, content } = block;
  const result = fields(content);
  const error = text(result['error_code']);
  const pages = [...list(content).map(fields), result].map((page) => ({
    url: text(page['url']),
    title: text(page['title']) || text(fields(page['content'])['title']),
  }));
  const printed = [text(result['stdout']), text(result['stderr'])]
    .filter(Boolean)
    .map((words) => ({ type: 'text', text: words }) as const);
  parts.servedResult(
    {
      id: text(id),
      name: text(type).replace(/_tool_result$/, ''),
      result: {
        content: [...linksTo(pages), ...printed],
        ...(error === '' ? {} : { error: `The provider reports: ${error.replaceAll('_', ' ')}.` }),
      },
    },
    { format: 'anthropic', blocks: [block] },
  );
}

/** The provider counts cached tokens separately. */
function usageOf(usage: JsonFields): ModelUsage {
  const cacheRead = number(usage['cache_read_input_tokens']) ?? 0;
  const cacheWrite = number(usage['cache_creation_input_tokens']) ?? 0;
  return {
    input: (number(usage['input_tokens']) ?? 0) + cacheRead + cacheWrite,
    output: number(usage['output_tokens']) ?? 0,
    cacheRead,
    cacheWrite,
  };
}

/**
 * Anthropic has no code for this: every such error is an `invalid_request_error`.
 * Compatible servers do the same.
 */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    message: /(?:does not|doesn't|not) support (?:images?|vision)|images? inputs? (?:is|are) not supported/i,
  },
];
