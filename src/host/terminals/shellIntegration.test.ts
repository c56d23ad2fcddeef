import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ShellIntegration } from './shellIntegration.ts';
import type { ShellEvent } from './shellIntegration.ts';

const mark = '\u001b]633;secret;';
const bell = '\u0007';
const end = '\u001b\\';
const detected: ShellEvent = { type: 'detected' };

describe('what a shell says is told and taken out', () => {
  check('plain text', [data('plain text')]);
  check(`${mark}C;ls -l${bell}total 0\r\n${mark}D;0${bell}$ `, [
    detected,
    started('ls -l'),
    data('total 0\r\n'),
    finished(0),
    data('$ '),
  ]);
  check(`${mark}C;ls${end}x`, [detected, started('ls'), data('x')]);
  check(`a${mark}P;/home/me;x${bell}b`, [
    data('a'),
    detected,
    { type: 'cwdChanged', cwd: '/home/me;x' },
    data('b'),
  ]);
  check(`${mark}P;${bell}`, [detected]);
  check(`${mark}C;echo 'a;b' \\\\n \\x0a\\x1b[1m\\x09${bell}`, [
    detected,
    started("echo 'a;b' \\n \n\u001b[1m\t"),
  ]);
  check(`${mark}C;${bell}${mark}D;130${bell}`, [detected, started(''), finished(130)]);
  check(`${mark}D${bell}${mark}D;x${bell}${mark}D;-1${bell}`, [
    detected,
    finished(undefined),
    finished(undefined),
    finished(undefined),
  ]);
  check(`${mark}Z;unknown${bell}${mark}${bell}x`, [detected, data('x')]);
  check(`${mark}C;grüße 🎉${bell}`, [detected, started('grüße 🎉')]);
});

describe('a line that the history did not take', () => {
  check(`${mark}B${bell}make\r\n${mark}c;make${bell}`, [detected, data('make\r\n'), started('make')]);
  check(`${mark}B${bell} secret\r\n${mark}c;make${bell}`, [detected, data(' secret\r\n'), started('')]);
  check(`${mark}B${bell}\u001b[?2004h\u001b[1m secret\r\n${mark}c;make${bell}`, [
    detected,
    data('\u001b[?2004h\u001b[1m secret\r\n'),
    started(''),
  ]);
  check(`${mark}c;make${bell}`, [detected, started('make')]);
});

describe('what is not ours stays where it is', () => {
  for (const text of [
    '\u001b]633;C;ls\u0007',
    '\u001b]633;wrong;C;ls\u0007',
    '\u001b]633;secre',
    '\u001b[31mred\u001b[0m',
    '\u001b]8;;http://x\u0007link\u001b]8;;\u0007',
    '\u001b',
    '\u001b\u001b\u001b',
    `${mark}C;broken\nline${bell}`,
    `${mark}C;broken\u001b[0m${bell}`,
    `${mark}C;never ends`,
    `${mark}C;${'x'.repeat(40_000)}${bell}`,
    '\u009d633;secret;C;x\u0007',
  ])
    check(text, [data(text)]);
  check(`\u001b]633;secr${mark}C;ls${bell}`, [data('\u001b]633;secr'), detected, started('ls')]);
});

describe('titles and places are heard and stay in the output', () => {
  check('\u001b]0;vim a\u0007x', [data('\u001b]0;vim a\u0007'), title('vim a'), data('x')]);
  check('\u001b]2;top\u001b\\x', [data('\u001b]2;top'), title('top'), data('\u001b\\x')]);
  check('\u001b]7;file://box/a%20b\u0007', [
    data('\u001b]7;file://box/a%20b\u0007'),
    { type: 'cwdChanged', cwd: '/a b' },
  ]);
  check('\u001b]7;file:///\u0007', [data('\u001b]7;file:///\u0007'), { type: 'cwdChanged', cwd: '/' }]);
  for (const text of [
    '\u001b]1;icon\u0007',
    '\u001b]7;http://x/y\u0007',
    '\u001b]7;file://box/%zz\u0007',
    '\u001b]0;a\nb\u0007',
    `\u001b]0;${'x'.repeat(5_000)}\u0007`,
    '\u001b]0;open',
  ])
    check(text, [data(text)]);
  check('\u001b]0;a\u001b]0;b\u0007', [data('\u001b]0;a'), title('a'), data('\u001b]0;b\u0007'), title('b')]);
});

test('a terminal without integration takes nothing out and hears titles', () => {
  const shell = new ShellIntegration(undefined);
  const text = `${mark}C;ls${bell}\u001b]0;t\u0007`;
  expect([...shell.read(text), ...shell.end()]).toEqual([data(text), title('t')]);
});

const piece = fc.oneof(
  fc.constantFrom(
    mark,
    bell,
    end,
    '\u001b',
    '\u001b]633;',
    'secret;',
    '\u001b]0;',
    '\u001b]7;file://x/y',
    'C;',
    'D;1',
    'B',
    'c;',
    'P;/tmp',
    '\\',
    '\\x0a',
    '\n',
    '\u001b[1m',
    ';',
    ' ',
    '🎉',
    'ü',
    `${mark}C;ls${bell}`,
    `${mark}D;0${end}`,
    `${mark}B${bell}`,
  ),
  fc.string({ maxLength: 8, unit: 'binary' }),
);

test('where the pieces end changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 20 }),
      fc.array(fc.nat({ max: 200 }), { maxLength: 20 }),
      (parts, cuts) => {
        const text = parts.join('');
        const at = [...new Set([0, ...cuts.filter((cut) => cut < text.length), text.length])].toSorted(
          (a, b) => a - b,
        );
        const pieces = at.slice(1).map((cut, i) => text.slice(at[i], cut));
        expect(read(pieces)).toEqual(read([text]));
        expect(read(text.split(''))).toEqual(read([text]));
      },
    ),
    { numRuns: 2_000 },
  );
});

test('nothing but our own words is missing from the output', () => {
  const ours = fc.constantFrom(
    `${mark}C;ls${bell}`,
    `${mark}D;0${end}`,
    `${mark}P;/tmp${bell}`,
    `${mark}B${bell}`,
  );
  // A lone escape character right before a word of ours would be no longer alone, so foreign
  // pieces are whole here.
  const foreign = fc.constantFrom(
    'text',
    '\u001b[31m',
    '\u001b]0;title\u0007',
    '\u001b]633;A\u0007',
    '\n',
    '🎉',
    '\u001b]633;secret',
    '\u001b]8;;x\u001b\\',
  );
  fc.assert(
    fc.property(fc.array(fc.record({ foreign, ours }), { maxLength: 12 }), (rows) => {
      const told = read([rows.map((row) => row.foreign + row.ours).join('')]);
      expect(told.flatMap((event) => (event.type === 'data' ? event.text : [])).join('')).toBe(
        rows.map((row) => row.foreign).join(''),
      );
    }),
    { numRuns: 500 },
  );
});

test('a long output costs time in proportion to its length', () => {
  const shell = new ShellIntegration('secret');
  const colourful = '\u001b[31mred\u001b[0m '.repeat(1_000);
  let length = 0;
  for (let round = 0; round < 500; round += 1)
    for (const event of shell.read(colourful)) if (event.type === 'data') length += event.text.length;
  expect(length).toBe(colourful.length * 500);
});

function check(text: string, expected: readonly ShellEvent[]): void {
  test(`reading ${JSON.stringify(text).slice(0, 80)}`, () => {
    expect(read([text])).toEqual(expected);
    expect(read(text.split(''))).toEqual(expected);
  });
}

/** The events of a text that arrives in pieces, with neighbouring output joined. */
function read(pieces: readonly string[]): ShellEvent[] {
  const shell = new ShellIntegration('secret');
  const events = [...pieces.flatMap((text) => shell.read(text)), ...shell.end()];
  const joined: ShellEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last?.type === 'data' && event.type === 'data')
      joined[joined.length - 1] = data(last.text + event.text);
    else joined.push(event);
  }
  return joined;
}

function data(text: string): ShellEvent & { type: 'data' } {
  return { type: 'data', text };
}

function started(commandLine: string): ShellEvent {
  return { type: 'commandStarted', commandLine };
}

function finished(exitCode: number | undefined): ShellEvent {
  return { type: 'commandFinished', exitCode };
}

function title(name: string): ShellEvent {
  return { type: 'titleChanged', title: name };
}
