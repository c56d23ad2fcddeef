import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownCertificate } from '../../../io/certificate.ts';
import { networkFetch } from '../../../io/network.ts';
import { Refusal, problemOf } from './problem.ts';

const clock = { now: () => 0 };
const blamed = { name: 'Acme', provider: 'acme', model: 'big', url: 'https://a.example/v1' };

describe('a conversation that is too long, in the words of', () => {
  check('Anthropic', 'prompt is too long: 250000 tokens > 200000 maximum');
  check('Anthropic, with its answer', 'input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000');
  check('OpenAI', 'This model\'s maximum context length is 128000 tokens. However, your messages resulted in 140000 tokens.');
  check('OpenAI\'s newer models', 'Your input exceeds the context window of this model. Please adjust your input and try again.');
  check('Google', 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).');
  check('Bedrock', 'Input is too long for requested model.');
  check('Copilot', 'prompt token count of 200000 exceeds the limit of 128000');
  check('Mistral', 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length');
  check('Groq', 'Please reduce the length of the messages or completion.');
  check('xAI', 'This model\'s maximum prompt length is 131072 but the request contains 537812 tokens.');
  check('Moonshot', 'Invalid request: Your request exceeded model token limit: 131072');
  check('Z.ai', 'Prompt exceeds max length');
  check('OpenRouter', 'This endpoint\'s maximum context length is 32768 tokens. However, you requested about 40000 tokens.');
  check('Ollama', 'the input length exceeds the context length');
  check('llama.cpp', 'the request exceeds the available context size, try increasing it');
  check('LM Studio', 'The number of tokens to keep from the initial prompt is greater than the context length.');

  function check(who: string, message: string): void {
    test(`${who} is understood`, () => {
      for (const body of [{ error: { message } }, { message }, { error: message }]) expect(problemOf(new Refusal(400, {}, JSON.stringify(body)), blamed, clock)).toMatchObject({ code: 'context-overflow', retryable: false });
    });
  }
});

test('what is said inside a stream carries its status where others have a name', () => {
  expect(problemOf({ code: 429, message: 'Slow down.' }, blamed, clock)).toMatchObject({ code: 'rate-limited', retryable: true });
  expect(problemOf({ error: { code: 502, message: 'Upstream.' } }, blamed, clock)).toMatchObject({ code: 'overloaded', retryable: true });
});

describe('whoever answers in an unexpected way', () => {
  let directory: string;
  let server: Server | undefined;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'parley-tls-'))));
  afterEach(() => {
    server?.close();
    server?.closeAllConnections();
    rmSync(directory, { recursive: true, force: true });
  });
  const listen = async (made: Server) => {
    server = made;
    await new Promise<void>((resolve) => { made.listen(0, '127.0.0.1', resolve); });
    return `127.0.0.1:${(made.address() as AddressInfo).port}`;
  };
  const asked = async (url: string, network: Parameters<typeof networkFetch>[1] = () => undefined) => {
    try {
      return await (await networkFetch({}, network)(url)).text();
    } catch (error) {
      return problemOf(error, { ...blamed, url }, clock);
    }
  };

  test('with a certificate of its own is not trusted, unless the settings name it', async () => {
    const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
    const { cert, key } = ownCertificate(paths, ['127.0.0.1', 'localhost']);
    const at = await listen(createServer({ cert, key }, (_, response) => void response.end('Hello.')));
    expect(await asked(`https://${at}/`)).toMatchObject({ code: 'network', retryable: false, message: expect.stringMatching(/^Acme cannot be trusted: its certificate .*\. Where you know it, name the file of its authority as network\.ca in the settings\.$/) });
    expect(await asked(`https://${at}/`, () => ({ ca: paths.cert }))).toBe('Hello.');
  });

  test('without encryption is told from one with it', async () => {
    const at = await listen(createPlain((_, response) => void response.end('Hello.')));
    expect(await asked(`https://${at}/`)).toMatchObject({ code: 'network', retryable: false, message: `Acme does not speak HTTPS at https://${at}/; check whether the address begins with http or https.` });
  });
});
