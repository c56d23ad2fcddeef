// `parley chat` and `parley demo` of the real program: streaming, answers, the queue, steering, stopping,
// leaving and coming back.
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { terminals } from '../../src/io/pty/pty.ts';
import { socketPath } from '../../src/io/settings/dataPaths.ts';
import { run } from '../contracts/terminals.ts';
import { newHome } from '../kit/parley.ts';
import type { Home, Ran } from '../kit/parley.ts';

// Several programs are started one after the other, which takes its time where many others do the same.
/** On a busy machine a command that starts the host may say that it waits; otherwise it says nothing. */
const startNotice = expect.stringMatching(/^(parley: Waiting for the host\. .*\n)?$/) as string;

let home: Home;
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

interface Chat extends Ran {
  type(line: string): void;
  /** Resolves when these words were printed after those waited for before. */
  sees(words: string): Promise<void>;
  end(): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>;
}

function chat(...args: readonly string[]): Chat {
  const ran = home.run('chat', ...args);
  let seen = '';
  let from = 0;
  let look = () => {};
  ran.child.stdout?.on('data', (chunk: Buffer) => {
    seen += chunk.toString();
    look();
  });
  return {
    ...ran,
    type: (line) => void ran.child.stdin?.write(`${line}\n`),
    sees: (words) =>
      new Promise((resolve, reject) => {
        look = () => {
          const at = seen.indexOf(words, from);
          if (at < 0) return;
          from = at + words.length;
          look = () => {};
          resolve();
        };
        void ran.done.then(() => reject(new Error(`The chat ended before it said "${words}": ${seen}`)));
        look();
      }),
    end() {
      ran.child.stdin?.end();
      return ran.done;
    },
  };
}

const touch = (name: string) => `tool shell_command {"command":"touch ${name}"}`;
const made = (name: string) => existsSync(join(home.dir, name));

test('streams an answer, asks before a tool runs, and takes every kind of answer', async () => {
  const one = chat();
  await one.sees('New session in');
  one.type('say Hello you.');
  await one.sees('Hello you.');
  one.type(touch('a'));
  await one.sees('[y] once  [s] this session  [f] this folder  [a] everywhere');
  one.type('perhaps');
  await one.sees('This waits for you');
  one.type('n use another name');
  await one.sees('denied: use another name');
  await one.sees('shell_command: denied.');
  expect(made('a')).toBe(false);
  one.type(touch('b'));
  await one.sees('[y] once');
  one.type('y');
  await one.sees('shell_command: done.');
  expect(made('b')).toBe(true);
  one.type(touch('c'));
  await one.sees('[y] once');
  one.type('s');
  await one.sees('shell_command: done.');
  one.type(touch('c'));
  await one.sees('shell_command: done.');
  expect(await one.end()).toMatchObject({ code: 0, err: startNotice });
});

/** A command whose last line is the one that counts. */
const longCommand = (name: string) => `echo ${'x'.repeat(300)}\n${'# nothing\n'.repeat(60)}touch ${name}`;

test('asks whether to trust a folder before its programs run, and trust takes effect at once', async () => {
  mkdirSync(join(home.dir, '.parley'));
  const hooks = { before: { on: 'preRequest', command: './hook.sh' } };
  writeFileSync(join(home.dir, '.parley', 'config.jsonc'), JSON.stringify({ hooks }));
  writeFileSync(join(home.dir, 'hook.sh'), '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
  const one = chat();
  await one.sees('New session in');
  one.type('say Hello you.');
  await one.sees('Do you trust this folder?');
  await one.sees('hooks.before.command = "./hook.sh"');
  await one.sees('3. Never');
  expect(made('ran')).toBe(false);
  one.type('1');
  await one.sees('Hello you.');
  expect(made('ran')).toBe(true);
  expect((await home.run('trust', '--list').done).out).toContain('trusted');
  await one.end();
});

test('a long command is shown to its end before it is asked about', async () => {
  const one = chat();
  one.type(`tool shell_command ${JSON.stringify({ command: longCommand('deep') })}`);
  await one.sees('| touch deep');
  await one.sees('[y] once');
  one.type('y');
  await one.sees('shell_command: done.');
  expect(made('deep')).toBe(true);
  expect(await one.end()).toMatchObject({ code: 0, err: startNotice });
});

test('what hides in a command is spelled out', async () => {
  const one = chat();
  one.type(
    `tool shell_command ${JSON.stringify({ command: 'touch evil # comment\rnpm test\u001b]52;c;eA==\u0007\u3164' })}`,
  );
  await one.sees('| touch evil # comment\\rnpm test\\u001b]52;c;eA==\\u0007\\u3164');
  one.type('say \u001b[8mhidden');
  await one.sees('This waits for you');
  one.type('n');
  const { out } = await one.end();
  expect(out).not.toMatch(/[^\P{Cc}\t\n]/u);
});

test('queues, steers and stops', async () => {
  const one = chat();
  await one.sees('New session in');
  one.type('say Working.');
  await one.sees('Working.');
  one.type('hang');
  one.type('say Second.');
  await one.sees('(queued)');
  one.type('/queue');
  await one.sees('1. say Second.');
  one.type('say Third.');
  await one.sees('(queued)');
  one.type('/drop 2');
  await one.sees('Removed: say Third.');
  one.type('/drop 2');
  await one.sees('No queued message 2');
  one.type('!look at this');
  await one.sees('(steering)');
  one.child.kill('SIGINT');
  await one.sees('(stopped)');
  await one.sees('Second.');
  expect(await one.end()).toMatchObject({ code: 0, err: startNotice });
});

test('lines that come through a pipe are worked on one after the other', async () => {
  const one = chat();
  one.type('say First.');
  one.type('say Second.');
  const { code, out, err } = await one.end();
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/First\.\n[^]*Second\.\n/);
});

test('a question that nobody is left to answer stays open, and whoever comes back answers it', async () => {
  const one = chat();
  one.type(touch('late'));
  await one.sees('[y] once');
  const left = await one.end();
  expect([left.code, left.err]).toEqual([4, expect.stringContaining('the input has ended')]);
  const id = /parley chat (\S+)/.exec(left.err)?.[1] ?? '';
  const two = chat(id.slice(0, 8));
  await two.sees('Session ');
  await two.sees('> tool shell_command');
  await two.sees('[y] once');
  two.type('y');
  await two.sees('shell_command: done.');
  expect(made('late')).toBe(true);
  expect(await two.end()).toMatchObject({ code: 0, err: startNotice });
});

test('two terminals see the same session, and go on with the next host when theirs dies', async () => {
  const host = await home.serve();
  const one = chat();
  one.type('say Mine.');
  await one.sees('Mine.');
  const { out } = await home.run('sessions', 'list', '--json').done;
  const id = (JSON.parse(out) as { id: string }[])[0]?.id ?? '';
  const two = chat(id);
  await two.sees('Mine.');
  two.type('say Yours.');
  await one.sees('> say Yours.');
  await one.sees('Yours.');
  await host.kill();
  for (const ran of [one, two]) {
    await ran.sees('Lost the connection to the host.');
    await ran.sees('Connected again.');
  }
  one.type('say And on.');
  await two.sees('> say And on.');
  await one.sees('And on.');
  for (const ran of [one, two]) expect(await ran.end()).toMatchObject({ code: 0, err: '' });
});

test('a next host that is slow is told in the chat, and nowhere beside it', async () => {
  const host = await home.serve();
  const one = chat();
  one.type('say Mine.');
  await one.sees('Mine.');
  // The host holds the data directory and can no longer be reached.
  process.kill(host.pid, 'SIGSTOP');
  rmSync(socketPath(home.env));
  await one.sees('Lost the connection to the host.');
  one.type('say Yours.');
  await one.sees('Waiting for the host.');
  await host.kill();
  await one.sees('Connected again.');
  await one.sees('Yours.');
  expect(await one.end()).toMatchObject({ code: 0, err: '' });
});

test('a terminal that knows no controls gets none', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1', TERM: 'dumb' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'chat'] },
    { cwd: home.dir, env: own, cols: 120 },
  );
  await one.said('> ');
  one.pty.write('say Hello there.\r');
  await one.said('Hello there.\r\n> ');
  one.pty.write('/quit\r');
  await one.end;
  expect(one.text()).not.toContain('\u001b');
  // It shows whatever is drawn, also what is drawn again.
  expect(one.text()).not.toContain('> > ');
  expect(one.text()).toMatch(/\/quit\r+\n$/);
});

test.runIf(process.platform === 'linux')('after Ctrl-Z and fg a chat has the size of then', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: '/bin/bash', args: ['--norc', '-i'] },
    { cwd: home.dir, env: own, cols: 100 },
  );
  one.pty.write(`'${process.execPath}' '${home.program}' chat\r`);
  await one.said('/ commands');
  one.pty.write('\u001a');
  await one.said('Stopped');
  one.pty.resize(60, 24);
  const before = one.text().length;
  one.pty.write('fg\r');
  await expect.poll(() => one.text().slice(before)).toContain(' ask');
  expect(one.text().slice(before)).not.toContain('─'.repeat(60));
  // The first key ends the chat, a later one the shell.
  let isOver = false;
  void one.end.then(() => (isOver = true));
  await expect.poll(() => (one.pty.write('\u0004'), isOver)).toBe(true);
});

test.runIf(process.platform === 'linux')('Ctrl-Z suspends a chat that still connects', async () => {
  const host = await home.serve();
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  process.kill(host.pid, 'SIGSTOP');
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: '/bin/bash', args: ['--norc', '-i'] },
    { cwd: home.dir, env: own, cols: 100 },
  );
  try {
    one.pty.write(`'${process.execPath}' '${home.program}' chat\r`);
    await one.said('Connecting');
    one.pty.write('\u001a');
    await one.said('Stopped');
  } finally {
    process.kill(host.pid, 'SIGCONT');
  }
  const before = one.text().length;
  one.pty.write('fg\r');
  await expect.poll(() => one.text().slice(before)).toContain('/ commands');
  let isOver = false;
  void one.end.then(() => (isOver = true));
  await expect.poll(() => (one.pty.write('\u0004'), isOver)).toBe(true);
});

test('on a plain terminal Ctrl-C stops the turn, what somebody types is not disturbed, and Ctrl-D leaves', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'chat', '--plain'] },
    { cwd: home.dir, env: own, cols: 120 },
  );
  await one.said('> ');
  one.pty.write('hang\r');
  await one.said('hang\r');
  one.pty.write('half a line');
  await one.said('half a line');
  one.pty.write('\u0003');
  await one.said('(stopped)');
  one.pty.write('say Hello there.\r');
  await one.said('Hello there.\r\n');
  one.pty.write('\u0004');
  expect(await one.end).toEqual({ exitCode: 0 });
});

test('on a plain terminal: streaming, approvals, questions, the queue and steering', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'chat', '--plain'] },
    { cwd: home.dir, env: own, cols: 120 },
  );
  let from = 0;
  const sees = async (words: string) => {
    await expect.poll(() => one.text().indexOf(words, from), { message: words }).toBeGreaterThanOrEqual(from);
    from = one.text().indexOf(words, from) + words.length;
  };
  const type = (line: string) => one.pty.write(`${line}\r`);
  await sees('> ');
  type('say Streamed words.');
  await sees('Streamed words.\r\n');
  type(touch('seen'));
  await sees('[y] once');
  type('n not yet');
  await sees('denied: not yet');
  type(touch('seen'));
  await sees('[y] once');
  type('y');
  await sees('shell_command: done.');
  expect(made('seen')).toBe(true);
  type(
    'tool ask_user {"question":"Which colour?","options":[{"label":"Red"},{"label":"Blue"}],"allowFreeform":false}',
  );
  await sees('2. Blue');
  type('green');
  await sees('Type a number from 1 to 2.');
  type('2');
  await sees('User answered: Blue');
  type('hang');
  await sees('hang\r');
  type('say From the queue.');
  await sees('(queued)');
  type('!hurry up');
  await sees('(steering)');
  type('/queue');
  await sees('1. say From the queue.');
  type('/stop');
  await sees('(stopped)');
  await sees('From the queue.\r\n');
  one.pty.write('\u0004');
  expect(await one.end).toEqual({ exitCode: 0 });
});

test('on a plain terminal a paste is one message, typing stands apart, and own words answer a question', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'chat', '--plain'] },
    { cwd: home.dir, env: own, cols: 120 },
  );
  let from = 0;
  const sees = async (words: string) => {
    await expect.poll(() => one.text().indexOf(words, from), { message: words }).toBeGreaterThanOrEqual(from);
    from = one.text().indexOf(words, from) + words.length;
  };
  await sees('> ');
  const pasted = Array.from({ length: 200 }, (_, at) => `at frame ${at + 1}`).join('\r');
  one.pty.write(`Explain \u001b[200~${pasted}\u001b[201~`);
  await sees('Explain [pasted 200 lines]');
  one.pty.write(' please\r');
  await sees('You said: Explain at frame 1');
  await sees('at frame 200 please');
  const listed = JSON.parse((await home.run('sessions', 'list', '--json').done).out) as { chats: unknown }[];
  expect(listed).toMatchObject([{ chats: [{ turns: 1 }] }]);

  one.pty.write('\u001b[200~stream 2 Half\rhang\u001b[201~\r');
  await sees('Half Half');
  const streamed = from;
  one.pty.write('typed meanwhile');
  await sees('typed meanwhile');
  // The typed words begin on a line of their own.
  expect(one.text().slice(streamed, from)).toMatch(/\r\n[^\n]*> [^\n]*typed meanwhile$/);
  one.pty.write('\u0003');
  await sees('(stopped)');

  // The end of this paste is lost. After a pause Ctrl-C is a key again.
  one.pty.write('\u001b[200~lost\rend');
  await expect
    .poll(
      () => {
        const isOver = one.text().includes('Nothing is running.', from);
        if (!isOver) one.pty.write('\u0003');
        return isOver;
      },
      { interval: 1_500 },
    )
    .toBe(true);
  await sees('Nothing is running.');

  one.pty.write('tool ask_user {"question":"Which?","options":[{"label":"Red"},{"label":"Blue"}]}\r');
  await sees('2. Blue');
  one.pty.write('7\r');
  await sees('Type a number from 1 to 2, or your own answer. /decline declines.');
  one.pty.write('MariaDB please\r');
  await sees('ask_user: done.');
  expect(one.text()).toContain('MariaDB please');
  one.pty.write('\u0004');
  expect(await one.end).toEqual({ exitCode: 0 });
});

test('on a plain terminal a long command is read page by page, and only then allowed', async () => {
  const own = { PARLEY_HOME: String(home.env['PARLEY_HOME']), PARLEY_SCRIPTED: '1' };
  const one = await run(
    terminals({ env: home.env }),
    { kind: 'file', file: process.execPath, args: [home.program, 'chat', '--plain'] },
    { cwd: home.dir, env: own, cols: 100 },
  );
  let from = 0;
  const sees = async (words: RegExp) => {
    const found = () => words.exec(one.text().slice(from));
    await expect.poll(found, { message: String(words) }).not.toBeNull();
    const { index, 0: text } = found() ?? { index: 0, 0: '' };
    from += index + text.length;
    return text;
  };
  await sees(/> /);
  one.pty.write(`tool shell_command ${JSON.stringify({ command: longCommand('paged') })}\r`);
  await sees(/\d+ more lines, \d+ characters: press space to read on/);
  expect(one.text()).not.toMatch(/touch paged\r\n|once/);
  one.pty.write('y\r');
  await sees(/Read it to its end first/);
  await sees(/\d+ more lines, \d+ characters: press space to read on/);
  expect(made('paged')).toBe(false);
  do one.pty.write(' ');
  while ((await sees(/press space to read on|\[y\] once/)) !== '[y] once');
  expect(one.text()).toContain('| touch paged');
  one.pty.write('y\r');
  await sees(/shell_command: done\./);
  expect(made('paged')).toBe(true);
  one.pty.write('\u0004');
  expect(await one.end).toEqual({ exitCode: 0 });
});

test('/quit leaves while the work goes on', async () => {
  const one = chat();
  one.type('hang');
  one.type('/help');
  await one.sees('Type a message');
  one.type('/quit');
  expect(await one.done).toMatchObject({ code: 0, err: startNotice });
  expect(JSON.parse((await home.run('sessions', 'list', '--json').done).out)).toMatchObject([
    { status: 'running' },
  ]);
});

test.each<[readonly string[], number, RegExp]>([
  [['nobody'], 1, /Session "nobody" not found/],
  [['--agent', 'nobody'], 2, /no agent named nobody/],
  [['a', 'b'], 2, /Unexpected argument "b"/],
  [['--nonsense'], 2, /nonsense/],
  [['--continue'], 1, /There is no session in /],
  [['--resume'], 2, /needs a terminal/],
  [['--continue', 'abc'], 2, /only one of/],
])('parley chat %j ends with %i', async (args, code, err) => {
  const ran = await home.run('chat', ...args).done;
  expect([ran.code, ran.out]).toEqual([code, '']);
  expect(ran.err).toMatch(err);
});

test('the demo plays a whole session and leaves nothing behind', async () => {
  home.env['TMPDIR'] = home.dir;
  const { code, out, err } = await home.run('demo').done;
  expect([code, err]).toEqual([0, '']);
  for (const words of [
    '* List files in project',
    '-console.log(`Hello, ${name}!`);',
    '+console.log(`Good morning, ${name}!`);',
    '(the demo answers for you)',
    'Good morning, world!',
    'That was a complete session.',
  ])
    expect(out).toContain(words);
  expect(readdirSync(home.dir).filter((name) => name.startsWith('parley-demo-'))).toEqual([]);
  expect(existsSync(join(home.dir, 'home'))).toBe(false);
  expect(await home.run('demo', 'more').done).toMatchObject({ code: 2, out: '' });
});

test.each([
  ['chat', '!TEXT'],
  ['demo', 'no API key'],
])('parley %s --help', async (name, words) => {
  expect(await home.run(name, '--help').done).toMatchObject({
    code: 0,
    out: expect.stringContaining(words),
    err: startNotice,
  });
});
