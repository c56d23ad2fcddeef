import { describe, expect, test } from 'vitest';
import { refusals as anthropic } from '../wires/anthropic/response.ts';
import { refusals as bedrock } from '../wires/bedrock/response.ts';
import { refusals as chat } from '../wires/chatCompletions/response.ts';
import { refusals as google } from '../wires/google/response.ts';
import { refusals as ollama } from '../wires/ollama/response.ts';
import { refusals as responses } from '../wires/openaiResponses/response.ts';
import { ErrorResponse } from './failures.ts';
import { modelError } from './modelError.ts';
import type { RefusalRule } from './failedRequest.ts';

const clock = { now: () => 0 };
const blamed = { name: 'Acme', provider: 'acme', model: 'big', url: 'https://a.example/v1' };

describe('a conversation that is too long, in the words of', () => {
  check('Anthropic', 'prompt is too long: 250000 tokens > 200000 maximum');
  check(
    'Anthropic, with its answer',
    'input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000',
  );
  check(
    'OpenAI',
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.",
  );
  check(
    "OpenAI's newer models",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
  );
  check('Google', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).');
  check('Bedrock', 'Input is too long for requested model.');
  check('Copilot', 'prompt token count of 200000 exceeds the limit of 128000');
  check(
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  );
  check('Groq', 'Please reduce the length of the messages or completion.');
  check('xAI', "This model's maximum prompt length is 131072 but the request contains 537812 tokens.");
  check('Moonshot', 'Invalid request: Your request exceeded model token limit: 131072');
  check('Z.ai', 'Prompt exceeds max length');
  check(
    'OpenRouter',
    "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
  );
  check('Ollama', 'the input length exceeds the context length');
  check('llama.cpp', 'the request exceeds the available context size, try increasing it');
  check(
    'LM Studio',
    'The number of tokens to keep from the initial prompt is greater than the context length.',
  );

  function check(who: string, message: string): void {
    test(`${who} is understood`, () => {
      for (const body of [{ error: { message } }, { message }, { error: message }])
        expect(modelError(new ErrorResponse(400, {}, JSON.stringify(body)), blamed, clock)).toMatchObject({
          code: 'context-overflow',
          retryable: false,
        });
    });
  }
});

test('what is said inside a stream carries its status where others have a name', () => {
  expect(modelError({ code: 429, message: 'Slow down.' }, blamed, clock)).toMatchObject({
    code: 'rate-limited',
    retryable: true,
  });
  expect(modelError({ error: { code: 502, message: 'Upstream.' } }, blamed, clock)).toMatchObject({
    code: 'overloaded',
    retryable: true,
  });
});

describe('a picture that is not taken, in the words of', () => {
  check(
    'Anthropic',
    'messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max ' +
      'allowed size: 8000 pixels',
  );
  check(
    'Anthropic, by weight',
    'messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6291456 bytes > 5242880 bytes',
  );
  check('Anthropic, in general', 'Could not process image');
  check('OpenAI', 'You uploaded an unsupported image. Please make sure your image is valid.');
  check("OpenAI's older models", 'Invalid content type. image_url is only supported by certain models.');
  check('Google', 'Unable to process input image. Please retry or report the problem.');
  check('xAI', 'Image has 64 total pixels (8x8), which is below the minimum of 512 pixels.');
  check('OpenRouter', 'No endpoints found that support image input', 404);
  check('vLLM', 'At most 0 image(s) may be provided in one request.');
  check('Ollama', 'this model does not support images');

  function check(who: string, message: string, status = 400): void {
    test(`${who} is understood`, () => {
      expect(
        modelError(new ErrorResponse(status, {}, JSON.stringify({ error: { message } })), blamed, clock),
      ).toMatchObject({ code: 'invalid-image', retryable: false });
    });
  }

  test('a limit of pictures in a minute is a limit like others', () => {
    expect(
      modelError(
        new ErrorResponse(429, {}, '{"error":{"message":"Rate limit exceeded: too many images"}}'),
        blamed,
        clock,
      ),
    ).toMatchObject({ code: 'rate-limited' });
  });
});

describe('a model that takes no pictures at all is told apart from a picture that cannot be taken', () => {
  const none = ['invalid-image', 'imagesUnsupported'] as const;
  check(
    'Anthropic',
    anthropic,
    { type: 'invalid_request_error', message: 'This model does not support images.' },
    none,
  );
  check(
    'OpenAI',
    chat,
    {
      message: 'Invalid content type. image_url is only supported by certain models.',
      param: 'messages.[0].content.[1].type',
    },
    none,
  );
  check(
    'OpenAI Responses',
    responses,
    { message: 'Image inputs are not supported by this model.', param: 'input', code: 'invalid_value' },
    none,
  );
  check('OpenRouter', chat, { message: 'No endpoints found that support image input', code: 404 }, none, 404);
  check('vLLM', chat, { message: 'At most 0 image(s) may be provided in one request.' }, none);
  check('vLLM, by the model', chat, { message: 'llama is not a multimodal model' }, none);
  check(
    'llama.cpp',
    chat,
    { message: 'image input is not supported - hint: you may need to provide the mmproj' },
    none,
  );
  check(
    'Google',
    google,
    {
      code: 400,
      message: 'Image input modality is not enabled for models/gemma-3-1b',
      status: 'INVALID_ARGUMENT',
    },
    none,
  );
  check(
    'Bedrock',
    bedrock,
    { message: "This model doesn't support the image content block that you provided." },
    none,
  );
  check('Ollama', ollama, 'this model does not support images', none);
  check(
    'a broken picture of OpenAI',
    chat,
    {
      message: 'You uploaded an unsupported image. Please make sure your image is valid.',
      code: 'invalid_image',
    },
    ['invalid-image', undefined],
  );
  check('a large picture of Anthropic', anthropic, { message: 'image exceeds 5 MB maximum' }, [
    'invalid-image',
    undefined,
  ]);
  check(
    'a limit of time',
    chat,
    { message: 'This plan does not support images right now' },
    ['rate-limited', undefined],
    429,
  );

  function check(
    ...[who, refusals, error, expected, status = 400]: [
      who: string,
      refusals: readonly RefusalRule[],
      error: unknown,
      expected: readonly [code: string, reason: string | undefined],
      status?: number,
    ]
  ): void {
    test(`in the words of ${who}`, () => {
      const { code, reason } = modelError(
        new ErrorResponse(status, {}, JSON.stringify({ error })),
        { ...blamed, refusals },
        clock,
      );
      expect([code, reason]).toEqual(expected);
    });
  }
});

test('a rule of the user finds its text in any case, and cannot keep the host busy', () => {
  const failed = (message: string, pattern: string) => {
    const started = performance.now();
    const error = new ErrorResponse(400, {}, JSON.stringify({ error: { message } }));
    const { retryable } = modelError(error, { ...blamed, rules: [{ pattern }] }, clock);
    return [retryable, performance.now() - started < 1_000];
  };
  expect(failed('Cluster is WARMING up', 'Warming\\s')).toEqual([true, true]);
  expect(failed('Cluster is down', 'Warming')).toEqual([false, true]);
  expect(failed(`${'a'.repeat(60)}!`, '^(?:a+)+$')).toEqual([false, true]);
});

test.each([
  ['settings', 'set another one as providers.acme.key in the settings'],
  ['parley login', 'set another one with "parley login acme"'],
  ['ACME_API_KEY', 'set another one in the variable ACME_API_KEY'],
])('a rejected key from %s is cured where it comes from', (keyFrom, cure) => {
  const error = new ErrorResponse(401, {}, JSON.stringify({ error: { message: 'No.' } }));
  expect(modelError(error, { ...blamed, keyFrom }, clock).message).toContain(
    `Acme rejected the API key; ${cure}`,
  );
});

test('a model that the provider does not know is answered with what to do', () => {
  const body = JSON.stringify({ error: { message: 'The model does not exist.', code: 'model_not_found' } });
  expect(modelError(new ErrorResponse(404, {}, body), blamed, clock).message).toMatch(
    /has no model .*: The model does not exist\. Choose another one; parley models lists them\.$/,
  );
});
