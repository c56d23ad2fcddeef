// Parses the lines of Ollama's own API: calls are not streamed and have no ids.
import { inputText } from '../shared/answerJson.ts';
import type { ModelUsage } from '../../../model.ts';
import type { EventReader } from '../shared/events.ts';
import { fields, list, text } from '../shared/jsonFields.ts';
import type { Parts } from '../shared/parts.ts';
import { ErrorResponse } from '../../errors/failures.ts';
import type { RefusalRule } from '../../errors/failedRequest.ts';

export class OllamaReader implements EventReader {
  #lines = 0;
  /** Set if the first line has no `done` field, as in an answer that is not streamed. */
  #isWhole = false;

  /** Ignores fields of an unexpected type. */
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
      if (typeof name === 'string') callOf(name, inputText(args), parts);
    this.#isWhole = this.#lines === 0 && done === undefined && message !== undefined;
    this.#lines += 1;
    if (done === true || text(reason) !== '')
      parts.finish(reason === 'length' ? 'length' : 'stop', {
        ...count('input', input),
        ...count('output', output),
      });
  }

  /** An answer that is not streamed is complete. */
  end(parts: Parts): void {
    if (this.#isWhole) parts.finish('stop', {});
  }
}

/** A call arrives with all its arguments. */
function callOf(name: string, input: string, parts: Parts): void {
  parts.start('', name);
  parts.call({ id: '', name, input });
}

function count(name: 'input' | 'output', value: unknown): ModelUsage {
  return typeof value === 'number' ? { [name]: value } : {};
}

/** Ollama's errors have a message and no code. */
export const refusals: readonly RefusalRule[] = [
  {
    reason: 'imagesUnsupported',
    message: /(?:does not|doesn't|not) support (?:images?|vision)|images? inputs? (?:is|are) not supported/i,
  },
];
