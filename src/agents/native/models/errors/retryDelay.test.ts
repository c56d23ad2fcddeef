import { describe, expect, test } from 'vitest';
import { retryDelay } from './retryDelay.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

describe('how long to wait', () => {
  check('nothing is said', {}, undefined);
  check('seconds', { 'retry-after': '7' }, 7_000);
  check('parts of a second', { 'retry-after': '0.5' }, 500);
  check('milliseconds win', { 'retry-after-ms': '250', 'retry-after': '7' }, 250);
  check('a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60_000);
  check('a date in the past', { 'retry-after': 'Wed, 31 Dec 2025 00:01:00 GMT' }, 0);
  check('nonsense', { 'retry-after': 'soon' }, undefined);
  check('an empty header', { 'retry-after': '' }, undefined);
  check('a duration', { 'x-ratelimit-reset-requests': '6m0s' }, 360_000);
  check('a duration of milliseconds', { 'x-ratelimit-reset-requests': '120ms' }, 120);
  check('seconds since 1970', { 'x-ratelimit-reset': String(now / 1000 + 5) }, 5_000);
  check('milliseconds since 1970', { 'x-ratelimit-reset': String(now + 5_000) }, 5_000);
  check(
    'the limit that is used up decides',
    {
      'x-ratelimit-reset-tokens': '20s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-remaining-requests': '9',
    },
    20_000,
  );
  check(
    'the longest of those that are used up',
    {
      'x-ratelimit-reset-tokens': '20s',
      'x-ratelimit-remaining-tokens': '0',
      'x-ratelimit-reset-requests': '30s',
      'x-ratelimit-remaining-requests': '0',
    },
    30_000,
  );
  check(
    'the nearest where nobody says which is used up',
    { 'x-ratelimit-reset-tokens': '20s', 'x-ratelimit-reset-requests': '1s' },
    1_000,
  );
  check(
    'a reset of Anthropic',
    {
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:12Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-requests-reset': '2026-01-01T00:00:01Z',
      'anthropic-ratelimit-requests-remaining': '40',
    },
    12_000,
  );

  check('seconds by the name of a standard', { 'ratelimit-reset': '9' }, 9_000);
  check('seconds as Mistral has them', { 'ratelimitbysize-reset': '11' }, 11_000);

  test('the words of OpenAI', () => {
    expect(
      retryDelay(
        {},
        '{"error":{"message":"Rate limit reached for gpt-5. Please try again in 1m2.5s. Visit us."}}',
        now,
      ),
    ).toBe(62_500);
  });

  test('the body of Google', () => {
    expect(
      retryDelay(
        {},
        '{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}',
        now,
      ),
    ).toBe(34_500);
  });

  function check(
    name: string,
    headers: { readonly [name: string]: string },
    expected: number | undefined,
  ): void {
    test(`${name} in the headers`, () => {
      expect(retryDelay(headers, '', now)).toBe(expected);
    });
  }
});
