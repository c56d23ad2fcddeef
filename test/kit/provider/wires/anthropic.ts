// The Anthropic Messages format as a fake provider speaks it.
import { wordsOf } from '../json.ts';
import { event } from '../reply.ts';
import type { Failure, Finish, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'Anthropic',
    traits: {
      provider: 'anthropic',
      model: 'claude-sonnet-5',
      pieces: 2,
      cache: { cacheRead: 700, cacheWrite: 200 },
      low: { output_config: { effort: 'low' }, thinking: { type: 'adaptive' } },
      marks: { mark: '"cache_control"', times: 3 },
    },
  },
  path: /\/messages$/,
  contentType: 'text/event-stream',
  ask(body) {
    const messages = body.at('messages').list();
    const last = messages.findLastIndex(
      (message) => message.at('role').value === 'user' && wordsOf(message.at('content')) !== '',
    );
    const results = messages.slice(Math.max(0, last)).flatMap((message) =>
      message
        .at('content')
        .list()
        .filter((part) => part.at('type').value === 'tool_result'),
    );
    return {
      model: body.at('model').text(),
      stream: body.at('stream').value === true,
      system: wordsOf(body.at('system')),
      prompt: wordsOf(messages[last]?.at('content') ?? body),
      results: results.map((result) => wordsOf(result.at('content'))),
      tools: body
        .at('tools')
        .list()
        .map((tool) => ({ name: tool.at('name').text(), parameters: tool.at('input_schema') })),
    };
  },
  speaker: ({ model }) => speaker(model),
  whole: ({ model, text, calls, finish, tokens }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    stop_reason: reasons[finish],
    stop_sequence: null,
    usage: usage(tokens, tokens.output),
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
  }),
  refusal: (failure) => ({ type: 'error', error: problem(failure) }),
};

const reasons: { readonly [finish in Finish]: string } = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'refusal',
  pause: 'pause_turn',
};

const types: { readonly [status: number]: string } = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

function problem({ status, code, message = 'It failed.' }: Failure): object {
  return { type: code ?? types[status] ?? 'api_error', message };
}

function usage({ input, cacheRead = 0, cacheWrite = 0 }: Tokens, output: number): object {
  return {
    input_tokens: input - cacheRead - cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

function speaker(model: string): Speaker {
  let index = -1;
  let searches = 0;
  let open: 'text' | 'thinking' | undefined;
  const say = (data: { readonly type: string; readonly [key: string]: unknown }) => event(data, data.type);
  const start = (block: object) => {
    index += 1;
    return say({ type: 'content_block_start', index, content_block: block });
  };
  const delta = (value: object) => say({ type: 'content_block_delta', index, delta: value });
  const end = (): readonly string[] => {
    const was = open;
    open = undefined;
    return was === undefined ? [] : [say({ type: 'content_block_stop', index })];
  };
  const into = (type: 'text' | 'thinking', block: object): readonly string[] => {
    if (open === type) return [];
    const before = end();
    open = type;
    return [...before, start(block)];
  };
  return {
    open: (tokens) => [
      say({
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: usage(tokens, 1),
        },
      }),
      say({ type: 'ping' }),
    ],
    text: (piece) => [
      ...into('text', { type: 'text', text: '' }),
      delta({ type: 'text_delta', text: piece }),
    ],
    think: (piece) => [
      ...into('thinking', { type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: piece }),
    ],
    sealed(seal) {
      if (open === 'thinking')
        return [
          ...(seal === undefined ? [] : [delta({ type: 'signature_delta', signature: seal })]),
          ...end(),
        ];
      const before = end();
      const hidden = [
        start({ type: 'redacted_thinking', data: seal ?? '' }),
        say({ type: 'content_block_stop', index }),
      ];
      return [...before, ...hidden];
    },
    call: ({ id, name, pieces }) => [
      ...end(),
      start({ type: 'tool_use', id, name, input: {} }),
      ...pieces.map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
      say({ type: 'content_block_stop', index }),
    ],
    cite: (url, title, seal = 'e') => [
      ...into('text', { type: 'text', text: '' }),
      delta({
        type: 'citations_delta',
        citation: { type: 'web_search_result_location', url, title, encrypted_index: seal, cited_text: 'c' },
      }),
    ],
    search({ id, search, found = [], error, seal = 'sealed', part }) {
      const block = (value: object, deltas: readonly string[]) => [
        start(value),
        ...deltas.map((piece) => delta({ type: 'input_json_delta', partial_json: piece })),
        say({ type: 'content_block_stop', index }),
      ];
      const pages = found.map(({ url, title }) => ({
        type: 'web_search_result',
        url,
        title,
        encrypted_content: seal,
        page_age: null,
      }));
      searches += part === 'begin' ? 0 : 1;
      return [
        ...end(),
        ...(part === 'end'
          ? []
          : block({ type: 'server_tool_use', id, name: 'web_search', input: {} }, [
              '',
              '{"query":',
              `${JSON.stringify(search)}}`,
            ])),
        ...(part === 'begin'
          ? []
          : block(
              {
                type: 'web_search_tool_result',
                tool_use_id: id,
                content:
                  error === undefined ? pages : { type: 'web_search_tool_result_error', error_code: error },
              },
              [],
            )),
      ];
    },
    news: () => [say({ type: 'message_hologram', value: 1 })],
    fail: (failure) => [say({ type: 'error', error: problem(failure) })],
    close: (finish, tokens) => [
      ...end(),
      say({
        type: 'message_delta',
        delta: { stop_reason: reasons[finish], stop_sequence: null },
        usage: {
          output_tokens: tokens.output,
          ...(searches === 0 ? {} : { server_tool_use: { web_search_requests: searches } }),
        },
      }),
      say({ type: 'message_stop' }),
    ],
  };
}
