import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { visibleBase } from '../../../test/kit/parley.ts';
import type { Confinement } from '../../host/ports.ts';
import { sentWords } from '../sandbox/relay.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { processes } from './shellCommands.ts';

let base: string;
let root: string;
let home: string;
let sandbox: Sandbox;
/** The first words of what was confined: a shell, or a program that waits for words. */
let confined: string[];

beforeEach(() => {
  base = mkdtempSync(join(visibleBase(), 'parley-spare-'));
  [root, home] = [join(base, 'work'), join(base, 'home')];
  mkdirSync(join(root, '.git'), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(root, '.git/config'), '');
  confined = [];
  sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [], home });
});

afterEach(() => {
  sandbox.close();
  rmSync(base, { recursive: true, force: true });
});

const isNew = () => confined.filter((word) => !word.endsWith('perl')).length;
const isReady = () => confined.filter((word) => word.endsWith('perl')).length;

interface More {
  readonly X?: string;
  readonly input?: string;
}

function shells() {
  const counted: typeof sandbox.confine = (words, ...rest) => {
    confined.push(words[0] ?? '');
    return sandbox.confine(words, ...rest);
  };
  const commands = processes({ sandbox: { ...sandbox, confine: counted } });
  return async (command: string, more: Partial<Confinement> & More = {}) => {
    const { X = '', input, ...policy } = more;
    let said = '';
    const before = isReady();
    const end = await commands.run({
      command,
      cwd: root,
      env: { X },
      ...(input === undefined ? {} : { input }),
      timeout: 60_000,
      signal: new AbortController().signal,
      output: (_, text) => void (said += text),
      confined: { write: [root], network: 'off', scratch: 's', ...policy },
    });
    await expect.poll(isReady).toBeGreaterThanOrEqual(before);
    return { said, code: end.kind === 'exited' ? end.code : end };
  };
}

describe.runIf(process.platform === 'linux')('a sandbox that is ready', () => {
  test('runs the next command as a new one would', async () => {
    const run = shells();
    await run('true');
    await expect.poll(isReady).toBe(1);
    const said = 'printf "%s|" "a  b" "" "ä\n"; echo "$0 $X $#"; pwd; echo no >&2; exit 7';
    const second = await run(said);
    expect(isNew()).toBe(1);
    expect(second).toEqual({
      code: 7,
      said: expect.stringContaining(`a  b||ä\n|/bin/bash  0\n${root}\n`) as string,
    });
    expect(second.said).toContain('no\n');
  });

  test('has the variables of the command that uses it, and none before', async () => {
    const run = shells();
    await run('true', { X: 'first' });
    await expect.poll(isReady).toBe(1);
    const names = 'tr "\\0" "\\n" </proc/1/environ | cut -d= -f1 | sort';
    const { said } = await run(`echo "$X $TMPDIR"; ${names}`, { X: 'a=b\nc' });
    expect(isNew()).toBe(1);
    // Shells set some of their own.
    expect(said).toMatch(/^a=b\nc \/tmp\n(?:(?:PARLEY_CALL|PWD|SHLVL|OLDPWD|_)\n)+$/);
  });

  test('is not used for a command with an input', async () => {
    const run = shells();
    await run('true');
    await expect.poll(isReady).toBe(1);
    expect(await run('cat', { input: 'read' })).toEqual({ code: 0, said: 'read' });
  });

  test.each([
    ['another temporary folder', () => ({ scratch: 't' })],
    ['another network', () => ({ network: 'on' as const })],
    ['a secret that has appeared', () => mkdirSync(join(home, '.ssh'))],
    ['a guarded file that has appeared', () => writeFileSync(join(root, 'AGENTS.md'), '')],
    ['a guard that somebody removed', () => rmSync(join(root, '.claude'), { recursive: true })],
    ['a guarded file that was replaced', () => replace(join(root, '.git/config'))],
    ['a folder that was replaced', () => replaceFolder(join(root, '.git'))],
  ])('is not used with %s', async (_, change) => {
    const run = shells();
    await run('true');
    await expect.poll(isReady).toBe(1);
    const changed = change();
    const more = typeof changed === 'object' ? changed : {};
    const attempt =
      'echo x >> .git/config; mkdir -p .claude/a; echo x >> AGENTS.md; cat ../home/.ssh/*; ls ../home/.ssh';
    await run(attempt, more);
    expect(isNew()).toBe(2);
    expect(readdirSync(join(root, '.claude'))).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('is not used after a drive was mounted', async () => {
    const run = shells();
    await run('true');
    await expect.poll(isReady).toBe(1);
    const drive = join(base, 'drive');
    mkdirSync(drive);
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', drive]);
    try {
      await run(`echo evil > ${drive}/f`);
      expect([isNew(), readdirSync(drive)]).toEqual([2, []]);
    } finally {
      execFileSync('umount', [drive]);
    }
  });

  test('asks the command that uses it about names', async () => {
    const run = shells();
    const asked: string[] = [];
    const reach = (who: string) => (target: { readonly name: string }) => {
      asked.push(`${who} ${target.name}`);
      return Promise.resolve({ allowed: false, reason: 'no' } as const);
    };
    await run('true', { network: 'ask', reach: reach('first') });
    await expect.poll(isReady).toBe(1);
    const stopped: string[] = [];
    const connect =
      'exec 5<>/dev/tcp/127.0.0.1/3128; printf "CONNECT %s:443 HTTP/1.1\r\n\r\n" a.example >&5; cat <&5';
    const more = {
      network: 'ask',
      reach: reach('second'),
      stopped: (what: string) => void stopped.push(what),
    } as const;
    expect((await run(connect, more)).said).toContain('403');
    expect([isNew(), asked]).toEqual([1, ['second a.example']]);
    expect(stopped.join()).toContain('a.example');
  });

  test('leaves nothing when it is closed', async () => {
    const run = shells();
    await run('true');
    await expect.poll(isReady).toBe(1);
    expect(readdirSync(root)).toContain('.claude');
    sandbox.close();
    expect(readdirSync(root)).toEqual(['.git']);
    await run('true');
    expect(isReady()).toBe(1);
  });
});

test('words that do not arrive whole are told by their count', () => {
  expect(sentWords(['sh', '-c', ''], ['A=1'])).toBe('4\x001\0A=1\0sh\0-c\0\0');
});

function replace(path: string): void {
  writeFileSync(`${path}.new`, '');
  renameSync(`${path}.new`, path);
}

function replaceFolder(path: string): void {
  renameSync(path, `${path}.old`);
  mkdirSync(path);
  writeFileSync(join(path, 'config'), '');
  rmSync(`${path}.old`, { recursive: true });
}
