// The native Ollama format as a fake provider speaks it: one JSON object a line.
import type { Body, Failure, Speaker, Tokens, Wire } from './reply.ts';

export const ollamaWire: Wire = {
  path: /\/api\/chat$/,
  contentType: 'application/x-ndjson',
  ask(body: Body) {
    const last = body.messages.findLastIndex(({ role }: Body) => role === 'user');
    return {
      model: body.model, stream: body.stream !== false,
      system: body.messages.find(({ role }: Body) => role === 'system')?.content ?? '',
      prompt: body.messages[last]?.content ?? '',
      results: body.messages.slice(last + 1).filter(({ role }: Body) => role === 'tool').map(({ content }: Body) => content),
      tools: (body.tools ?? []).map((tool: Body) => ({ name: tool.function.name, parameters: tool.function.parameters })),
    };
  },
  speaker: ({ model }) => speaker(model),
  whole: ({ model, text, calls, finish, tokens }) => ({
    ...line(model, { role: 'assistant', content: text, ...(calls.length === 0 ? {} : { tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })) }) }),
    ...ending(finish, tokens),
  }),
  refusal: ({ message = 'It failed.' }) => ({ error: message }),
};

function line(model: string, message: object): object {
  return { model, created_at: '2026-01-01T00:00:00Z', message, done: false };
}

function ending(finish: string, { input, output }: Tokens): object {
  return { done: true, done_reason: finish === 'length' ? 'length' : 'stop', prompt_eval_count: input, eval_count: output };
}

function speaker(model: string): Speaker {
  const say = (value: object) => `${JSON.stringify(value)}\n`;
  const message = (value: object) => say(line(model, { role: 'assistant', content: '', ...value }));
  return {
    open: () => [],
    text: (piece) => [message({ content: piece })],
    think: (piece) => [message({ thinking: piece })],
    sealed: () => [],
    call: ({ name, pieces }) => [message({ tool_calls: [{ function: { name, arguments: JSON.parse(pieces.join('')) as object } }] })],
    cite: () => [],
    news: () => [say({ hologram: 1 })],
    fail: ({ message: error = 'It failed.' }: Failure) => [say({ error })],
    close: (finish, tokens) => [say({ ...line(model, { role: 'assistant', content: '' }), ...ending(finish, tokens) })],
  };
}
