// A sandbox that cannot be made the first time, because what it covers is gone or another file by then: its
// program starts all the same, once, and nobody hears of it. With the real bubblewrap.
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { visibleBase } from '../kit/parley.ts';
import { AgentProcess } from '../../src/agents/acp/process/agentProcess.ts';
import { agentLauncher } from '../../src/io/agents/agentLauncher.ts';
import { pipedPrograms } from '../../src/io/processes/pipedPrograms.ts';
import { processes } from '../../src/io/processes/shellCommands.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import { probeSandbox } from '../../src/io/sandbox/probe.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/io/sandbox/sandbox.ts';

let base: string;
let work: string;
beforeEach(() => {
  base = mkdtempSync(join(visibleBase(), 'parley-begun-'));
  work = join(base, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'AGENTS.md'), 'rules');
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** A sandbox around which something happens between the look and the mount, so many times. */
async function shaken(happens: 'a socket goes' | 'a file is replaced', times: number): Promise<Shaken> {
  const box = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
  const servers = Array.from({ length: times }, (_, at) => createServer().listen(join(base, `${at}.sock`)));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  let made = 0;
  const shake = () => {
    if (happens === 'a socket goes') return rmSync(join(base, `${made}.sock`), { force: true });
    writeFileSync(join(base, 'new'), 'rules');
    return renameSync(join(base, 'new'), join(work, 'AGENTS.md'));
  };
  const confine: Sandbox['confine'] = (...asked) => {
    const confined = box.confine(...asked);
    if (made < times) shake();
    made += 1;
    return confined;
  };
  const close = () => {
    box.close();
    for (const server of servers) server.close();
  };
  return { sandbox: { ...box, confine, sees: () => undefined }, made: () => made, close };
}

interface Shaken {
  readonly sandbox: Sandbox;
  /** How often a sandbox was made. */
  readonly made: () => number;
  readonly close: () => void;
}

const confined = () => ({ write: [work], network: 'off', scratch: 's' }) as const;
const line = 'echo once >> ran; echo said';

type Start = (sandbox: Sandbox) => Promise<{ readonly said: string; readonly end: unknown }>;

const starts: readonly (readonly [string, Start])[] = [
  [
    'a line for a shell',
    async (sandbox) => {
      let said = '';
      const end = await processes({ sandbox }).run({
        ...{ command: line, cwd: work, confined: confined(), timeout: 100_000 },
        signal: new AbortController().signal,
        output: (_, text) => void (said += text),
      });
      return { said, end };
    },
  ],
  [
    'a program beside a turn',
    async (sandbox) => {
      let said = '';
      const output = (text: string) => void (said += text);
      const program = { command: line, args: [], cwd: work, confined: confined(), output };
      return { end: await pipedPrograms({ sandbox }).start(program).ended, said };
    },
  ],
  [
    'a terminal',
    async (sandbox) => {
      let said = '';
      const end = await new Promise((resolve, reject) => {
        const opening = terminals({ sandbox }).open({
          ...{ program: { kind: 'command', line }, cwd: work, confined: confined(), cols: 80, rows: 24 },
          data: (text) => void (said += text),
          exited: resolve,
        });
        opening.then((pty) => 'problem' in pty && reject(new Error(pty.message)), reject);
      });
      return { said: said.replaceAll('\r', ''), end };
    },
  ],
];

describe.runIf(process.platform === 'linux')('a sandbox that cannot be made', () => {
  describe.each(starts)('for %s', (_, start) => {
    test.each(['a socket goes', 'a file is replaced'] as const)(
      'because %s is made again',
      async (happens) => {
        // A test beside this one may close sockets, too.
        const { sandbox, made, close } = await shaken(happens, 1);
        const { said } = await start(sandbox).finally(close);
        expect([said, readFileSync(join(work, 'ran'), 'utf8')]).toEqual(['said\n', 'once\n']);
        expect(made()).toBeGreaterThan(1);
        expect(readdirSync(join(base, 'box'))).not.toContain('tmp');
      },
    );

    test('at all is told at last, and nothing has run', async () => {
      const { sandbox, made, close } = await shaken('a file is replaced', 9);
      const { said, end } = await start(sandbox).finally(close);
      expect([made(), readdirSync(work)]).toEqual([3, expect.not.arrayContaining(['ran'])]);
      expect(said).toContain('was changed while the sandbox was made');
      expect(JSON.stringify(end)).toContain('126');
    });
  });

  test('for a terminal, and does not end either, is ended', async () => {
    let isReleased = false;
    const waiting = { words: ['/bin/sleep', '1000'], variables: () => ({}), hasBegun: () => false };
    const confine = () => ({ ...waiting, release: () => void (isReleased = true) });
    const opened = await terminals({ sandbox: { confine }, grace: 10, patience: 100 }).open({
      ...{ program: { kind: 'command', line }, cwd: work, confined: confined(), cols: 80, rows: 24 },
      data: () => {},
      exited: () => {},
    });
    expect(opened).toEqual({ problem: 'failed', message: 'The sandbox did not start within 0.1 seconds.' });
    await expect.poll(() => isReleased).toBe(true);
  });

  test('a program that fails by itself runs once', async () => {
    const { sandbox, close } = await shaken('a socket goes', 0);
    const command = 'echo once >> ran; echo "bwrap: no" >&2; exit 126';
    const end = await processes({ sandbox })
      .run({
        ...{ command, cwd: work, confined: confined(), timeout: 100_000 },
        signal: new AbortController().signal,
        output: () => {},
      })
      .finally(close);
    expect(end).toEqual({ kind: 'exited', code: 126 });
    expect(readFileSync(join(work, 'ran'), 'utf8')).toBe('once\n');
  });

  test('does not make the machine one without a sandbox', async () => {
    const { sandbox, close } = await shaken('a socket goes', 1);
    const options = { platform: 'linux', env: process.env, scratch: join(base, 'scratch') } as const;
    expect(await probeSandbox(sandbox, options).finally(close)).toMatchObject({ available: true });
  });

  test('starts its agent all the same', async () => {
    const { sandbox, made, close } = await shaken('a socket goes', 1);
    const answer = { jsonrpc: '2.0', id: 1, result: { protocolVersion: 1 } };
    const script = `process.stdin.once('data', (d) => { const { id } = JSON.parse(d); console.log(JSON.stringify({ ...${JSON.stringify(answer)}, id })); })`;
    const program = { id: 'a', name: 'A', description: '', command: process.execPath, args: ['-e', script] };
    const clock = { now: () => 0, after: () => () => {}, defer: () => {} };
    const started = await AgentProcess.start({
      ...{
        program,
        cwd: work,
        confined: confined(),
        version: '0',
        launch: agentLauncher(process.env, sandbox),
      },
      clock: clock as never,
      times: { setup: 60_000 } as never,
    });
    if ('code' in started) throw new Error(started.message);
    await started.close();
    close();
    expect(made()).toBeGreaterThan(1);
  });
});
