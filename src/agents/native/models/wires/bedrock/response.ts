// Parses the events of Amazon's Converse API: numbered blocks that grow, the stop reason,
// and the usage after it.
import type { ModelUsage } from '../../../model.ts';
import type { EventReader } from '../shared/events.ts';
import { fields, number, text } from '../shared/jsonFields.ts';
import type { JsonFields } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  input: string;
}

export class ConverseReader implements EventReader {
  readonly #calls = new Map<unknown, Call>();
  readonly #signatures = new Map<unknown, string>();
  #stop: string | undefined;

  take(given: unknown, parts: Parts): void {
    const { kind, failed, payload } = fields(given);
    const event = fields(payload);
    if (failed === true) throw { type: kind, message: text(event['message']) };
    switch (kind) {
      case 'contentBlockStart':
        return this.#begin(event['contentBlockIndex'], fields(fields(event['start'])['toolUse']), parts);
      case 'contentBlockDelta':
        return this.#grow(event['contentBlockIndex'], fields(event['delta']), parts);
      case 'contentBlockStop':
        return this.#end(event['contentBlockIndex'], parts);
      case 'messageStop':
        this.#stop = text(event['stopReason']);
        return;
      // The usage is the last event.
      case 'metadata':
        return this.#stop === undefined
          ? undefined
          : parts.finish(reasons[this.#stop] ?? 'stop', usageOf(fields(event['usage'])));
      default: // The beginning, or an event from the future.
    }
  }

  /** A compatible server may send no usage; the answer is complete all the same. */
  end(parts: Parts): void {
    if (this.#stop !== undefined && !parts.finished) parts.finish(reasons[this.#stop] ?? 'stop', {});
  }

  #begin(index: unknown, call: JsonFields, parts: Parts): void {
    if (call['toolUseId'] === undefined) return;
    const { toolUseId: id, name } = call;
    this.#calls.set(index, { id: text(id), name: text(name), input: '' });
    parts.start(text(id), text(name));
  }

  #grow(index: unknown, delta: JsonFields, parts: Parts): void {
    if (delta['text'] !== undefined) parts.say('text', text(delta['text']), String(index));
    if (delta['toolUse'] !== undefined) this.#input(index, text(fields(delta['toolUse'])['input']), parts);
    if (delta['citation'] !== undefined) cite(fields(delta['citation']), parts);
    const { text: thought, signature, redactedContent } = fields(delta['reasoningContent']);
    parts.say('reasoning', text(thought), String(index));
    if (signature !== undefined)
      this.#signatures.set(index, (this.#signatures.get(index) ?? '') + text(signature));
    if (redactedContent !== undefined)
      parts.mark('reasoning', String(index), { bedrock: { redactedData: text(redactedContent) } });
  }

  #input(index: unknown, piece: string, parts: Parts): void {
    const call = this.#calls.get(index);
    if (!call) return;
    call.input += piece;
    parts.input(call.id, piece);
  }

  #end(index: unknown, parts: Parts): void {
    const signature = this.#signatures.get(index);
    if (signature !== undefined) parts.mark('reasoning', String(index), { bedrock: { signature } });
    const call = this.#calls.get(index);
    if (call) parts.call({ ...call });
    this.#calls.delete(index);
    this.#signatures.delete(index);
  }
}

const reasons: { readonly [reason: string]: 'calls' | 'length' | 'refusal' | undefined } = {
  tool_use: 'calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'refusal',
  content_filtered: 'refusal',
};

function cite(citation: JsonFields, parts: Parts): void {
  parts.cite(text(fields(fields(citation['location'])['web'])['url']), text(citation['title']));
}

/** Cached tokens are counted separately. */
function usageOf(usage: JsonFields): ModelUsage {
  const cacheRead = number(usage['cacheReadInputTokens']) ?? 0;
  const cacheWrite = number(usage['cacheWriteInputTokens']) ?? 0;
  return {
    input: (number(usage['inputTokens']) ?? 0) + cacheRead + cacheWrite,
    output: number(usage['outputTokens']) ?? 0,
    cacheRead,
    cacheWrite,
  };
}

/** Bedrock has no code for this: every such error is a `ValidationException`. */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    message: /(?:does not|doesn't|not) support (?:the )?images?|images? inputs? (?:is|are) not supported/i,
  },
];
