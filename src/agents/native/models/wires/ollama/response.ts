// Reads the lines of Ollama's own format: calls come in one piece and without ids.
import type { ModelUsage } from '../../../model.ts';
import type { Reader } from '../shared/events.ts';
import { fields, list, text } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import { ErrorResponse } from '../../errors/failures.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

export class OllamaReader implements Reader {
  #lines = 0;
  /** The only line says nothing about more to come. */
  #isWhole = false;

  /** A line of another shape than expected says nothing to us. */
  take(given: unknown, parts: Parts): void {
    const {
      error,
      message,
      done,
      done_reason: reason,
      prompt_eval_count: input,
      eval_count: output,
    } = fields(given);
    if (typeof error === 'string') throw new ErrorResponse(500, {}, JSON.stringify({ error }));
    const { thinking, content, tool_calls: calls } = fields(message);
    parts.say('reasoning', text(thinking), 'thoughts');
    parts.say('text', text(content), 'words');
    for (const { name, arguments: args } of list(calls).map((call) => fields(fields(call)['function'])))
      if (typeof name === 'string') callOf(name, JSON.stringify(args ?? {}), parts);
    this.#isWhole = this.#lines === 0 && done === undefined && message !== undefined;
    this.#lines += 1;
    if (done === true || text(reason) !== '')
      parts.finish(reason === 'length' ? 'length' : 'stop', {
        ...count('input', input),
        ...count('output', output),
      });
  }

  /** An answer in one piece is complete. */
  end(parts: Parts): void {
    if (this.#isWhole) parts.finish('stop', {});
  }
}

/** The arguments come in one piece, with the call itself. */
function callOf(name: string, input: string, parts: Parts): void {
  parts.start('', name);
  parts.call({ id: '', name, input });
}

function count(name: 'input' | 'output', value: unknown): ModelUsage {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** Ollama's errors are a message and nothing else. */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    message: /(?:does not|doesn't|not) support (?:images?|vision)|images? inputs? (?:is|are) not supported/i,
  },
];
