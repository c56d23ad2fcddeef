import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TerminalContent } from './terminalContent.ts';
import type { TerminalPart } from './terminalContent.ts';

type Step = string | { readonly begin: string } | { readonly finish: string } | { readonly clear: true };

describe('output is told apart by the commands it belongs to', () => {
  check(['a', 'b'], [plain('ab')]);
  check(
    ['$ ', { begin: 'ls' }, 'x\n', 'y\n', { finish: 'ls' }, '$ '],
    [plain('$ '), command('ls', 'x\ny\n', 'finished'), plain('$ ')],
  );
  check(
    [{ begin: 'a' }, { finish: 'a' }, { begin: 'b' }, 'x'],
    [command('a', '', 'finished'), command('b', 'x')],
  );
  check(
    [{ begin: 'a' }, 'x', { begin: 'b' }, 'y', { finish: 'a' }],
    [command('a', 'x', 'finished'), command('b', 'y')],
  );
  check([{ begin: 'a' }, 'x', { clear: true }, 'y', { finish: 'a' }], [plain('y')]);
  check([{ finish: 'nothing' }], []);

  function check(steps: readonly Step[], expected: readonly TerminalPart[]): void {
    test(`parts of ${JSON.stringify(steps)}`, () => {
      const content = contentOf(steps);
      expect(content.parts).toEqual(expected);
      expect(content.truncated).toBe(false);
    });
  }
});

describe('old output goes at the beginning of a line', () => {
  const line = `${'x'.repeat(99)}\n`;

  test('up to the limit everything stays', () => {
    const content = contentOf([line.repeat(1_000)]);
    expect([content.text.length, content.truncated]).toEqual([100_000, false]);
  });

  test('one line more and a fifth goes', () => {
    const content = contentOf([`first\n${line.repeat(1_000)}`]);
    expect([content.text, content.truncated]).toEqual([line.repeat(800), true]);
  });

  test('whole commands go first, then lines of the next', () => {
    const content = contentOf([
      { begin: 'a' },
      line.repeat(150),
      { finish: 'a' },
      { begin: 'b' },
      line.repeat(400),
      { finish: 'b' },
      line.repeat(500),
    ]);
    expect(content.parts).toEqual([command('b', line.repeat(299), 'finished'), plain(line.repeat(500))]);
  });

  test('a line longer than everything that is kept is cut, but no letter is', () => {
    expect(contentOf(['x'.repeat(100_001)]).text).toBe('x'.repeat(80_000));
    expect(contentOf([`x${'🎉'.repeat(50_000)}`]).text).toBe('🎉'.repeat(40_000));
    expect(contentOf(['🎉'.repeat(50_001)]).text).toBe('🎉'.repeat(40_000));
    expect(contentOf([`xy${'🎉'.repeat(50_000)}x`]).text).toBe(`${'🎉'.repeat(39_999)}x`);
  });

  test('silent commands without end stay bounded', () => {
    const content = new TerminalContent();
    for (let round = 0; round < 10_000; round += 1) {
      content.begin({ id: String(round), commandLine: '', startedAt: 0 });
      content.finish(String(round), { exitCode: 0, durationMs: 0 });
    }
    expect(content.parts.length).toBeLessThanOrEqual(2_000);
    expect(content.parts.at(-1)).toMatchObject({ id: '9999', finished: { exitCode: 0 } });
  });

  test('the running command keeps its place, whatever it writes', () => {
    const content = contentOf(['before\n', { begin: 'a' }, ...Array.from({ length: 3_000 }, () => line)]);
    expect(content.parts.map(({ type }) => type)).toEqual(['command']);
    content.finish('a', { exitCode: 1, durationMs: 5 });
    expect(content.parts[0]).toMatchObject({ type: 'command', finished: { exitCode: 1, durationMs: 5 } });
  });
});

test('what stays is the end of what was written, in at most as many characters', () => {
  const step = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.constant('\n'),
    fc.nat({ max: 60_000 }).map((length) => 'y'.repeat(length)),
    fc.constant(`${'z'.repeat(30)}\n`),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(step, fc.constant({ begin: 'c' }), fc.constant({ finish: 'c' })), { maxLength: 30 }),
      (steps) => {
        const content = contentOf(steps);
        const all = steps.flatMap((written) => (typeof written === 'string' ? written : [])).join('');
        expect(all.endsWith(content.text)).toBe(true);
        expect(content.text.length).toBeLessThanOrEqual(100_000);
        expect(content.truncated).toBe(content.text.length < all.length);
      },
    ),
    { numRuns: 300 },
  );
});

function contentOf(steps: readonly Step[]): TerminalContent {
  const content = new TerminalContent();
  for (const step of steps) {
    if (typeof step === 'string') content.append(step);
    else if ('clear' in step) content.clear();
    else if ('begin' in step) content.begin({ id: step.begin, commandLine: step.begin, startedAt: 1 });
    else content.finish(step.finish, { exitCode: 0, durationMs: 2 });
  }
  return content;
}

function plain(text: string): TerminalPart {
  return { type: 'plain', text };
}

function command(name: string, output: string, how: 'running' | 'finished' = 'running'): TerminalPart {
  return {
    type: 'command',
    id: name,
    commandLine: name,
    output,
    startedAt: 1,
    finished: how === 'finished' ? { exitCode: 0, durationMs: 2 } : undefined,
  };
}
