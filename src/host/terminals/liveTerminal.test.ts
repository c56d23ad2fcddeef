import { describe, expect, test } from 'vitest';
import { FakePty } from '../../../test/kit/fakeTerminals.ts';
import { LiveTerminal } from './liveTerminal.ts';
import type { Sink } from '../session/live.ts';
import type { Actor, Owner, TerminalEvent } from './terminal.ts';

const ada: Actor & Owner = { kind: 'client', client: 'ada' };
const bob: Actor & Owner = { kind: 'client', client: 'bob' };
const chat: Owner = { kind: 'session', session: 's', chat: 'c' };
const busyChat: Owner = { ...chat, turn: 't', tool: 'x' };
const agent: Actor = { kind: 'session', session: 's' };
const stranger: Actor = { kind: 'session', session: 'other' };
const host: Actor = { kind: 'host' };

const mark = '\u001b]633;secret;';

describe('what a program says reaches the followers in one piece per beat', () => {
  test('output of one beat is one event', () => {
    const { pty, told, beat } = setUp();
    pty.say('a');
    pty.say('b');
    expect(told).toEqual([]);
    beat();
    pty.say('c');
    beat();
    expect(told).toEqual([
      { type: 'data', text: 'ab' },
      { type: 'data', text: 'c' },
    ]);
  });

  test('a command with its output, title and place', () => {
    const { pty, told, beat, terminal } = setUp();
    pty.say(`\u001b]0;box\u0007$ ${mark}C;ls\u0007a\r\n${mark}D;2\u0007${mark}P;/tmp\u0007$ `);
    beat();
    expect(told).toEqual([
      { type: 'data', text: '\u001b]0;box\u0007' },
      { type: 'title', title: 'box' },
      { type: 'data', text: '$ ' },
      { type: 'detected' },
      { type: 'commandStarted', id: 'id1', commandLine: 'ls', startedAt: 1 },
      { type: 'data', text: 'a\r\n' },
      { type: 'commandFinished', id: 'id1', exitCode: 2, durationMs: 1 },
      { type: 'cwd', cwd: '/tmp' },
      { type: 'data', text: '$ ' },
    ]);
    expect(terminal.state).toEqual({
      id: 't1',
      title: 'box',
      cwd: '/tmp',
      cols: 80,
      rows: 24,
      owner: ada,
      detected: true,
      lifecycle: { status: 'running' },
      truncated: false,
      content: [
        { type: 'plain', text: '\u001b]0;box\u0007$ ' },
        {
          type: 'command',
          id: 'id1',
          commandLine: 'ls',
          output: 'a\r\n',
          startedAt: 1,
          finished: { exitCode: 2, durationMs: 1 },
        },
        { type: 'plain', text: '$ ' },
      ],
    });
  });

  test('a terminal for one command line is that command', async () => {
    const { pty, told, beat, terminal } = setUp({ commandLine: 'make' });
    pty.say('ok\r\n');
    pty.end({ exitCode: 3 });
    beat();
    expect(told).toEqual([
      { type: 'commandStarted', id: 'id1', commandLine: 'make', startedAt: 1 },
      { type: 'data', text: 'ok\r\n' },
      { type: 'commandFinished', id: 'id1', exitCode: 3, durationMs: 1 },
      { type: 'exited', end: { exitCode: 3 } },
    ]);
    expect(await terminal.ended).toEqual({ exitCode: 3 });
    expect(terminal.text).toEqual({ text: 'ok\r\n', truncated: false });
  });

  test('a command that nobody ended ends with the next one, or with the shell', () => {
    const { pty, told, beat } = setUp();
    pty.say(`${mark}C;a\u0007${mark}C;b\u0007${mark}D;0\u0007${mark}D;0\u0007${mark}C;exit 4\u0007`);
    pty.end({ exitCode: 4 });
    beat();
    expect(
      told.flatMap((event) => (event.type === 'commandFinished' ? [[event.id, event.exitCode]] : [])),
    ).toEqual([
      ['id1', undefined],
      ['id2', 0],
      ['id3', 4],
    ]);
  });

  test('the end is known also when something else happens in the same beat', async () => {
    const { pty, beat, terminal } = setUp();
    pty.end({ exitCode: 0 });
    terminal.rename('Done', ada);
    beat();
    expect([await terminal.ended, terminal.title]).toEqual([{ exitCode: 0 }, 'Done']);
  });

  test('what was held back as a possible word of ours is shown at the end', () => {
    const { pty, beat, terminal } = setUp();
    pty.say('a\u001b]633;sec');
    pty.end({ signal: 'SIGKILL' });
    beat();
    expect(terminal.state).toMatchObject({
      content: [{ text: 'a\u001b]633;sec' }],
      lifecycle: { status: 'exited', end: { signal: 'SIGKILL' } },
    });
  });

  test('titles without news, and those of a terminal that has its own name, are not told', () => {
    const one = setUp();
    one.pty.say('\u001b]0;a\u0007\u001b]0;a\u0007');
    one.beat();
    const two = setUp({ title: 'Build' });
    two.pty.say('\u001b]0;a\u0007');
    two.beat();
    expect(
      [one, two].map(({ told, terminal }) => [
        told.filter(({ type }) => type === 'title').length,
        terminal.title,
      ]),
    ).toEqual([
      [1, 'a'],
      [0, 'Build'],
    ]);
    expect(one.changes()).toBe(1);
  });
});

describe('what clients do to a terminal', () => {
  test('it is told to everybody in order', () => {
    const { terminal, pty, told, beat } = setUp();
    terminal.resize({ cols: 100, rows: 30 }, ada);
    terminal.write('ls\r', ada);
    pty.say('x');
    terminal.clear(ada);
    terminal.rename('Mine\u0007', ada);
    pty.say('y');
    terminal.claim(chat, ada);
    beat();
    expect(told).toEqual([
      { type: 'resized', cols: 100, rows: 30 },
      { type: 'data', text: 'x' },
      { type: 'cleared' },
      { type: 'title', title: 'Mine' },
      { type: 'data', text: 'y' },
      { type: 'claimed', owner: chat },
    ]);
    expect([pty.typed, pty.sizes, terminal.state.content]).toEqual([
      'ls\r',
      [[100, 30]],
      [{ type: 'plain', text: 'y' }],
    ]);
  });

  test('what cannot be is refused', () => {
    const { terminal, pty, beat } = setUp();
    const sizes = [
      [0, 1],
      [1.5, 1],
      [1, 20_000],
      [Number.NaN, 1],
    ].map(([cols = 0, rows = 0]) => terminal.resize({ cols, rows }, ada)?.refused);
    pty.reads = false;
    const written = terminal.write('x', ada)?.refused;
    pty.end();
    beat();
    expect([
      ...sizes,
      written,
      terminal.write('x', ada)?.refused,
      terminal.resize({ cols: 1, rows: 1 }, ada)?.refused,
      terminal.clear(ada),
      terminal.kill(ada),
    ]).toEqual(['invalid', 'invalid', 'invalid', 'invalid', 'busy', 'ended', 'ended', undefined, undefined]);
    expect([pty.sizes, pty.killed]).toEqual([[], false]);
  });
});

describe('a terminal is used by those it belongs to', () => {
  check('use', [ada, ada], 'yes');
  check('use', [ada, bob], 'no');
  check('use', [ada, agent], 'no');
  check('use', [ada, host], 'yes');
  check('use', [chat, agent], 'yes');
  check('use', [chat, stranger], 'no');
  check('use', [chat, bob], 'yes');
  check('use', [busyChat, bob], 'yes');
  check('take', [ada, ada], 'yes');
  check('take', [ada, bob], 'no');
  check('take', [ada, agent], 'no');
  check('take', [chat, agent], 'yes');
  check('take', [chat, stranger], 'no');
  check('take', [chat, bob], 'yes');
  check('take', [busyChat, bob], 'no');
  check('take', [busyChat, host], 'yes');

  function check(what: 'use' | 'take', [owner, by]: readonly [Owner, Actor], expected: 'yes' | 'no'): void {
    test(`${JSON.stringify(by)} may ${what} what ${JSON.stringify(owner)} has: ${expected}`, () => {
      const { terminal, pty } = setUp({ owner });
      const tries =
        what === 'take'
          ? [terminal.claim(bob, by)]
          : [
              terminal.write('x', by),
              terminal.resize({ cols: 9, rows: 9 }, by),
              terminal.rename('x', by),
              terminal.clear(by),
              terminal.kill(by),
            ];
      expect(tries.map((refused) => refused?.refused)).toEqual(
        tries.map(() => (expected === 'yes' ? undefined : 'not-yours')),
      );
      const touched = [pty.typed, pty.sizes, pty.killed, terminal.owner];
      expect(touched).toEqual(
        expected === 'no'
          ? ['', [], false, owner]
          : what === 'take'
            ? ['', [], false, bob]
            : ['x', [[9, 9]], true, owner],
      );
    });
  }

  test('a client cannot put somebody else into a place it does not have', () => {
    expect(setUp({ owner: chat }).terminal.claim(ada, bob)?.refused).toBe('not-yours');
  });
});

describe('a program that writes too fast', () => {
  test('it waits for the beat, and nothing is lost', () => {
    const { pty, told, beat } = setUp();
    const block = 'x'.repeat(65_536);
    for (let round = 0; round < 100; round += 1) pty.say(block);
    expect(pty.paused).toBe(true);
    let most = 0;
    while (pty.waiting > 0 || pty.paused) {
      beat();
      most = Math.max(most, ...told.map((event) => (event.type === 'data' ? event.text.length : 0)));
    }
    beat();
    expect(told.reduce((sum, event) => sum + (event.type === 'data' ? event.text.length : 0), 0)).toBe(
      100 * block.length,
    );
    expect(most).toBeLessThan(400_000);
  });

  test('events without output count as well', () => {
    const { pty } = setUp();
    for (let round = 0; round < 1_000; round += 1) pty.say(`${mark}C;x\u0007${mark}D;0\u0007`);
    expect(pty.paused).toBe(true);
  });
});

describe('a follower that cannot take more', () => {
  test('is waited for, and everybody gets everything', () => {
    const { terminal, pty, beat, told, pass } = setUp();
    const slow = follower(terminal);
    slow.block();
    pty.say('a');
    beat();
    expect([pty.paused, told]).toEqual([true, []]);
    pass(100);
    slow.unblock();
    expect([pty.paused, told, slow.told]).toEqual([
      false,
      [{ type: 'data', text: 'a' }],
      [{ type: 'data', text: 'a' }],
    ]);
  });

  test('is left behind after a moment, and told how things stand once it can', () => {
    const { terminal, pty, beat, told, pass } = setUp();
    const slow = follower(terminal);
    slow.block();
    pty.say('a');
    beat();
    pass(250);
    expect([pty.paused, told, slow.told]).toEqual([false, [{ type: 'data', text: 'a' }], []]);
    pty.say('b');
    beat();
    pty.say('c');
    expect(told).toHaveLength(2);
    slow.unblock();
    beat();
    expect(slow.told).toEqual([
      { type: 'restarted', state: { ...terminal.state, content: [{ type: 'plain', text: 'ab' }] } },
      { type: 'data', text: 'c' },
    ]);
  });

  test('holds nobody up once it has left', () => {
    const { terminal, pty, beat, told } = setUp();
    const slow = follower(terminal);
    slow.block();
    pty.say('a');
    beat();
    slow.leave();
    expect([pty.paused, told, slow.told]).toEqual([false, [{ type: 'data', text: 'a' }], []]);
    slow.unblock();
    pty.say('b');
    beat();
    expect([told.length, slow.told]).toEqual([2, []]);
  });

  test('can block again as soon as it was told', () => {
    const { terminal, pty, beat, pass } = setUp();
    const slow = follower(terminal);
    slow.block();
    pty.say('a');
    beat();
    pass(250);
    slow.unblock('once');
    pty.say('b');
    beat();
    expect([pty.paused, slow.told.length]).toEqual([true, 1]);
    slow.unblock();
    expect([pty.paused, slow.told.at(-1)]).toEqual([false, { type: 'data', text: 'b' }]);
  });

  test('that can take more the moment it is asked holds up nothing', () => {
    const { terminal, pty, beat } = setUp();
    let asked = 0;
    terminal.attach({ deliver: () => {}, ready: () => (asked += 1) > 1, whenReady: (resume) => resume() });
    pty.say('a');
    beat();
    expect(pty.paused).toBe(false);
  });

  test('that throws harms nobody', () => {
    const { terminal, pty, beat, told, problems } = setUp();
    terminal.attach({
      deliver() {
        throw new Error('broken');
      },
      ready: () => true,
      whenReady: () => {},
    });
    follower(terminal);
    pty.say('a');
    beat();
    expect([told, problems]).toEqual([[{ type: 'data', text: 'a' }], [new Error('broken')]]);
  });
});

test('a late follower starts from the state of that moment', () => {
  const { terminal, pty, beat } = setUp();
  pty.say('a');
  beat();
  pty.say('b');
  const late = follower(terminal);
  expect(terminal.state.content).toEqual([{ type: 'plain', text: 'a' }]);
  beat();
  expect(late.told).toEqual([{ type: 'data', text: 'b' }]);
});

function setUp({ owner = ada, ...facts }: { owner?: Owner; commandLine?: string; title?: string } = {}) {
  const deferred: (() => void)[] = [];
  const timers = new Map<() => void, number>();
  const problems: unknown[] = [];
  const told: TerminalEvent[] = [];
  let now = 0;
  let ids = 0;
  let changes = 0;
  const pty = new FakePty(
    {
      program: { kind: 'shell' },
      cwd: '/w',
      cols: 80,
      rows: 24,
      data: (text) => terminal.read(text),
      exited: (end) => terminal.exited(end),
    },
    'secret',
  );
  const terminal = new LiveTerminal(
    {
      id: 't1',
      cwd: '/w',
      cols: 80,
      rows: 24,
      owner,
      pty,
      title: facts.title,
      commandLine: facts.commandLine,
    },
    {
      clock: {
        now: () => (now += 1),
        elapsed: () => now,
        defer: (run) => void deferred.push(run),
        after: (milliseconds, run) => {
          timers.set(run, milliseconds);
          return () => void timers.delete(run);
        },
      },
      ids: { next: () => `id${(ids += 1)}` },
      report: (problem) => void problems.push(problem),
      changed: () => void (changes += 1),
    },
  );
  terminal.attach({ deliver: (events) => void told.push(...events), ready: () => true, whenReady: () => {} });
  return {
    terminal,
    pty,
    told,
    problems,
    changes: () => changes,
    beat: (): void => deferred.splice(0).forEach((run) => run()),
    /** Lets time go by. */
    pass: (milliseconds: number): void => {
      for (const [run, at] of timers) {
        timers.set(run, at - milliseconds);
        if (at <= milliseconds && timers.delete(run)) run();
      }
    },
  };
}

function follower(terminal: LiveTerminal) {
  const told: TerminalEvent[] = [];
  const waiting: (() => void)[] = [];
  let room = Number.POSITIVE_INFINITY;
  const sink: Sink<TerminalEvent> = {
    deliver(events) {
      room -= 1;
      told.push(...events);
    },
    ready: () => room > 0,
    whenReady: (resume) => void waiting.push(resume),
  };
  const leave = terminal.attach(sink);
  return {
    told,
    leave,
    block: () => void (room = 0),
    unblock(how: 'once' | 'for good' = 'for good') {
      room = how === 'once' ? 1 : Number.POSITIVE_INFINITY;
      waiting.splice(0).forEach((resume) => resume());
    },
  };
}
