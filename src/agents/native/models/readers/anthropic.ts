// Reads Anthropic's events: numbered blocks that begin, grow and end.
import type { ModelUsage } from '../../model.ts';
import type { Reader } from '../events.ts';
import { fields, number, text } from '../loose.ts';
import type { Fields } from '../loose.ts';
import type { Parts } from '../parts.ts';

interface Block {
  readonly id: string;
  readonly type: string;
  /** Of a call. */
  readonly call: string;
  readonly name: string;
  input: string;
  readonly whole: unknown;
  signature: string;
}

export class AnthropicReader implements Reader {
  readonly #blocks = new Map<unknown, Block>();
  #usage: Fields = {};
  #stop = '';

  take(given: unknown, parts: Parts): void {
    const event = fields(given);
    switch (event['type']) {
      case 'content_block_delta': return this.#grow(event, parts);
      case 'content_block_start': return this.#begin(event, parts);
      case 'content_block_stop': return this.#end(event, parts);
      case 'message_start': this.#usage = fields(fields(event['message'])['usage']); return;
      case 'message_delta': return this.#close(event);
      case 'message_stop': return this.#finish(parts);
      case 'error': throw event['error'];
      default: // A sign of life, or an event from the future.
    }
  }

  #begin(event: Fields, parts: Parts): void {
    const started = fields(event['content_block']);
    const block: Block = {
      id: String(event['index']), type: text(started['type']), call: text(started['id']), name: text(started['name']), input: '', whole: started['input'], signature: text(started['signature']),
    };
    this.#blocks.set(event['index'], block);
    if (block.type === 'text') parts.say('text', text(started['text']), block.id);
    else if (block.type === 'thinking') parts.say('reasoning', text(started['thinking']), block.id);
    else if (block.type === 'redacted_thinking') parts.mark('reasoning', block.id, { anthropic: { redactedData: text(started['data']) } });
    else if (block.type === 'tool_use') parts.start(block.call, block.name);
  }

  #grow(event: Fields, parts: Parts): void {
    const delta = fields(event['delta']);
    const block = this.#blocks.get(event['index']) ?? this.#unannounced(event['index'], delta);
    if (!block) return;
    switch (delta['type']) {
      case 'text_delta': return parts.say('text', text(delta['text']), block.id);
      case 'thinking_delta': return parts.say('reasoning', text(delta['thinking']), block.id);
      case 'signature_delta': block.signature += text(delta['signature']); return;
      case 'input_json_delta': return this.#input(block, text(delta['partial_json']), parts);
      case 'citations_delta': return cite(fields(delta['citation']), parts);
      default:
    }
  }

  /** Some servers of this kind do not say that words begin. */
  #unannounced(index: unknown, { type }: Fields): Block | undefined {
    const kind = type === 'text_delta' ? 'text' : type === 'thinking_delta' ? 'thinking' : undefined;
    if (kind === undefined) return undefined;
    const block: Block = { id: String(index), type: kind, call: '', name: '', input: '', whole: undefined, signature: '' };
    this.#blocks.set(index, block);
    return block;
  }

  #input(block: Block, piece: string, parts: Parts): void {
    block.input += piece;
    if (block.type === 'tool_use') parts.input(block.call, piece);
  }

  #end(event: Fields, parts: Parts): void {
    const block = this.#blocks.get(event['index']);
    this.#blocks.delete(event['index']);
    if (block?.type === 'thinking' && block.signature !== '') parts.mark('reasoning', block.id, { anthropic: { signature: block.signature } });
    if (block?.type !== 'tool_use') return;
    // Some servers of this kind bring the arguments in one piece.
    const whole = block.input === '' && JSON.stringify(block.whole ?? {}) !== '{}' ? JSON.stringify(block.whole) : '';
    parts.input(block.call, whole);
    parts.call({ id: block.call, name: block.name, input: block.input || whole });
  }

  /** Some servers of this kind do not say that a block ends. */
  #finish(parts: Parts): void {
    if (this.#stop === '') return;
    for (const index of [...this.#blocks.keys()]) this.#end({ index }, parts);
    parts.finish(reasons[this.#stop] ?? 'stop', usageOf(this.#usage));
  }

  #close(event: Fields): void {
    this.#stop = text(fields(event['delta'])['stop_reason']) || this.#stop;
    const known = Object.entries(fields(event['usage'])).filter(([, count]) => typeof count === 'number');
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }
}

const reasons: { readonly [reason: string]: 'calls' | 'length' | 'refusal' | undefined } = {
  tool_use: 'calls', max_tokens: 'length', model_context_window_exceeded: 'length', refusal: 'refusal',
};

function cite(citation: Fields, parts: Parts): void {
  parts.cite(text(citation['url']), text(citation['title']));
}

/** The provider counts what came from the cache apart from the rest. */
function usageOf(usage: Fields): ModelUsage {
  const cacheRead = number(usage['cache_read_input_tokens']) ?? 0;
  const cacheWrite = number(usage['cache_creation_input_tokens']) ?? 0;
  return { input: (number(usage['input_tokens']) ?? 0) + cacheRead + cacheWrite, output: number(usage['output_tokens']) ?? 0, cacheRead, cacheWrite };
}
