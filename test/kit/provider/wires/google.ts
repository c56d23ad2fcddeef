// The Google Generative Language format as a fake provider speaks it.
import { wordsOf } from '../json.ts';
import { event } from '../reply.ts';
import type { Failure, Finish, Speaker, Tokens, Wire } from '../reply.ts';

export const wire: Wire = {
  contract: {
    name: 'Google',
    golden: { wire: 'google', model: 'google/gemini-2.5-pro' },
    traits: {
      provider: 'google',
      model: 'gemini-3-flash-preview',
      pieces: 0,
      cache: { cacheRead: 700 },
      low: { generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } } },
    },
  },
  path: /:(?:streamGenerateContent|generateContent)$/,
  contentType: 'text/event-stream',
  ask(body, path) {
    const contents = body.at('contents').list();
    const last = contents.findLastIndex(
      (content) => content.at('role').value !== 'model' && wordsOf(content.at('parts')) !== '',
    );
    const results = contents
      .slice(last + 1)
      .flatMap((content) =>
        content
          .at('parts')
          .list()
          .map((part) => part.at('functionResponse', 'response')),
      )
      .filter(({ there }) => there);
    const tools = [...body.at('tools').list(), body.at('tools')].flatMap((tool) =>
      tool.at('functionDeclarations').list(),
    );
    return {
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      stream: path.includes(':stream'),
      system: wordsOf(body.at('systemInstruction', 'parts')),
      prompt: wordsOf(contents[last]?.at('parts') ?? body),
      results: results.map(
        (result) => result.at('content').text() || result.at('output').text() || JSON.stringify(result.value),
      ),
      tools: tools.map((tool) => ({
        name: tool.at('name').text(),
        parameters: tool.at('parameters').there ? tool.at('parameters') : tool.at('parametersJsonSchema'),
      })),
    };
  },
  speaker: ({ model }) => speaker(model),
  whole: ({ model, text, calls, finish, tokens }) => {
    const parts = [
      ...(text === '' ? [] : [{ text }]),
      ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
    ];
    return chunk(model, { content: { role: 'model', parts }, finishReason: reasons[finish] }, tokens);
  },
  refusal: (failure) => ({ error: problem(failure) }),
};

const reasons: { readonly [finish in Finish]: string } = {
  stop: 'STOP',
  calls: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
  pause: 'STOP',
};

const types: { readonly [status: number]: string } = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

function problem({ status, code, message = 'It failed.' }: Failure): object {
  return { code: status, message, status: code ?? types[status] ?? 'UNKNOWN' };
}

function chunk(model: string, candidate: object, tokens?: Tokens): object {
  const usage = tokens && {
    promptTokenCount: tokens.input,
    candidatesTokenCount: tokens.output,
    totalTokenCount: tokens.input + tokens.output,
    cachedContentTokenCount: tokens.cacheRead ?? 0,
  };
  return {
    candidates: [{ index: 0, ...candidate }],
    modelVersion: model,
    responseId: 'response-1',
    ...(usage ? { usageMetadata: usage } : {}),
  };
}

function speaker(model: string): Speaker {
  const part = (value: object) => event(chunk(model, { content: { role: 'model', parts: [value] } }));
  let signature: string | undefined;
  return {
    open: () => [],
    text: (piece) => {
      const sealed = signature === undefined ? {} : { thoughtSignature: signature };
      signature = undefined;
      return [part({ text: piece, ...sealed })];
    },
    think: (piece) => [part({ text: piece, thought: true })],
    // The words after a thought carry its signature.
    sealed: (seal) => {
      signature = seal;
      return [];
    },
    // This wire brings arguments in one piece.
    call: ({ name, pieces, seal }) => {
      const text = pieces.join('');
      return [
        part({
          functionCall: { name, args: text === '' ? {} : (JSON.parse(text) as object) },
          ...(seal === undefined ? {} : { thoughtSignature: seal }),
        }),
      ];
    },
    cite: (uri, title) => [
      event(chunk(model, { groundingMetadata: { groundingChunks: [{ web: { uri, title } }] } })),
    ],
    picture: (data, seal) => [
      part({
        inlineData: { mimeType: 'image/png', data },
        ...(seal === undefined ? {} : { thoughtSignature: seal }),
      }),
    ],
    // Newer models tell what they look for as they do; the others only in the end.
    search({ id, search, found = [], seal }) {
      const sealed = { ...(seal === undefined ? {} : { thoughtSignature: seal }) };
      const told =
        seal === undefined
          ? []
          : [
              part({
                toolCall: { id, toolType: 'GOOGLE_SEARCH_WEB', args: { queries: [search] } },
                ...sealed,
              }),
              part({
                toolResponse: { id, toolType: 'GOOGLE_SEARCH_WEB', response: { search_suggestions: '' } },
                ...sealed,
              }),
            ];
      return [
        ...told,
        event(
          chunk(model, {
            groundingMetadata: {
              webSearchQueries: [search],
              groundingChunks: found.map(({ url, title }) => ({ web: { uri: url, title } })),
            },
          }),
        ),
      ];
    },
    news: () => [event({ hologram: 1 })],
    fail: (failure) => [event({ error: problem(failure) })],
    close: (finish, tokens) => [
      event(
        chunk(
          model,
          { content: { role: 'model', parts: [{ text: '' }] }, finishReason: reasons[finish] },
          tokens,
        ),
      ),
    ],
  };
}
