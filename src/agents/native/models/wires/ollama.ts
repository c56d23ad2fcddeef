// Ollama's own format, spoken without a library: one JSON object a line, calls in one piece and without ids.
import type { AssistantPart, ModelMessage, ModelRequest, ModelUsage } from '../../model.ts';
import { HandedPictures } from '../handedPictures.ts';
import { fields, list, text } from '../loose.ts';
import type { Parts } from '../parts.ts';
import { Refusal } from '../problem.ts';
import { answerOf } from '../sdk.ts';
import type { Connection, Wire } from '../wire.ts';

export const ollama: Wire = async (request, connection) => {
  const { url, key, headers, fetch, signal } = connection;
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST', signal, body: JSON.stringify(bodyOf(request, connection)),
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  });
  return answerOf(response, { framing: 'lines', reader: { take } }, connection);
};

/** A line of another shape than expected says nothing to us. */
function take(given: unknown, parts: Parts): void {
  const { error, message, done, done_reason: reason, prompt_eval_count: input, eval_count: output } = fields(given);
  if (typeof error === 'string') throw new Refusal(500, {}, JSON.stringify({ error }));
  const { thinking, content, tool_calls: calls } = fields(message);
  parts.say('reasoning', text(thinking), 'thoughts');
  parts.say('text', text(content), 'words');
  for (const { name, arguments: args } of list(calls).map((call) => fields(fields(call)['function']))) if (typeof name === 'string') callOf(name, JSON.stringify(args ?? {}), parts);
  if (done === true) parts.finish(reason === 'length' ? 'length' : 'stop', { ...count('input', input), ...count('output', output) });
}

function callOf(name: string, input: string, parts: Parts): void {
  parts.start('', name);
  parts.input('', input);
  parts.call({ id: '', name, input });
}

function count(name: 'input' | 'output', value: unknown): ModelUsage {
  return typeof value === 'number' ? { [name]: value } : {};
}

function bodyOf({ system, messages, start, tools, variant }: ModelRequest, { model, context, extra, reasoning }: Connection): object {
  const handed = new HandedPictures();
  return {
    model, stream: true,
    messages: [{ role: 'system', content: system }, ...messages.flatMap((message, at) => handed.around(message).flatMap((each) => messageOf(each, reasoning === 'all' || (reasoning === 'turn' && at >= start) ? 'thoughts' : 'words')))],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(variant === undefined ? {} : { think: variant === 'none' ? false : variant }),
    // Without it the server cuts the conversation where it likes.
    ...(context === undefined ? {} : { options: { num_ctx: context } }),
    ...extra,
  };
}

function messageOf(message: ModelMessage, back: 'thoughts' | 'words'): readonly object[] {
  if (message.role === 'tool') return message.results.map((result) => ({ role: 'tool', tool_name: result.name, content: result.text }));
  const words = message.content.map((part) => (part.type === 'text' ? part.text : '')).filter(Boolean).join('\n');
  if (message.role === 'user') {
    const images = message.content.flatMap((part) => (part.type === 'image' ? [part.data] : []));
    return [{ role: 'user', content: words, ...(images.length === 0 ? {} : { images }) }];
  }
  const calls = message.content.flatMap((part: AssistantPart) => (part.type === 'call' ? [{ function: { name: part.name, arguments: part.input } }] : []));
  const thoughts = back === 'words' ? '' : message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  // A thought that led to nothing is of no use.
  if (words === '' && calls.length === 0) return [];
  return [{ role: 'assistant', content: words, ...(thoughts === '' ? {} : { thinking: thoughts }), ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}
