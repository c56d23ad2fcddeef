// Amazon's Converse format as a fake provider speaks it: JSON in, binary frames out, each frame a
// text of single bytes.
import { wordsOf } from '../json.ts';
import type { Failure, Finish, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'Bedrock',
    traits: {
      provider: 'bedrock',
      model: 'global.anthropic.claude-sonnet-4-6',
      pieces: 2,
      cache: { cacheRead: 700, cacheWrite: 200 },
      marks: { mark: '"cachePoint"', times: 3 },
      low: {
        additionalModelRequestFields: { output_config: { effort: 'low' }, thinking: { type: 'adaptive' } },
      },
    },
  },
  path: /\/model\/[^/]+\/converse(?:-stream)?$/,
  contentType: 'application/vnd.amazon.eventstream',
  encoding: 'latin1',
  ask(body, path) {
    const messages = body.at('messages').list();
    const last = messages.findLastIndex(
      (message) => message.at('role').value === 'user' && wordsOf(message.at('content')) !== '',
    );
    const results = messages.slice(Math.max(0, last)).flatMap((message) =>
      message
        .at('content')
        .list()
        .filter((part) => part.at('toolResult').there),
    );
    return {
      model: decodeURIComponent(/\/model\/([^/]+)\//.exec(path)?.[1] ?? ''),
      stream: path.endsWith('-stream'),
      system: wordsOf(body.at('system')),
      prompt: wordsOf(messages[last]?.at('content') ?? body),
      results: results.map((result) => wordsOf(result.at('toolResult', 'content'))),
      tools: body
        .at('toolConfig', 'tools')
        .list()
        .map((tool) => ({
          name: tool.at('toolSpec', 'name').text(),
          parameters: tool.at('toolSpec', 'inputSchema', 'json'),
        })),
    };
  },
  speaker: () => speaker(),
  whole: ({ text, calls, finish, tokens }) => ({
    stopReason: reasons[finish],
    usage: usage(tokens),
    output: {
      message: {
        role: 'assistant',
        content: [
          ...(text === '' ? [] : [{ text }]),
          ...calls.map(({ id, name, input }) => ({ toolUse: { toolUseId: id, name, input } })),
        ],
      },
    },
  }),
  refusal: ({ message = 'It failed.' }) => ({ message }),
};

const reasons: { readonly [finish in Finish]: string } = {
  stop: 'end_turn',
  calls: 'tool_use',
  length: 'max_tokens',
  refusal: 'content_filtered',
  pause: 'end_turn',
};

const exceptions: { readonly [status: number]: string } = {
  400: 'validationException',
  429: 'throttlingException',
  500: 'internalServerException',
  503: 'serviceUnavailableException',
};

function usage({ input, output, cacheRead = 0, cacheWrite = 0 }: Tokens): object {
  return {
    inputTokens: input - cacheRead - cacheWrite,
    outputTokens: output,
    totalTokens: input + output,
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  };
}

function speaker(): Speaker {
  let index = -1;
  let open: 'text' | 'thinking' | undefined;
  const end = (): readonly string[] => {
    const was = open;
    open = undefined;
    return was === undefined ? [] : [frame('contentBlockStop', { contentBlockIndex: index })];
  };
  const delta = (value: object) => frame('contentBlockDelta', { contentBlockIndex: index, delta: value });
  const into = (type: 'text' | 'thinking'): readonly string[] => {
    if (open === type) return [];
    const before = end();
    open = type;
    index += 1;
    return before;
  };
  return {
    open: () => [frame('messageStart', { role: 'assistant' })],
    text: (piece) => [...into('text'), delta({ text: piece })],
    think: (piece) => [...into('thinking'), delta({ reasoningContent: { text: piece } })],
    sealed(seal) {
      if (open === 'thinking')
        return [...(seal === undefined ? [] : [delta({ reasoningContent: { signature: seal } })]), ...end()];
      const before = into('thinking');
      return [...before, delta({ reasoningContent: { redactedContent: seal ?? '' } }), ...end()];
    },
    call({ id, name, pieces }) {
      const before = end();
      index += 1;
      return [
        ...before,
        frame('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId: id, name } } }),
        ...pieces.map((input) => delta({ toolUse: { input } })),
        frame('contentBlockStop', { contentBlockIndex: index }),
      ];
    },
    cite: (url, title) => [...into('text'), delta({ citation: { title, location: { web: { url } } } })],
    news: () => [frame('hologramEvent', { value: 1 })],
    fail: (failure) => [failureFrame(failure)],
    close: (finish, tokens) => [
      ...end(),
      frame('messageStop', { stopReason: reasons[finish] }),
      frame('metadata', { usage: usage(tokens), metrics: { latencyMs: 1 } }),
    ],
  };
}

function failureFrame({ status, code, message = 'It failed.' }: Failure): string {
  return bytes(
    {
      ':message-type': 'exception',
      ':exception-type': code ?? exceptions[status] ?? 'internalServerException',
      ':content-type': 'application/json',
    },
    { message },
  );
}

function frame(kind: string, payload: object): string {
  return bytes(
    { ':message-type': 'event', ':event-type': kind, ':content-type': 'application/json' },
    payload,
  );
}

function bytes(names: { readonly [name: string]: string }, payload: object): string {
  const headers = Buffer.concat(
    Object.entries(names).map(([name, value]) =>
      Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7, value.length >> 8, value.length & 255]),
        Buffer.from(value),
      ]),
    ),
  );
  const body = Buffer.from(JSON.stringify(payload));
  const whole = Buffer.alloc(16 + headers.length + body.length);
  whole.writeUInt32BE(whole.length, 0);
  whole.writeUInt32BE(headers.length, 4);
  whole.writeUInt32BE(checksum(whole.subarray(0, 8)), 8);
  headers.copy(whole, 12);
  body.copy(whole, 12 + headers.length);
  whole.writeUInt32BE(checksum(whole.subarray(0, -4)), whole.length - 4);
  return whole.toString('latin1');
}

/** CRC-32, bit by bit. */
function checksum(data: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of data) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}
