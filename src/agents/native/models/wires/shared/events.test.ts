// Errors in the middle of a stream of events.
import { describe, expect, test } from 'vitest';
import { readStream } from './events.ts';
import { Parts } from './parts.ts';
import { modelError } from '../../errors/modelError.ts';
import { ResponsesReader } from '../openaiResponses/response.ts';

async function read(text: string): Promise<{ readonly said: string; readonly failed: unknown }> {
  const body = new Blob([text]).stream();
  let said = '';
  try {
    for await (const parts of readStream({
      body,
      framing: 'events',
      reader: new ResponsesReader(),
      parts: new Parts('openai'),
      hear: () => {},
    }))
      for (const part of parts) if (part.type === 'text') said += part.text;
  } catch (failed) {
    return { said, failed };
  }
  return { said, failed: undefined };
}

describe('an event that is called an error is one, whatever its data is called', () => {
  check(
    'a name of its own',
    '{"type":"service_unavailable_error","code":"server_is_overloaded","message":"Later."}',
    { code: 'overloaded', retryable: true },
  );
  check('wrapped', '{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}', {
    code: 'rate-limited',
    retryable: true,
  });
  check('plain words', 'The model is overloaded', { code: 'overloaded', retryable: true });

  function check(what: string, data: string, problem: object): void {
    test(`with ${what}`, async () => {
      const { said, failed } = await read(
        `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","delta":"Hi"}\n\nevent: error\ndata: ${data}\n\n`,
      );
      expect(said).toBe('Hi');
      expect(
        modelError(
          failed,
          { name: 'Acme', provider: 'acme', model: 'big', url: 'https://a.example' },
          { now: () => 0 },
        ),
      ).toMatchObject(problem);
    });
  }
});
