// What every implementation of terminals promises the host, as one suite; it starts real programs.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Program, Pty, PtyEnd, Terminals } from '../../src/host/terminals/pty.ts';
import { survivors, pause } from '../kit/living.ts';

export interface Ran {
  readonly pty: Pty;
  /** What it has written so far. */
  text(): string;
  /** Resolves when the output holds a text; fails when the program ends without having said it. */
  said(words: string): Promise<void>;
  readonly end: Promise<PtyEnd>;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: { readonly [name: string]: string };
  readonly cols?: number;
  readonly rows?: number;
  readonly data?: (text: string) => void;
}

/** Opens a terminal for a test; a text is a command line. */
export async function run(
  terminals: Terminals,
  what: Program | string,
  options: RunOptions = {},
): Promise<Ran> {
  let text = '';
  let over = false;
  let heard = () => {};
  let end: (how: PtyEnd) => void = () => {};
  const ended = new Promise<PtyEnd>((resolve) => {
    end = resolve;
  });
  const pty = await terminals.open({
    program: typeof what === 'string' ? { kind: 'command', line: what } : what,
    cwd: options.cwd ?? '/',
    env: options.env ?? {},
    cols: options.cols ?? 80,
    rows: options.rows ?? 24,
    data(piece) {
      if (options.data) options.data(piece);
      else text += piece;
      heard();
    },
    exited(how) {
      over = true;
      heard();
      end(how);
    },
  });
  if ('problem' in pty) throw new Error(pty.message);
  const said = (words: string) =>
    new Promise<void>((resolve, reject) => {
      heard = () => {
        if (text.includes(words)) resolve();
        else if (over) reject(new Error(`ended without saying ${JSON.stringify(words)}: ${text}`));
      };
      heard();
    });
  return { pty, said, text: () => text, end: ended };
}

export function terminalsContract(
  name: string,
  make: (env: { readonly [name: string]: string | undefined }) => Terminals,
): void {
  describe(`${name} keeps the promises of terminals`, () => {
    let home = '';
    let terminals: Terminals;
    beforeEach(() => {
      home = realpathSync(mkdtempSync(join(tmpdir(), 'parley-terminals-')));
      terminals = make({ PATH: process.env['PATH'], HOME: home, SHELL: '/bin/sh', OPENAI_API_KEY: 'secret' });
    });
    afterEach(() => rmSync(home, { recursive: true, force: true }));

    ends('exit 7', { exitCode: 7 }, '');
    ends('kill -TERM $$', { signal: 'SIGTERM' }, '');
    ends('echo hi; echo ho >&2', { exitCode: 0 }, 'hi\r\nho\r\n');
    ends(
      'stty size; tty >/dev/null && [ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo yes',
      { exitCode: 0 },
      '24 80\r\nyes\r\n',
    );
    ends('echo "$OPENAI_API_KEY.$TERM.$HELLO"', { exitCode: 0 }, '.xterm-256color.world\r\n');
    ends(
      "printf '\\303'; sleep 0.1; printf '\\274'; sleep 0.1; printf '\\360\\237'; sleep " +
        "0.1; printf '\\216\\211'",
      { exitCode: 0 },
      'ü🎉',
    );
    ends('pwd', { exitCode: 0 }, () => `${home}\r\n`);
    ends('nowhere-to-be-found 2>/dev/null', { exitCode: 127 }, '');

    function ends(line: string, end: PtyEnd, output: string | (() => string)): void {
      test(`running ${line}`, async () => {
        const ran = await run(terminals, line, { cwd: home, env: { HELLO: 'world' } });
        expect(await ran.end).toEqual(end);
        expect(ran.text()).toBe(typeof output === 'string' ? output : output());
      });
    }

    test('a program gets its arguments as they are', async () => {
      const ran = await run(terminals, {
        kind: 'file',
        file: 'printf',
        args: ['%s|', 'a b', '$HOME', "it's", ''],
      });
      expect([await ran.end, ran.text()]).toEqual([{ exitCode: 0 }, "a b|$HOME|it's||"]);
    });

    test('what is typed is read, also keys', async () => {
      const ran = await run(
        terminals,
        'read -r line; echo "got $line"; stty -icanon -echo; echo ready; head -c 1 | od -An -c; echo ' +
          'now; exec sleep 300',
      );
      ran.pty.write('hello ü\r');
      await ran.said('ready');
      expect(ran.text()).toContain('got hello ü');
      ran.pty.write('\u0004');
      await ran.said('now');
      expect(ran.text()).toContain('004');
      ran.pty.write('\u0003');
      expect(await ran.end).toEqual({ signal: 'SIGINT' });
    });

    test('a new size is told to the program', async () => {
      const ran = await run(terminals, `trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done`, {
        cols: 100,
        rows: 30,
      });
      await ran.said('30 100');
      ran.pty.resize(132, 43);
      await ran.said('43 132');
      ran.pty.kill();
      await ran.end;
      ran.pty.resize(1, 1);
      expect(ran.pty.write('late')).toBe(false);
    });

    test('a directory that is not there, and a size that cannot be, are refused', async () => {
      const wish = {
        program: { kind: 'shell' },
        cwd: home,
        cols: 80,
        rows: 24,
        data: () => {},
        exited: () => {},
      } as const;
      for (const wrong of [{ cwd: join(home, 'nowhere') }, { cols: 0 }, { rows: 70_000 }, { cols: 1.5 }]) {
        expect(await terminals.open({ ...wish, ...wrong })).toMatchObject({ problem: 'failed' });
      }
    });

    test('a terminal ends with what is in its group, also with those that ignore it', async () => {
      const ran = await run(
        terminals,
        `trap '' HUP TERM INT; echo pid $$; sh -c 'trap "" HUP TERM; echo pid $$; while :; do sleep 1; ` +
          "done' & wait; sleep 300",
      );
      await ran.said('pid');
      await ran.said('\npid');
      const pids = [...ran.text().matchAll(/pid (\d+)/g)].map((match) => Number(match[1]));
      ran.pty.kill();
      ran.pty.kill();
      expect(await ran.end).toEqual({ signal: 'SIGKILL' });
      expect(await survivors(pids)).toEqual([]);
    });

    test('a program that does not read stops nobody', async () => {
      const ran = await run(
        terminals,
        'stty raw -echo; echo ready; until [ -e go ]; do sleep 0.05; done; head -c 300000 | wc -c',
        { cwd: home },
      );
      await ran.said('ready');
      expect(ran.pty.write('x'.repeat(300_000))).toBe(true);
      expect(ran.pty.write('x'.repeat(900_000))).toBe(false);
      writeFileSync(join(home, 'go'), '');
      await ran.said('300000');
    });

    test('a paused program waits, and nothing is lost', async () => {
      let size = 0;
      const ran = await run(terminals, 'head -c 3000000 /dev/zero | tr "\\0" x; sleep 1', {
        data: (text) => (size += text.length),
      });
      ran.pty.pause();
      await pause(300);
      const paused = size;
      await pause(200);
      expect(size).toBe(paused);
      expect(size).toBeLessThan(2_000_000);
      ran.pty.resume();
      await ran.end;
      expect(size).toBe(3_000_000);
    });
  });
}
