// Variables that an agent chooses for a command: the loader and shells obey them, and those around the
// sandbox must not. With the real bubblewrap.
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { projectFiles } from '../../src/io/files/fileCompletion.ts';
import { runGit } from '../../src/io/git/runGit.ts';
import { openBrowser } from '../../src/io/processes/openBrowser.ts';
import { pipedPrograms } from '../../src/io/processes/pipedPrograms.ts';
import { processes } from '../../src/io/processes/shellCommands.ts';
import { terminals } from '../../src/io/pty/pty.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';
import { waitingWords } from '../../src/io/sandbox/relay.ts';
import type { Sandbox } from '../../src/io/sandbox/sandbox.ts';
import { visibleBase } from '../kit/parley.ts';
import { eventually } from '../kit/patience.ts';

const usual = { PATH: '/usr/bin:/bin' };
let base: string;
let sandbox: Sandbox;

beforeEach(() => {
  base = mkdtempSync(join(visibleBase(), 'parley-variables-'));
  for (const folder of ['w', 'outside']) mkdirSync(join(base, folder));
  sandbox = openSandbox({ env: usual, directory: join(base, 'box'), own: [], home: join(base, 'home') });
});
afterEach(() => {
  sandbox.close();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

type Variables = { readonly [name: string]: string };
type Start = (cwd: string, env: Variables, own?: Variables) => Promise<string>;

/** It waits where there is a pipe of this name. */
const script = 'echo "at work: $LD_DEBUG $PLAIN"; if [ -p gate ]; then read -r _ <gate; fi';

const starts: readonly [string, Start][] = [
  [
    'a program of an agent',
    async (cwd, env, own = usual) => {
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
    async (cwd, env, own = usual) => {
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
    async (cwd, env, own = usual) => {
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

/** The programs with a variable in their environment: whether each is outside all sandboxes. */
function holdersOf(variable: string): readonly boolean[] {
  const ours = readlinkSync('/proc/self/ns/pid');
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const isHolder = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(variable);
      return isHolder ? [readlinkSync(`/proc/${pid}/ns/pid`) === ours] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === 'linux').each(starts)(
  'no program around the sandbox has a variable of %s under its name',
  async (_, start) => {
    const gate = join(base, 'w', 'gate');
    execFileSync('mkfifo', [gate]);
    const env = { WHATEVER_IT_IS: base, PLAIN: 'too' };
    const ending = start(join(base, 'w'), env, { ...usual, LANG: 'C' });
    await expect.poll(() => holdersOf(`WHATEVER_IT_IS=${base}`)).toContain(false);
    expect(holdersOf(`WHATEVER_IT_IS=${base}`)).not.toContain(true);
    writeFileSync(gate, '\n');
    expect(await ending).toContain('at work:  too');
  },
);

test.runIf(process.platform === 'linux').each(starts)(
  'a variable of %s with a zero character starts nothing',
  async (_, start) => {
    const said = start(join(base, 'w'), { PLAIN: 'a\0b' }).catch(String);
    expect(await said).not.toContain('at work');
    expect(readdirSync(join(base, 'w'))).toEqual([]);
  },
);

test.runIf(process.platform === 'linux').each(starts)(
  'a variable of %s that no system passes on starts nothing and leaves nothing behind',
  async (_, start) => {
    const said = start(join(base, 'w'), { PLAIN: 'x'.repeat(200_000) }).catch(String);
    expect(await said).not.toContain('at work');
    expect(readdirSync(join(base, 'w'))).toEqual([]);
  },
);

/** Nothing says when the program has ended: as long as it runs, the link is one of its words. */
async function openedBrowser(): Promise<void> {
  const link = `http://127.0.0.1:9${base}`;
  openBrowser(link);
  const words = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    } catch {
      return '';
    }
  };
  await expect.poll(() => readdirSync('/proc').some((pid) => words(pid).includes(link))).toBe(false);
}

/** Programs of these names in a folder of the workspace, which leave a file outside. */
function plant(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const text = `#!/bin/sh\necho "$0" >>'${join(base, 'outside', 'ran')}'\n`;
  const names = 'git xdg-open kde-open kde-open5 kfmclient stty grep cut sh bash perl env bwrap node';
  for (const name of names.split(' ')) writeFileSync(join(folder, name), text, { mode: 0o755 });
}

test.runIf(process.platform === 'linux').each(starts)(
  'a variable of %s whose name holds the value of another one acts inside alone',
  async (_, start) => {
    plant(join(base, 'w', 'bin'));
    const env = { [`PATH=${join(base, 'w', 'bin')}:/bin`]: '', PLAIN: 'too' };
    expect(await start(join(base, 'w'), env)).toContain('at work:  too');
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  },
);

test.runIf(process.platform === 'linux').each(starts)(
  'a folder of the workspace on the PATH, as npm and virtual environments add it, serves %s inside alone',
  async (_, start) => {
    plant(join(base, 'w', 'bin'));
    for (const folder of [join(base, 'w', 'bin'), './bin'])
      expect(await start(join(base, 'w'), {}, { PATH: `${folder}:${usual.PATH}` })).toContain('at work:');
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')('our own git is not one of the workspace', async () => {
  plant(join(base, 'w', 'bin'));
  for (const folder of [join(base, 'w', 'bin'), './bin']) {
    vi.stubEnv('PATH', `${folder}:${usual.PATH}`);
    expect(await runGit(['--version'], { root: join(base, 'w') })).toMatchObject({ code: 0 });
    await projectFiles(join(base, 'w'));
    vi.stubEnv('DISPLAY', ':0');
    vi.stubEnv('BROWSER', '');
    // It then looks for a program that few systems have.
    vi.stubEnv('XDG_CURRENT_DESKTOP', 'KDE');
    vi.stubEnv('KDE_SESSION_VERSION', '5');
    await openedBrowser();
  }
  expect(readdirSync(join(base, 'outside'))).toEqual([]);
});

/** Runs with nothing where the system has its own bubblewrap. */
function withoutBubblewrap(words: readonly string[], env: Variables): string {
  const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', '/usr/bin/bwrap', '--', ...words];
  return execFileSync('/usr/bin/bwrap', hidden, { env: { ...env, HOME: base }, encoding: 'utf8' });
}

test.runIf(process.platform === 'linux')(
  'a bubblewrap that a confined program left on the PATH is not run, and doctor says so',
  () => {
    const bin = join(base, 'w', 'bin');
    plant(bin);
    const env = { PATH: `${usual.PATH}:${bin}`, PARLEY_HOME: join(base, 'data') };
    const said = withoutBubblewrap([process.execPath, join('bin', 'parley.js'), 'doctor'], env);
    expect(said).toContain(`Parley does not run ${bin}/bwrap: a confined program might have written it.`);
    expect(readdirSync(join(base, 'outside'))).toEqual([]);
  },
);

/** Whether a sandbox of this folder has a program that waits for the words of a command. */
function isWaitingIn(folder: string): boolean {
  const words = waitingWords()?.join('\0');
  return readdirSync('/proc').some((pid) => {
    try {
      const isWaiting = readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${words}\0`;
      return isWaiting && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

test.runIf(process.platform === 'linux')('a sandbox that waits for the next command has none', async () => {
  const env = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(base, 'outside', 'trace') };
  await starts[1]?.[1](join(base, 'w'), env);
  // The programs around it have all been started by then.
  await eventually(() => isWaitingIn(join(base, 'w')), 'a sandbox for the next command');
  expect(holdersOf(`LD_DEBUG_OUTPUT=${env.LD_DEBUG_OUTPUT}`)).toEqual([]);
  expect(readdirSync(join(base, 'outside'))).toEqual([]);
});
