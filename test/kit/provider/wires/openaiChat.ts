// The OpenAI Chat Completions format as a fake provider speaks it, with the reasoning that
// compatible servers add.
import { wordsOf } from '../json.ts';
import { event } from '../reply.ts';
import type { Failure, Finish, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'OpenAI Chat',
    golden: { wire: 'openai-chat', model: 'openai/gpt-5.2' },
    traits: {
      provider: 'openai',
      model: 'gpt-5.2',
      wire: 'openai-chat',
      pieces: 2,
      marks: { mark: '"prompt_cache_key":"chat-7"', times: 1 },
      cache: { cacheRead: 700 },
      low: { reasoning_effort: 'low' },
    },
  },
  path: /\/chat\/completions$/,
  contentType: 'text/event-stream',
  ask(body) {
    const messages = body.at('messages').list();
    const last = messages.findLastIndex((message) => message.at('role').value === 'user');
    return {
      model: body.at('model').text(),
      stream: body.at('stream').value === true,
      system: wordsOf(
        messages.find((message) => /system|developer/.test(message.at('role').text()))?.at('content') ?? body,
      ),
      prompt: wordsOf(messages[last]?.at('content') ?? body),
      results: messages
        .slice(last + 1)
        .filter((message) => message.at('role').value === 'tool')
        .map((message) => wordsOf(message.at('content'))),
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
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    usage: usage(tokens),
    choices: [
      {
        index: 0,
        finish_reason: reasons[finish],
        message: {
          role: 'assistant',
          content: text,
          ...(calls.length === 0
            ? {}
            : {
                tool_calls: calls.map(({ id, name, input }) => ({
                  id,
                  type: 'function',
                  function: { name, arguments: JSON.stringify(input) },
                })),
              }),
        },
      },
    ],
  }),
  refusal: (failure) => ({ error: problem(failure) }),
};

const reasons: { readonly [finish in Finish]: string } = {
  stop: 'stop',
  calls: 'tool_calls',
  length: 'length',
  refusal: 'content_filter',
  pause: 'stop',
};

const types: { readonly [status: number]: string } = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
  500: 'server_error',
  503: 'service_unavailable',
};

/** Providers of this family say the same with the same words. */
export function problem({ status, code, message = 'It failed.' }: Failure): object {
  return {
    message,
    type: status < 500 ? 'invalid_request_error' : 'server_error',
    code: code ?? types[status] ?? null,
    param: null,
  };
}

function usage({ input, output, cacheRead = 0 }: Tokens): object {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
  };
}

function speaker(model: string): Speaker {
  let calls = 0;
  const chunk = (delta: object, finish: string | null = null) =>
    event({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  return {
    open: () => [chunk({ role: 'assistant', content: '' })],
    text: (piece) => [chunk({ content: piece })],
    think: (piece) => [chunk({ reasoning_content: piece })],
    sealed: () => [],
    call({ id, name, pieces: [first = '', ...rest], seal }) {
      const index = calls;
      calls += 1;
      return [
        chunk({
          tool_calls: [
            {
              index,
              id,
              type: 'function',
              function: { name, arguments: '' },
              ...(seal === undefined ? {} : { extra_content: { google: { thought_signature: seal } } }),
            },
          ],
        }),
        ...[first, ...rest].map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ];
    },
    cite: (url, title) => [
      chunk({
        annotations: [{ type: 'url_citation', url_citation: { url, title, start_index: 0, end_index: 1 } }],
      }),
    ],
    picture: (base64) => [
      chunk({
        images: [{ type: 'image_url', index: 0, image_url: { url: `data:image/png;base64,${base64}` } }],
      }),
    ],
    news: () => [
      ': a comment that says nothing\n\n',
      event({ object: 'chat.completion.hologram', value: 1 }),
    ],
    fail: (failure) => [event({ error: problem(failure) })],
    close: (finish, tokens) => [
      chunk({}, reasons[finish]),
      event({
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 1,
        model,
        choices: [],
        usage: usage(tokens),
      }),
      'data: [DONE]\n\n',
    ],
  };
}
