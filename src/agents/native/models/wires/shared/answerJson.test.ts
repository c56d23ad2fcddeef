// An answer that nobody needs in this size is refused before it is built, whatever the wire format.
import { describe, expect, test } from 'vitest';
import { AnswerTooLarge, ErrorResponse } from '../../errors/failures.ts';
import { modelError } from '../../errors/modelError.ts';
import { GoogleReader } from '../google/response.ts';
import { OllamaReader } from '../ollama/response.ts';
import type { Wire } from '../wire.ts';
import { parseAnswer } from './answerJson.ts';
import { readStream } from './events.ts';
import type { EventReader } from './events.ts';
import { exchange } from './exchange.ts';
import { Parts } from './parts.ts';

/** The types of the parts of an answer, and how it failed. */
async function read(text: string, framing: 'events' | 'lines', reader: EventReader): Promise<unknown> {
  const body = new Blob([text]).stream();
  const types: string[] = [];
  try {
    const stream = { body, framing, reader, parts: new Parts('acme'), hear: () => {} };
    for await (const parts of readStream(stream)) types.push(...parts.map(({ type }) => type));
  } catch (failed) {
    return [...types, failed instanceof Error ? failed.name : failed];
  }
  return types;
}

const google = (args: string) =>
  read(
    `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":${args}}}]},"finishReason":"STOP"}]}\n\n`,
    'events',
    new GoogleReader(),
  );

const ollama = (args: string) =>
  read(
    `{"message":{"tool_calls":[{"function":{"name":"x","arguments":${args}}}]},"done":true}\n`,
    'lines',
    new OllamaReader(),
  );

const sizes = {
  'a million values': `{"a":[0${',0'.repeat(1_000_000)}]}`,
  'a thousand levels': `${'{"a":'.repeat(1_000)}0${'}'.repeat(1_000)}`,
  'nine million characters': `{"a":"${'x'.repeat(9_000_000)}"}`,
  'names of nine million characters': `{"${'x'.repeat(9_000_000)}":0}`,
};

describe.each(Object.entries(sizes))('a call with %s is not built', (_, args) => {
  test.each(Object.entries({ google, ollama }))('in the wire format of %s', async (_name, answer) => {
    expect(await answer(args)).toEqual(['AnswerTooLarge']);
  });
});

test('a call of an ordinary size is read', async () => {
  const args = JSON.stringify({ text: 'x'.repeat(1_000_000), list: Array.from({ length: 10_000 }, () => 0) });
  expect(await google(args)).toContain('tool-call');
  expect(await ollama(args)).toContain('tool-call');
});

test('the user is told, and the answer is not asked for again', () => {
  expect(() => parseAnswer(sizes['a million values'])).toThrow(AnswerTooLarge);
  const place = { name: 'Acme', provider: 'acme', model: 'big', url: 'https://a.example' };
  expect(modelError(new AnswerTooLarge(), place, { now: () => 0 })).toMatchObject({
    retryable: false,
    message: 'Acme sent a part of an answer that is too large. None of its calls was run.',
  });
});

describe('a body without an end', () => {
  const endless = (status: number, type: string) => {
    const piece = new TextEncoder().encode('x'.repeat(1_000_000));
    let pieces = 0;
    const body = {
      getReader: () => ({
        read: () => {
          pieces += 1;
          if (pieces > 200) throw new Error('the whole body was read');
          return Promise.resolve({ done: false, value: piece });
        },
        cancel: () => Promise.resolve(),
      }),
    };
    const fetch = () =>
      Promise.resolve({ ok: status === 200, status, headers: new Headers({ 'content-type': type }), body });
    const wire = { framing: 'events', write: () => ({ url: 'https://a.example', headers: {}, body: {} }) };
    const transfer = { fetch, signal: new AbortController().signal, hear: () => {} };
    return exchange(wire as unknown as Wire, {} as never, { transfer, credentials: {} } as never);
  };

  test('is cut if it tells an error', async () => {
    const failed: unknown = await endless(500, 'text/plain').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ErrorResponse);
    expect((failed as ErrorResponse).responseBody.length).toBeLessThan(3_000_000);
  });

  test('is refused if it is to be JSON', async () => {
    await expect(endless(200, 'application/json')).rejects.toThrow(AnswerTooLarge);
  });
});
