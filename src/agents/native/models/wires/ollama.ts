// Ollama's own format, spoken without a library: one JSON object a line, calls in one piece and without ids.
import type { Json } from '../../../../model/event.ts';
import type { AssistantPart, ModelMessage, ModelPart, ModelRequest } from '../../model.ts';
import { linesOf } from '../lines.ts';
import { BrokenOff, Garbled, Refusal } from '../problem.ts';
import type { Connection, Wire } from '../wire.ts';

export const ollama: Wire = async function* stream(request, { url, key, model, headers, fetch, signal }: Connection) {
  const response = await fetch(`${url}/api/chat`, {
    method: 'POST', signal, body: JSON.stringify(bodyOf(request, model)),
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
  });
  if (!response.ok || !response.body) throw new Refusal(response.status, Object.fromEntries(response.headers), await response.text());
  let calls = 0;
  for await (const line of linesOf(response.body)) {
    const { error, message, done, done_reason: reason, prompt_eval_count: input, eval_count: output } = read(line);
    if (error !== undefined) throw new Refusal(500, {}, JSON.stringify({ error }));
    if (message?.thinking) yield { type: 'reasoning', text: message.thinking };
    if (message?.content) yield { type: 'text', text: message.content };
    for (const { function: { name, arguments: given } } of message?.tool_calls ?? []) {
      calls += 1;
      yield* call(name, JSON.stringify(given ?? {}));
    }
    if (!done) continue;
    yield { type: 'usage', usage: { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) } };
    yield { type: 'finish', reason: reason === 'length' ? 'length' : calls > 0 ? 'calls' : 'stop' };
    return;
  }
  throw new BrokenOff();
};

function* call(name: string, input: string): Generator<ModelPart> {
  yield { type: 'tool-start', id: '', name };
  yield { type: 'tool-input', id: '', delta: input };
  yield { type: 'tool-call', id: '', name, input };
}

function bodyOf({ system, messages, start, tools, variant }: ModelRequest, model: string): object {
  return {
    model, stream: true,
    messages: [{ role: 'system', content: system }, ...messages.flatMap((message, at) => messageOf(message, at >= start ? 'running' : 'past'))],
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(variant === undefined ? {} : { think: variant === 'none' ? false : variant }),
  };
}

function messageOf(message: ModelMessage, turn: 'running' | 'past'): readonly object[] {
  if (message.role === 'tool') return message.results.map(({ name, text }) => ({ role: 'tool', tool_name: name, content: text }));
  const words = message.content.map((part) => (part.type === 'text' ? part.text : '')).filter(Boolean).join('\n');
  if (message.role === 'user') {
    const images = message.content.flatMap((part) => (part.type === 'image' ? [part.data] : []));
    return [{ role: 'user', content: words, ...(images.length === 0 ? {} : { images }) }];
  }
  const calls = message.content.flatMap((part: AssistantPart) => (part.type === 'call' ? [{ function: { name: part.name, arguments: part.input } }] : []));
  const thoughts = turn === 'past' ? '' : message.content.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  // A thought that led to nothing is of no use.
  if (words === '' && calls.length === 0) return [];
  return [{ role: 'assistant', content: words, ...(thoughts === '' ? {} : { thinking: thoughts }), ...(calls.length === 0 ? {} : { tool_calls: calls }) }];
}

interface Line {
  readonly error?: string;
  readonly done?: boolean;
  readonly done_reason?: string;
  readonly prompt_eval_count?: number;
  readonly eval_count?: number;
  readonly message?: { readonly content?: string; readonly thinking?: string; readonly tool_calls?: readonly { readonly function: { readonly name: string; readonly arguments?: Json } }[] };
}

/** A line of another shape than expected says nothing to us; one that is no JSON at all may have been anything. */
function read(text: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    return isLine(value) ? value : {};
  } catch (cause) {
    throw new Garbled(cause);
  }
}

function isLine(value: unknown): value is Line {
  if (typeof value !== 'object' || value === null) return false;
  const { message, error }: { message?: unknown; error?: unknown } = value;
  if (error !== undefined) return typeof error === 'string';
  if (typeof message !== 'object' || message === null) return 'done' in value;
  const { content, thinking, tool_calls: calls }: { content?: unknown; thinking?: unknown; tool_calls?: unknown } = message;
  return [content, thinking].every((words) => words === undefined || typeof words === 'string') && (calls === undefined || (Array.isArray(calls) && calls.every(isCall)));
}

function isCall(value: unknown): boolean {
  const { function: called }: { function?: unknown } = typeof value === 'object' && value !== null ? value : {};
  return typeof called === 'object' && called !== null && 'name' in called && typeof called.name === 'string';
}
