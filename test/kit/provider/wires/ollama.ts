// The native Ollama format as a fake provider speaks it: one JSON object a line.
import type { Failure, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'Ollama',
    golden: { wire: 'ollama', model: 'ollama/gpt-oss:20b' },
    traits: {
      provider: 'ollama',
      model: 'fake-large',
      pieces: 0,
      cache: {},
      low: { think: 'low' },
      garbage: '{"message":{"con',
    },
  },
  path: /\/api\/chat$/,
  contentType: 'application/x-ndjson',
  ask(body) {
    const messages = body.at('messages').list();
    const last = messages.findLastIndex((message) => message.at('role').value === 'user');
    const content = (role: string, from = 0) =>
      messages
        .slice(from)
        .filter((message) => message.at('role').value === role)
        .map((message) => message.at('content').text());
    return {
      model: body.at('model').text(),
      stream: body.at('stream').value !== false,
      system: content('system')[0] ?? '',
      prompt: messages[last]?.at('content').text() ?? '',
      results: content('tool', last + 1),
      tools: body
        .at('tools')
        .list()
        .map((tool) => ({
          name: tool.at('function', 'name').text(),
          parameters: tool.at('function', 'parameters'),
        })),
    };
  },
  speaker: ({ model }) => speaker(model),
  whole: ({ model, text, calls, finish, tokens }) => ({
    ...line(model, {
      role: 'assistant',
      content: text,
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map(({ name, input }) => ({ function: { name, arguments: input } })) }),
    }),
    ...ending(finish, tokens),
  }),
  refusal: ({ message = 'It failed.' }) => ({ error: message }),
};

function line(model: string, message: object): object {
  return { model, created_at: '2026-01-01T00:00:00Z', message, done: false };
}

function ending(finish: string, { input, output }: Tokens): object {
  return {
    done: true,
    done_reason: finish === 'length' ? 'length' : 'stop',
    prompt_eval_count: input,
    eval_count: output,
  };
}

function speaker(model: string): Speaker {
  const say = (value: object) => `${JSON.stringify(value)}\n`;
  const message = (value: object) => say(line(model, { role: 'assistant', content: '', ...value }));
  return {
    open: () => [],
    text: (piece) => [message({ content: piece })],
    think: (piece) => [message({ thinking: piece })],
    sealed: () => [],
    call: ({ name, pieces }) => [
      message({ tool_calls: [{ function: { name, arguments: JSON.parse(pieces.join('')) as object } }] }),
    ],
    cite: () => [],
    news: () => [say({ hologram: 1 })],
    fail: ({ message: error = 'It failed.' }: Failure) => [say({ error })],
    close: (finish, tokens) => [
      say({ ...line(model, { role: 'assistant', content: '' }), ...ending(finish, tokens) }),
    ],
  };
}
