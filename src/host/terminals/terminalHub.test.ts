import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { FakeTerminals } from '../../../test/kit/fakeTerminals.ts';
import { rig } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import type { LiveTerminal } from './liveTerminal.ts';
import type { Session } from '../session/session.ts';
import type { Owner } from './terminal.ts';
import { isRefusal } from './terminal.ts';
import { TerminalHub } from './terminalHub.ts';
import type { NewTerminal, TerminalChange } from './terminalHub.ts';

const ada: Owner = { kind: 'client', client: 'ada' };

let bench: Rig;
let port: FakeTerminals;
let hub: TerminalHub;
let changes: TerminalChange[];

beforeEach(async () => {
  bench = await rig();
  port = new FakeTerminals();
  changes = [];
  start({});
});

afterEach(async () => {
  await hub.close();
  await bench.close();
});

function start(limits: ConstructorParameters<typeof TerminalHub>[2]): void {
  hub = new TerminalHub(bench.host, port, limits);
  hub.follow((change) => void changes.push(change));
}

describe('opening', () => {
  test('a terminal is found by the id its owner chose', async () => {
    const terminal = await open({ id: 'mine', owner: ada });
    expect([hub.get('mine'), hub.list(), terminal.state]).toEqual([
      terminal,
      [terminal],
      {
        id: 'mine',
        title: 'fake',
        cwd: '/w',
        cols: 80,
        rows: 24,
        owner: ada,
        detected: false,
        lifecycle: { status: 'running' },
        content: [],
        truncated: false,
      },
    ]);
    expect(port.last.wish).toMatchObject({
      program: { kind: 'shell' },
      cwd: '/w',
      env: {},
      cols: 80,
      rows: 24,
    });
    expect(changes).toEqual([{ kind: 'opened', id: 'mine' }]);
  });

  test('what it runs, where and how large is passed on', async () => {
    const wish: NewTerminal = {
      owner: ada,
      program: { kind: 'command', line: 'make' },
      cwd: '/src',
      env: { A: '1' },
      cols: 120,
      rows: 40,
      title: 'Build',
    };
    const terminal = await open(wish);
    expect(port.last.wish).toMatchObject({
      program: { kind: 'command', line: 'make' },
      cwd: '/src',
      env: { A: '1' },
      cols: 120,
      rows: 40,
    });
    expect(terminal.title).toBe('Build');
  });

  test('what the program says before anybody knows the terminal is not lost', async () => {
    port.open = (wish) => {
      wish.data('early ');
      wish.data('bird');
      wish.exited({ exitCode: 0 });
      return FakeTerminals.prototype.open.call(port, wish);
    };
    const terminal = await open({ owner: ada });
    expect(await terminal.ended).toEqual({ exitCode: 0 });
    expect(terminal.text.text).toBe('early bird');
  });

  refused('an id that is taken', 'already-exists', { id: 'taken', owner: ada });
  refused('a bad id', 'invalid', { id: 'a b', owner: ada });
  refused('an empty id', 'invalid', { id: '', owner: ada });
  refused('a bad path', 'invalid', { cwd: '/a\0b', owner: ada });
  refused('a session that is not there', 'not-found', {
    owner: { kind: 'session', session: 'nobody', chat: 'nobody' },
  });
  refused('a chat that is not there', 'not-found', {
    owner: { kind: 'session', session: 's', chat: 'nobody' },
  });

  function refused(
    name: string,
    code: string,
    wish: Partial<NewTerminal> & Pick<NewTerminal, 'owner'>,
  ): void {
    test(`${name} is refused`, async () => {
      await bench.create('s');
      await open({ id: 'taken', owner: ada });
      expect(await hub.open({ cwd: '/w', ...wish })).toMatchObject({ refused: code });
      expect(port.opened).toHaveLength(1);
    });
  }

  test('an id is taken from the moment somebody asks for it', async () => {
    const answers = await Promise.all([
      hub.open({ id: 'x', cwd: '/w', owner: ada }),
      hub.open({ id: 'x', cwd: '/w', owner: ada }),
    ]);
    expect(answers.map((answer) => (isRefusal(answer) ? answer.refused : answer.id))).toEqual([
      'x',
      'already-exists',
    ]);
  });

  test('a failure to start is told and leaves nothing', async () => {
    port.problem = { problem: 'unavailable', message: 'No terminals here.' };
    expect(await hub.open({ id: 'x', cwd: '/w', owner: ada })).toEqual({
      refused: 'unavailable',
      message: 'No terminals here.',
    });
    port.problem = undefined;
    expect(isRefusal(await hub.open({ id: 'x', cwd: '/w', owner: ada }))).toBe(false);
  });
});

describe('limits', () => {
  test('so many run at a time, of one owner and of all', async () => {
    start({ running: 3, each: 2 });
    const answers = [];
    for (const client of ['ada', 'ada', 'ada', 'bob', 'cem'])
      answers.push(await hub.open({ cwd: '/w', owner: { kind: 'client', client } }));
    expect(answers.map((answer) => isRefusal(answer) && answer.refused)).toEqual([
      false,
      false,
      'too-many',
      false,
      'too-many',
    ]);
    port.last.end();
    await hub.list().at(-1)?.ended;
    expect(isRefusal(await hub.open({ cwd: '/w', owner: { kind: 'client', client: 'cem' } }))).toBe(false);
  });

  test('those being opened count', async () => {
    start({ running: 3, each: 9 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => hub.open({ cwd: '/w', owner: ada })));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(3);
  });

  test('those that ended longest ago are forgotten first', async () => {
    start({ remembered: 3 });
    for (const id of ['a', 'b', 'c']) await open({ id, owner: ada });
    port.opened[1]?.end();
    await hub.get('b')?.ended;
    await open({ id: 'd', owner: ada });
    await open({ id: 'e', owner: ada });
    expect(hub.list().map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e']);
  });
});

describe('the log of a session', () => {
  test('knows nothing of terminals: what a tool call shows of one is in its result', async () => {
    const session = await bench.create('s');
    const { seq } = session.head;
    const terminal = await open({ id: 't', owner: chatOf(session) });
    port.last.end({ exitCode: 7 });
    await terminal.ended;
    await hub.close();
    expect([session.head.seq, bench.problems]).toEqual([seq, []]);
  });

  test('a removed session takes its terminals along and is not written to', async () => {
    const session = await bench.create('s');
    await open({ id: 't', owner: chatOf(session) });
    await open({ id: 'other', owner: ada });
    await bench.host.remove('s');
    await settled(() => !hub.get('t'));
    expect([
      hub.list().map(({ id }) => id),
      [...(bench.store.read('s') as Iterable<unknown>)],
      bench.problems,
    ]).toEqual([['other'], [], []]);
  });
});

describe('removing and closing', () => {
  test('a running terminal is ended first', async () => {
    await open({ id: 't', owner: ada });
    expect(await hub.remove('t', { kind: 'client', client: 'ada' })).toBeUndefined();
    expect([port.last.killed, hub.list(), changes]).toEqual([
      true,
      [],
      [
        { kind: 'opened', id: 't' },
        { kind: 'changed', id: 't' },
        { kind: 'removed', id: 't' },
      ],
    ]);
  });

  test('an ended terminal stays until it is removed', async () => {
    const terminal = await open({ id: 't', owner: ada });
    port.last.end();
    await terminal.ended;
    expect(hub.list()).toHaveLength(1);
    expect([await hub.remove('t', { kind: 'host' }), await hub.remove('t', { kind: 'host' })]).toEqual([
      undefined,
      { refused: 'not-found', message: 'There is no such terminal.' },
    ]);
  });

  test('nobody removes what belongs to somebody else', async () => {
    const terminal = await open({ id: 't', owner: ada });
    expect(await hub.remove('t', { kind: 'client', client: 'bob' })).toMatchObject({ refused: 'not-yours' });
    port.last.end();
    await terminal.ended;
    expect(await hub.remove('t', { kind: 'client', client: 'bob' })).toMatchObject({ refused: 'not-yours' });
    expect(hub.list()).toHaveLength(1);
  });

  test('closing ends all, those being opened included', async () => {
    await open({ owner: ada });
    let go = () => {};
    port.ready = new Promise((resolve) => {
      go = resolve;
    });
    const late = hub.open({ cwd: '/w', owner: ada });
    const closed = hub.close();
    go();
    await closed;
    expect(await late).toMatchObject({ refused: 'unavailable' });
    expect(port.opened.map(({ killed }) => killed)).toEqual([true, true]);
    expect(hub.list()).toEqual([]);
    expect(await hub.open({ cwd: '/w', owner: ada })).toMatchObject({ refused: 'unavailable' });
  });

  test('closing does not wait for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      await open({ owner: ada });
      port.last.stubborn = true;
      const closed = hub.close();
      await vi.advanceTimersByTimeAsync(15_000);
      await closed;
      expect(port.last.killed).toBe(true);
    } finally {
      vi.useRealTimers();
    }
    port.last.end();
  });

  test('closing waits for those being opened', async () => {
    let go = () => {};
    port.ready = new Promise((resolve) => {
      go = resolve;
    });
    const late = hub.open({ cwd: '/w', owner: ada });
    let over = false;
    const closed = hub.close().then(() => (over = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(over).toBe(false);
    go();
    await closed;
    expect(port.last.killed).toBe(true);
    await late;
  });
});

async function open(wish: Partial<NewTerminal> & Pick<NewTerminal, 'owner'>): Promise<LiveTerminal> {
  const terminal = await hub.open({ cwd: '/w', ...wish });
  if (isRefusal(terminal)) throw new Error(terminal.message);
  return terminal;
}

function chatOf(session: Session): Owner {
  return { kind: 'session', session: session.id, chat: session.id };
}

async function settled(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
