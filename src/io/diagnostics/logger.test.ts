// Lines as data: what is written, what is hidden, and that nothing a caller passes can make it throw.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openLogger } from './logger.ts';
import type { Details, Level } from './logger.ts';

const cleanup: (() => void)[] = [];
afterEach(() => cleanup.splice(0).forEach((clean) => clean()));

describe('a line', () => {
  const loop: Record<string, unknown> = { name: 'loop' };
  loop['self'] = loop;
  check('plain', {}, {});
  check('about an entry', { session: 's1', seq: 7 }, { session: 's1', seq: 7 });
  check(
    'secrets by name, at any depth',
    {
      apiKey: 'k',
      TOKEN: 't',
      headers: { Authorization: 'Bearer x', accept: 'text/plain' },
      list: [{ password: 'p' }],
      clientSecret: { a: 1 },
    },
    {
      apiKey: '[hidden]',
      TOKEN: '[hidden]',
      headers: { Authorization: '[hidden]', accept: 'text/plain' },
      list: [{ password: '[hidden]' }],
      clientSecret: '[hidden]',
    },
  );
  check(
    'counts of tokens are no secrets',
    { inputTokens: 12, hasKey: true, token: null },
    { inputTokens: 12, hasKey: true, token: null },
  );
  check('loops', { loop }, { loop: { name: 'loop', self: '[loop]' } });
  check(
    'what JSON cannot say',
    {
      big: 3n,
      run: () => 1,
      none: undefined,
      bytes: Buffer.from('abc'),
      at: new Date(0),
      map: new Map([['a', 1]]),
    },
    {
      big: '3',
      run: '[function]',
      bytes: '[3 bytes]',
      at: '1970-01-01T00:00:00.000Z',
      map: [['a', 1]],
    },
  );
  check('long texts', { text: 'x'.repeat(5_000) }, { text: `${'x'.repeat(4_000)}… (5000 characters)` });
  check(
    'deep things',
    { a: { b: { c: { d: { e: { f: { g: { h: {} } } } } } } } },
    { a: { b: { c: { d: { e: { f: { g: { h: '[deep]' } } } } } } } },
  );

  function check(name: string, details: Details, expected: object): void {
    test(`holds ${name}`, () => {
      const { path, logger } = open('debug');
      logger.info('Said.', details);
      expect(lines(path)).toEqual([
        { at: '2026-01-02T03:04:05.000Z', level: 'info', message: 'Said.', ...expected },
      ]);
    });
  }

  test('errors with their causes and codes', () => {
    const { path, logger } = open('debug');
    logger.error('Broken.', {
      problem: Object.assign(new Error('outer', { cause: new TypeError('inner') }), {
        code: 'full',
        token: 't',
      }),
    });
    expect(lines(path)[0]).toMatchObject({
      problem: {
        name: 'Error',
        message: 'outer',
        code: 'full',
        token: '[hidden]',
        cause: { name: 'TypeError', message: 'inner' },
      },
    });
  });

  test('a value that refuses to be looked at', () => {
    const { path, logger } = open('debug');
    logger.info('Odd.', {
      odd: Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
    });
    expect(lines(path)).toEqual([
      { level: 'info', message: 'This log entry could not be serialised.', cause: 'Error: no' },
    ]);
  });
});

describe('levels', () => {
  for (const [level, expected] of [
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['error', 1],
  ] as const) {
    test(`${level} lets ${expected} of four through`, () => {
      const { path, logger } = open(level);
      for (const at of ['debug', 'info', 'warn', 'error'] as const) logger[at](at);
      expect(lines(path).length).toBe(expected);
    });
  }
});

describe('the file', () => {
  test('is renamed when it would grow too long, and only one old one is kept', () => {
    const { path, logger } = open('info', 400);
    for (let n = 0; n < 20; n += 1) logger.info(`line ${n}`);
    expect(statSync(path).size).toBeLessThanOrEqual(400);
    expect(statSync(`${path}.1`).size).toBeLessThanOrEqual(400);
    expect(existsSync(`${path}.2`)).toBe(false);
    expect(lines(path).at(-1)).toMatchObject({ message: 'line 19' });
  });

  test("is continued by the next logger and is the owner's alone", () => {
    const first = open('info');
    first.logger.info('one');
    first.logger.close();
    const second = openLogger({ level: 'info', file: first.path, now: () => 0 });
    second.info('two');
    second.close();
    expect(lines(first.path).map((line) => (line as { message: string }).message)).toEqual(['one', 'two']);
    expect(statSync(first.path).mode & 0o777).toBe(0o600);
  });

  test("that cannot be written is nobody's problem", () => {
    const nowhere = openLogger({ level: 'info', file: '/dev/null/nowhere' });
    const { logger, path } = open('info');
    expect(() => {
      nowhere.info('lost');
      nowhere.close();
      logger.close();
      logger.close();
      logger.info('after all');
    }).not.toThrow();
    expect(lines(path).length).toBe(1);
  });
});

function open(level: Level, maxBytes?: number) {
  const directory = mkdtempSync(join(tmpdir(), 'parley-log-'));
  const path = join(directory, 'log');
  const logger = openLogger({
    level,
    file: path,
    now: () => Date.UTC(2026, 0, 2, 3, 4, 5),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  cleanup.push(() => {
    logger.close();
    rmSync(directory, { recursive: true });
  });
  return { path, logger };
}

function lines(path: string): unknown[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
}
