// What agents do all day works inside the sandbox: small projects of several languages, with no or one
// question about the network each, and a hundred typical commands.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Confinement } from '../../src/host/ports.ts';
import { judge } from '../../src/host/policy/policy.ts';
import { childEnvironment } from '../../src/io/processes/environment.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import { confineIf } from '../../src/io/sandbox/confineIf.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/io/sandbox/sandbox.ts';
import { begunProgram } from '../kit/begunProgram.ts';
import { visibleBase } from '../kit/parley.ts';
import { typicalCommands } from './typicalCommands.ts';

describe.runIf(process.platform === 'linux')('inside the sandbox', () => {
  let base: string;
  let work: string;
  let sandbox: Sandbox;
  const asked: string[] = [];

  beforeAll(() => {
    base = mkdtempSync(join(visibleBase(), 'parley-work-'));
    work = join(base, 'work');
    for (const [path, text] of Object.entries(project)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      writeFileSync(join(work, path), text);
    }
    const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: work });
    git('init', '-q');
    git('config', 'user.email', 'a@example.com');
    git('config', 'user.name', 'a');
    sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test('npm installs and tests', { timeout: 120_000 }, async () => {
    expect(await run('npm ci --no-audit --no-fund --offline')).toMatchObject({ code: 0 });
    expect(existsSync(join(work, 'node_modules', 'dep', 'index.js'))).toBe(true);
    expect(await run('npm test')).toMatchObject({ code: 0, asked: [] });
  });

  test('npm asks for the name of its registry, once', { timeout: 120_000 }, async () => {
    const ran = await run('npm view left-pad --fetch-retries=0 --registry=https://packages.example/');
    expect(ran).toMatchObject({ asked: ['packages.example'] });
    expect(ran.code).not.toBe(0);
  });

  test('git commits', async () => {
    expect(await run('git add -A . && git commit -qm one && git log --format=%s')).toMatchObject({
      code: 0,
      said: expect.stringContaining('one') as string,
      asked: [],
    });
  });

  test.runIf(works('pytest'))('pytest tests', { timeout: 120_000 }, async () => {
    expect(await run('pytest -q test_one.py')).toMatchObject({ code: 0, asked: [] });
  });

  test.runIf(works('cargo'))('cargo builds', { timeout: 240_000 }, async () => {
    expect(await run('cargo build --offline && ./target/debug/x')).toMatchObject({ code: 0, asked: [] });
  });

  test.runIf(works('go'))('go tests', { timeout: 240_000 }, async () => {
    expect(await run('GOCACHE=/tmp/go GOFLAGS=-mod=mod go test ./...')).toMatchObject({ code: 0, asked: [] });
  });

  /** Runs a line; nobody allows a name. */
  async function run(line: string) {
    asked.length = 0;
    const confinement: Confinement = {
      write: [work],
      network: 'ask',
      scratch: 'work',
      reach: ({ name }) => {
        if (!asked.includes(name)) asked.push(name);
        return Promise.resolve({ allowed: false, reason: 'no' });
      },
    };
    const wish = { cwd: work, confined: confinement, env: childEnvironment(process.env) };
    const begin = () => confineIf(['/bin/bash', '-c', line], wish, sandbox);
    const { code, said } = await begunProgram(begin, async ({ words: [command = '', ...words], env }) => {
      const child = spawn(command, words, { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let heard = '';
      for (const pipe of [child.stdout, child.stderr])
        pipe.setEncoding('utf8').on('data', (text: string) => (heard += text));
      const ended = await new Promise<number | null>((resolve) => {
        child.once('close', resolve);
      });
      return { code: ended, said: heard };
    });
    return { code, said, asked: [...asked] };
  }
});

function works(program: string): boolean {
  return spawnSync(program, [program === 'go' ? 'version' : '--version']).status === 0;
}

const project: { readonly [path: string]: string } = {
  'package.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    scripts: { test: 'node --test' },
    dependencies: { dep: 'file:dep' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'x',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { name: 'x', version: '1.0.0', dependencies: { dep: 'file:dep' } },
      dep: { version: '1.0.0' },
      'node_modules/dep': { resolved: 'dep', link: true },
    },
  }),
  'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', main: 'index.js' }),
  'dep/index.js': 'module.exports = 1;\n',
  'one.test.js': "require('node:test').test('one', () => require('node:assert').equal(require('dep'), 1));\n",
  'test_one.py': 'def test_one():\n    assert 1 + 1 == 2\n',
  'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/main.rs': 'fn main() { println!("hi"); }\n',
  'go.mod': 'module x\n\ngo 1.20\n',
  'one_test.go': 'package x\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {}\n',
  '.gitignore': 'node_modules\ntarget\n',
};

test('a hundred typical commands need at most ten answers in auto', () => {
  expect(typicalCommands).toHaveLength(100);
  const counted = typicalCommands.map(({ line, names = [] }) => {
    const parsed = parseCommand(line);
    const intent = {
      name: 'shell_command',
      toolKind: 'execute',
      input: {},
      paths: ['/w'],
      command: line,
      line: parsed,
      sandbox: {},
    } as const;
    const effect = (autonomy: 'ask' | 'auto') =>
      judge(intent, { roots: ['/w'], rules: [], autonomy, home: '/home/u' }).effect;
    return { line, names, before: effect('ask'), after: effect('auto') };
  });
  const before = counted.filter((each) => each.before === 'ask').length;
  const commands = counted.filter((each) => each.after === 'ask').map(({ line }) => line);
  // Each name is allowed for the session.
  const names = new Set(counted.flatMap((each) => each.names));
  expect(before).toBe(100);
  expect(commands).toEqual(['cat .env']);
  // The documentation names the number; more than ten would be too many.
  expect(commands.length + names.size).toBe(7);
});
