// The OpenAI Responses format as a fake provider speaks it.
import { look, wordsOf } from '../json.ts';
import { problem } from './openaiChat.ts';
import { event } from '../reply.ts';
import type { Finish, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'OpenAI Responses',
    golden: { wire: 'openai-responses', model: 'openai/gpt-5.2' },
    traits: {
      provider: 'openai',
      model: 'gpt-5.2',
      pieces: 2,
      marks: { mark: '"prompt_cache_key":"chat-7"', times: 1 },
      cache: { cacheRead: 700 },
      low: { reasoning: { effort: 'low' }, store: false },
    },
  },
  path: /\/responses$/,
  contentType: 'text/event-stream',
  ask(body) {
    const plain = body.at('input').text();
    const input = plain === '' ? body.at('input').list() : [look({ role: 'user', content: plain })];
    const last = input.findLastIndex((item) => item.at('role').value === 'user');
    return {
      model: body.at('model').text(),
      stream: body.at('stream').value === true,
      system:
        body.at('instructions').text() ||
        wordsOf(input.find((item) => /system|developer/.test(item.at('role').text()))?.at('content') ?? body),
      prompt: wordsOf(input[last]?.at('content') ?? body),
      results: input
        .slice(last + 1)
        .filter((item) => item.at('type').value === 'function_call_output')
        .map((item) => wordsOf(item.at('output'))),
      tools: body
        .at('tools')
        .list()
        .map((tool) => ({
          name: tool.at('name').text() || tool.at('type').text(),
          parameters: tool.at('parameters'),
        })),
    };
  },
  speaker: ({ model }) => speaker(model),
  whole: ({ model, text, calls, finish, tokens }) => ({
    ...response(model, finish, tokens),
    output: [
      ...(text === ''
        ? []
        : [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]),
      ...calls.map(({ id, name, input }) => ({
        type: 'function_call',
        id: `fc_${id}`,
        call_id: id,
        name,
        arguments: JSON.stringify(input),
        status: 'completed',
      })),
    ],
  }),
  refusal: (failure) => ({ error: problem(failure) }),
};

function response(model: string, finish: Finish, { input, output, cacheRead = 0 }: Tokens): object {
  const cut = finish === 'length' ? 'max_output_tokens' : finish === 'refusal' ? 'content_filter' : undefined;
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model,
    status: cut === undefined ? 'completed' : 'incomplete',
    output: [],
    error: null,
    incomplete_details: cut === undefined ? null : { reason: cut },
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cacheRead },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
  };
}

function speaker(model: string): Speaker {
  let index = -1;
  let number = 0;
  let open: { readonly type: 'message' | 'reasoning'; readonly id: string; text: string } | undefined;
  const say = (data: { readonly type: string; readonly [key: string]: unknown }) => {
    number += 1;
    return event({ ...data, sequence_number: number }, data.type);
  };
  const end = (seal?: string): readonly string[] => {
    if (!open) return [];
    const { type, id, text } = open;
    open = undefined;
    if (type === 'message') {
      const content = [{ type: 'output_text', text, annotations: [] }];
      return [
        say({ type: 'response.output_text.done', item_id: id, output_index: index, content_index: 0, text }),
        say({
          type: 'response.output_item.done',
          output_index: index,
          item: { type, id, role: 'assistant', status: 'completed', content },
        }),
      ];
    }
    const summary = text === '' ? [] : [{ type: 'summary_text', text }];
    return [
      ...(text === ''
        ? []
        : [
            say({
              type: 'response.reasoning_summary_part.done',
              item_id: id,
              output_index: index,
              summary_index: 0,
              part: summary[0],
            }),
          ]),
      say({
        type: 'response.output_item.done',
        output_index: index,
        item: { type, id, summary, encrypted_content: seal ?? null },
      }),
    ];
  };
  const into = (type: 'message' | 'reasoning', item: object): readonly string[] => {
    if (open?.type === type) return [];
    const before = end();
    index += 1;
    const id = `${type === 'message' ? 'msg' : 'rs'}_${index}`;
    open = { type, id, text: '' };
    return [
      ...before,
      say({ type: 'response.output_item.added', output_index: index, item: { type, id, ...item } }),
    ];
  };
  const message = () => into('message', { role: 'assistant', status: 'in_progress', content: [] });
  return {
    open: (tokens) => [
      say({
        type: 'response.created',
        response: { ...response(model, 'stop', tokens), status: 'in_progress', usage: null },
      }),
    ],
    text(piece) {
      const before = message();
      if (open) open.text += piece;
      return [
        ...before,
        say({
          type: 'response.output_text.delta',
          item_id: open?.id,
          output_index: index,
          content_index: 0,
          delta: piece,
        }),
      ];
    },
    think(piece) {
      const before = into('reasoning', { summary: [], encrypted_content: null });
      const first =
        open?.text === ''
          ? [
              say({
                type: 'response.reasoning_summary_part.added',
                item_id: open.id,
                output_index: index,
                summary_index: 0,
                part: { type: 'summary_text', text: '' },
              }),
            ]
          : [];
      if (open) open.text += piece;
      return [
        ...before,
        ...first,
        say({
          type: 'response.reasoning_summary_text.delta',
          item_id: open?.id,
          output_index: index,
          summary_index: 0,
          delta: piece,
        }),
      ];
    },
    sealed: (seal) => [...into('reasoning', { summary: [], encrypted_content: null }), ...end(seal)],
    call({ id, name, pieces }) {
      const before = end();
      index += 1;
      const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
      return [
        ...before,
        say({
          type: 'response.output_item.added',
          output_index: index,
          item: { ...item, arguments: '', status: 'in_progress' },
        }),
        ...pieces.map((delta) =>
          say({
            type: 'response.function_call_arguments.delta',
            item_id: item.id,
            output_index: index,
            delta,
          }),
        ),
        say({
          type: 'response.function_call_arguments.done',
          item_id: item.id,
          output_index: index,
          arguments: pieces.join(''),
        }),
        say({
          type: 'response.output_item.done',
          output_index: index,
          item: { ...item, arguments: pieces.join(''), status: 'completed' },
        }),
      ];
    },
    cite: (url, title) => [
      ...message(),
      say({
        type: 'response.output_text.annotation.added',
        item_id: open?.id,
        output_index: index,
        content_index: 0,
        annotation_index: 0,
        annotation: { type: 'url_citation', url, title, start_index: 0, end_index: 1 },
      }),
    ],
    picture(base64) {
      const before = end();
      index += 1;
      const item = { type: 'image_generation_call', id: `ig_${index}` };
      const news = (name: string, more: object = {}) =>
        say({
          type: `response.image_generation_call.${name}`,
          item_id: item.id,
          output_index: index,
          ...more,
        });
      return [
        ...before,
        say({
          type: 'response.output_item.added',
          output_index: index,
          item: { ...item, status: 'in_progress' },
        }),
        news('in_progress'),
        news('generating'),
        news('partial_image', { partial_image_index: 0, partial_image_b64: 'cGFydA==' }),
        news('completed'),
        say({
          type: 'response.output_item.done',
          output_index: index,
          item: {
            ...item,
            status: 'generating',
            output_format: 'png',
            revised_prompt: 'A small cat',
            result: base64,
          },
        }),
      ];
    },
    search({ search, found = [], error }) {
      const before = end();
      index += 1;
      const item = { type: 'web_search_call', id: `ws_${index}` };
      const news = (name: string) =>
        say({ type: `response.web_search_call.${name}`, item_id: item.id, output_index: index });
      return [
        ...before,
        say({
          type: 'response.output_item.added',
          output_index: index,
          item: { ...item, status: 'in_progress' },
        }),
        news('in_progress'),
        news('searching'),
        news('completed'),
        say({
          type: 'response.output_item.done',
          output_index: index,
          item: {
            ...item,
            status: error === undefined ? 'completed' : 'failed',
            action: {
              type: 'search',
              query: search,
              sources: found.map(({ url }) => ({ type: 'url', url })),
            },
          },
        }),
      ];
    },
    news: () => [say({ type: 'response.hologram.delta', value: 1 })],
    fail: (failure) => [say({ ...problem(failure), type: 'error' })],
    close: (finish, tokens) => [
      ...end(),
      say({
        type: finish === 'length' || finish === 'refusal' ? 'response.incomplete' : 'response.completed',
        response: response(model, finish, tokens),
      }),
    ],
  };
}
