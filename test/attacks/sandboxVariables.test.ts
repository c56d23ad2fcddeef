// Variables that an agent chooses for a command: the loader and shells obey them, and those around the
// sandbox must not. With the real bubblewrap.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pipedPrograms } from '../../src/io/processes/pipedPrograms.ts';
import { processes } from '../../src/io/processes/shellCommands.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/io/sandbox/sandbox.ts';
import { visibleBase } from '../kit/parley.ts';

const own = { PATH: '/usr/bin:/bin' };
let base: string;
let sandbox: Sandbox;

beforeEach(() => {
  base = mkdtempSync(join(visibleBase(), 'parley-variables-'));
  for (const folder of ['w', 'outside']) mkdirSync(join(base, folder));
  sandbox = openSandbox({ env: own, directory: join(base, 'box'), own: [], home: join(base, 'home') });
});
afterEach(() => {
  sandbox.close();
  rmSync(base, { recursive: true, force: true });
});

type Start = (cwd: string, env: { readonly [name: string]: string }) => Promise<string>;

const script = 'echo "at work: $LD_DEBUG $PLAIN"';

const starts: readonly [string, Start][] = [
  [
    'a program of an agent',
    async (cwd, env) => {
      let text = '';
      const { ended } = pipedPrograms({ env: own, sandbox }).start({
        ...{ command: '/bin/sh', args: ['-c', script], cwd, env, confined: confined(cwd) },
        output: (piece) => (text += piece),
      });
      await ended;
      return text;
    },
  ],
  [
    'a line for a shell',
    async (cwd, env) => {
      let text = '';
      await processes({ env: own, sandbox }).run({
        ...{ command: script, cwd, env, confined: confined(cwd), timeout: 100_000 },
        signal: new AbortController().signal,
        output: (_, piece) => (text += piece),
      });
      return text;
    },
  ],
  [
    'a terminal',
    async (cwd, env) => {
      let text = '';
      await new Promise<unknown>((resolve, reject) => {
        const opening = terminals({ env: own, sandbox }).open({
          ...{
            program: { kind: 'file', file: '/bin/sh', args: ['-c', script] },
            cwd,
            env,
            cols: 200,
            rows: 20,
          },
          confined: confined(cwd),
          data: (piece) => (text += piece),
          exited: resolve,
        });
        void opening.then((opened) => 'problem' in opened && reject(new Error(opened.message)), reject);
      });
      return text;
    },
  ],
];

function confined(cwd: string) {
  return { write: [cwd], network: 'off', scratch: 'attack' } as const;
}

test.runIf(process.platform === 'linux').each(starts)(
  'the variables of %s act inside the sandbox alone',
  async (_, start) => {
    // The loader of every program that has these writes a file there.
    const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(base, 'outside', 'trace'), PLAIN: 'too' };
    expect(await start(join(base, 'w'), env)).toContain('at work: files too');
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  },
);
