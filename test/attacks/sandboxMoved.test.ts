// Attacks on the sandbox in several commands: what one of them moves or creates must not open a way for the
// next one, for git outside, or for a second process. With the real bubblewrap.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasNotBegun, mostAttempts } from '../../src/rpc/processes/beginning.ts';
import { checkedWords, pinsOf } from '../../src/io/sandbox/mountCheck.ts';
import { openSandbox } from '../../src/io/sandbox/sandbox.ts';
import type { SandboxOptions } from '../../src/io/sandbox/sandbox.ts';
import { visibleBase } from '../kit/parley.ts';
import { nobody, withoutCheck } from '../kit/sandboxRig.ts';

const secret = 'SECRET-7c2e';
let base: string;

beforeEach(() => {
  base = mkdtempSync(join(visibleBase(), 'parley-moved-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (path: string) => join(base, path);

function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}

function git(folder: string, ...args: readonly string[]): string {
  const env = { PATH: '/usr/bin:/bin', HOME: at('home') };
  return spawnSync('git', args, { cwd: at(folder), env, encoding: 'utf8' }).stdout.trim();
}

interface Attempt extends Pick<SandboxOptions, 'settings' | 'program'> {
  /** The workspace folders; the first one is the working directory. */
  readonly write: readonly string[];
  /** Changes the words that start the sandbox. */
  readonly edit?: (words: readonly string[]) => readonly string[];
}

/** Runs commands one after another, each in a sandbox of its own, and gives all that they print. */
function run(
  { write: folders, edit = (words) => words, ...options }: Attempt,
  ...scripts: readonly string[]
): string {
  const write = folders.map(at);
  const [cwd = base] = write;
  const runOne = (script: string, attempts = mostAttempts): string => {
    const env = { PATH: '/usr/bin:/bin' };
    const sandbox = openSandbox({ env, directory: at('box'), own: [], home: at('home'), ...options });
    const confined = sandbox.confine(['/bin/bash', '-c', script], cwd, {
      write,
      network: 'off',
      scratch: 'attack',
    });
    if ('refused' in confined) throw new Error(confined.refused);
    const [program = '', ...words] = edit(confined.words);
    const ran = spawnSync(program, words, { cwd, env: { ...env, HOME: at('home') }, encoding: 'utf8' });
    confined.release();
    sandbox.close();
    // A test beside this one may have closed a socket.
    const isAgain = attempts > 1 && hasNotBegun(confined);
    return isAgain ? runOne(script, attempts - 1) : `${ran.stdout}${ran.stderr}`;
  };
  return scripts.map((script) => runOne(script)).join('\n');
}

function withoutBind(words: readonly string[], path: string): readonly string[] {
  const start = words.findIndex((word, index) => word === '--ro-bind' && words[index + 2] === path);
  return start < 0 ? words : words.toSpliced(start, 3);
}

describe.runIf(process.platform === 'linux')('nobody', () => {
  test.each([
    ['that lies in the first', ['w', 'w/packages/a']],
    ['in which the first lies', ['w/packages/a', 'w']],
  ])('moves a second folder of the workspace %s', (_, write) => {
    put('w/packages/a/f', '');
    put('outside/kept', '');
    const swap = `cd ${at('w')}; mv packages/a packages/b; mv packages p; mkdir -p packages; ln -s ${at('outside')} packages/a`;
    const said = run({ write }, swap, `echo x > ${at('w/packages/a/new')} && echo written`);
    expect([
      said.includes('written'),
      existsSync(at('w/packages/a/new')),
      existsSync(at('outside/new')),
    ]).toEqual([true, true, false]);
  });

  test('moves the folder above a hidden one, in a workspace that is the home directory', () => {
    put('home/.local/share/keyrings/k', secret);
    put('home/.m2/settings.xml', secret);
    put('home/.config/gh/hosts.yml', secret);
    const move = 'for f in .local/share .m2 .config .local; do mv $f moved-$(basename $f); done';
    expect(run({ write: ['home'] }, move, 'grep -rs SECRET . | head')).not.toContain(secret);
  });

  test.each([
    ['a guarded file', 'w/AGENTS.md', 'home/.ssh/id_rsa'],
    ['a folder with guards', 'w/.github', 'home/.ssh'],
    ['a workspace', 'w', 'home/.ssh'],
  ])('puts a link to a secret in the place of %s while the sandbox is made', (_, path, target) => {
    put('home/.ssh/id_rsa', secret);
    put('home/.ssh/.github/workflows/x', '');
    put('home/.ssh/workflows/x', '');
    put('home/.ssh/AGENTS.md', '');
    put('w/AGENTS.md', '');
    put('w/.github/workflows/ci.yml', '');
    const script = `cat ${at('w')}/AGENTS.md ${at('w')}/id_rsa ${at('w')}/.github/id_rsa; echo ran`;
    // Bubblewrap follows links when it starts, and mounts later: the file can be back by then.
    const linked = (words: readonly string[]) =>
      words.map((word, index) =>
        /^--(?:ro-)?bind$/.test(words[index - 1] ?? '') && word === at(path) ? at(target) : word,
      );
    const said = run({ write: ['w'], edit: linked }, script);
    expect([said.includes(secret), said.includes('ran')]).toEqual([false, false]);
    expect(said).toContain('was changed while the sandbox was made');
    // Without the look at what is mounted somebody reads it.
    expect(run({ write: ['w'], edit: (words) => withoutCheck(linked(words)) }, script)).toContain(secret);
  });

  test('brings a guarded file back after a mount elsewhere', () => {
    put('w/AGENTS.md', '');
    const pins = pinsOf([at('w/AGENTS.md')]);
    if ('refused' in pins) throw new Error(pins.refused);
    const [program = '', ...words] = checkedWords(pins, ['/bin/echo', 'ran']);
    const { status, stdout } = spawnSync(program, words, { encoding: 'utf8' });
    expect([status, stdout]).toEqual([126, '']);
  });

  test('moves the folder above what the settings hide', () => {
    put('w/conf/deep/keys/k', secret);
    const settings = () => ({ hide: [at('w/conf/deep/keys')] });
    const said = run({ write: ['w'], settings }, 'mv conf/deep d; mv conf c', 'grep -rs SECRET .; ls');
    expect(said).not.toContain(secret);
    expect(said).toContain('conf');
  });

  test('reads what the settings hide in every workspace', () => {
    put('w/.env', secret);
    put('w/conf/keys/k', secret);
    put('w/src/.env', 'of another folder');
    const settings = () => ({ hide: ['.env', 'conf/keys'] });
    const ways =
      'find . -name ".e*" | xargs cat; cat "$PWD"/.en* conf/*/*; python3 -c "print(open(\'.env\').read())"';
    const said = run(
      { write: ['w'], settings },
      `${ways}; mv .env e; cat e; cp -r . ../c; grep -rs SECRET .`,
    );
    expect(said).not.toContain(secret);
    expect(said).toContain('of another folder');
  });

  test.each([
    ['changes', true],
    ['but with a sandbox that does not know it changes', false],
  ])('%s the program that runs Parley, in the packages of the workspace', (_, isKnown) => {
    put('w/node_modules/parley/dist/parley.cjs', 'ours');
    const program = isKnown ? [at('w/node_modules/parley/dist'), at('missing')] : [];
    const change = 'echo evil > dist/parley.cjs; mv dist d; cd ..; mv parley p; mkdir -p parley/dist';
    const said = run(
      { write: ['w'], program },
      `cd node_modules/parley; ${change}; echo evil > parley/dist/parley.cjs; cd ..; rm -r node_modules; echo ran`,
    );
    const file = at('w/node_modules/parley/dist/parley.cjs');
    expect([said.includes('ran'), existsSync(file) && readFileSync(file, 'utf8') === 'ours']).toEqual([
      true,
      isKnown,
    ]);
  });

  test.each([
    ['count', () => git('w', 'config', 'extensions.worktreeConfig', 'true'), () => {}],
    // The user's own command turns them on.
    ['may count later', () => {}, () => git('w', 'sparse-checkout', 'init')],
  ])('creates the settings of a work tree where they %s', (_, before, after) => {
    mkdirSync(at('w'));
    git('w', 'init', '-q');
    before();
    const evil = String.raw`printf "[core]\nfsmonitor = evil\n" > .git/config.worktree`;
    const said = run(
      { write: ['w'] },
      `rm -f .git/config.worktree; ${evil}; git status --short && echo works`,
    );
    expect(existsSync(at('w/.git/config.worktree'))).toBe(false);
    after();
    expect([git('w', 'config', 'core.fsmonitor'), said.includes('works')]).toEqual(['', true]);
    rmSync(at('w/.git/config.worktree'), { force: true });
    // Without the empty file over them somebody does.
    const uncovered = (words: readonly string[]) => withoutBind(words, at('w/.git/config.worktree'));
    run({ write: ['w'], edit: uncovered }, `rm -f .git/config.worktree; ${evil}`);
    expect(git('w', 'config', 'core.fsmonitor')).toBe('evil');
  });

  test('creates the settings of a linked work tree where they count', () => {
    put('main/f', '');
    git('main', 'init', '-q');
    git('main', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('main', 'config', 'extensions.worktreeConfig', 'true');
    git('main', 'worktree', 'add', '-q', at('w'));
    const own = at('main/.git/worktrees/w/config.worktree');
    run({ write: ['w'] }, `rm -f ${own}; echo "[core] fsmonitor = evil" > ${own}`);
    expect(git('w', 'config', 'core.fsmonitor')).toBe('');
  });

  test.each([
    ['in a folder without one', () => {}],
    ['that takes the place of a spoiled one', () => git('w', 'init', '-q')],
    ['in a folder of a repository', () => git('.', 'init', '-q')],
    [
      'in one with folders of these names',
      () => {
        git('w', 'init', '-q');
        put('w/refs/f', '');
      },
    ],
    ['in a whole one that has no work tree of its own', () => git('w', 'init', '-q', '--bare')],
    [
      'in one to which a file of the workspace leads',
      () => git('w', 'init', '-q', '--separate-git-dir', at('w/.bare')),
    ],
  ])('makes a repository whose settings name a program %s', (_, layOut) => {
    mkdirSync(at('w'));
    layOut();
    const plant = String.raw`mkdir -p $d/objects $d/refs; echo "ref: refs/heads/x" > $d/HEAD; printf "[core]\nbare = false\nworktree = .\nfsmonitor = evil\n" > $d/config`;
    run({ write: ['w'] }, `rm -rf .git; for d in . .bare; do ${plant}; done`);
    expect(git('w', 'config', 'core.fsmonitor')).toBe('');
  });

  test.each(['remotes', 'branches'])('leads a push of git to a repository of its own by %s', (name) => {
    mkdirSync(at('w'));
    git('w', 'init', '-q');
    rmSync(at('w/.git/branches'), { recursive: true, force: true });
    const hook = String.raw`printf "#!/bin/sh\ntouch ${at('outside')}\n" > evil/hooks/pre-receive; chmod +x evil/hooks/pre-receive`;
    const url = name === 'remotes' ? 'URL: $PWD/evil' : '$PWD/evil';
    const lead = `mkdir -p .git/${name}; echo "${url}" > .git/${name}/origin`;
    run({ write: ['w'] }, `git init -q --bare evil; ${hook}; ${lead}`);
    git('w', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('w', 'push', 'origin', 'HEAD:refs/heads/x');
    expect([existsSync(at('w/evil/HEAD')), existsSync(at('outside'))]).toEqual([true, false]);
  });

  test('keeps git from knowing which commit is meant, by what lies in a repository meanwhile', () => {
    mkdirSync(at('w'));
    git('w', 'init', '-q');
    git('w', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'x');
    expect(run({ write: ['w'] }, 'git diff HEAD && git status --short && echo works')).toBe('works\n');
  });

  test.each([
    ['an included file has named', '.git/config', '[include]\n\tpath = ../.shared\n'],
    ['the user has named', '../home/.gitconfig', '[core]\n\thooksPath = tools/hooks\n'],
    ['a file that the user includes has named', '../home/.gitconfig', '[include]\n\tpath = ~/more\n'],
  ])('writes a hook where %s them', (_, file, text) => {
    put('w/tools/hooks/pre-commit', '#!/bin/sh\n');
    put('w/.shared', '[core]\n\thooksPath = tools/hooks\n');
    put('home/more', '[core]\n\thooksPath = "tools/hooks" ; ours\n');
    git('w', 'init', '-q');
    writeFileSync(at(join('w', file)), text, { flag: 'a' });
    run(
      { write: ['w'] },
      'echo evil >> tools/hooks/pre-commit; mv tools t; mkdir -p tools/hooks; echo evil > tools/hooks/a',
    );
    expect(readFileSync(at('w/tools/hooks/pre-commit'), 'utf8')).toBe('#!/bin/sh\n');
    expect(existsSync(at('w/tools/hooks/a'))).toBe(false);
  });

  test.each([
    ['opens the memory of a helper outside', 'for p in /proc/[0-9]*; do cat $p/cmdline; done | tr "\\0" " "'],
    ['has variables of ours', 'env'],
    ['keeps a descriptor of ours', 'ls -l /proc/self/fd'],
  ])('%s', (_, script) => {
    mkdirSync(at('w'));
    process.env['PARLEY_HOME'] = secret;
    try {
      // The words of bubblewrap name the sockets of other programs on the machine, which it hides.
      const said = run({ write: ['w'] }, script).replaceAll(
        /--ro-bind \S+ (\S+\.sock)(?!\S)/g,
        (words, path: string) => (path.startsWith(base) ? words : ''),
      );
      expect(said).not.toMatch(/SECRET|vitest|filter\.bpf|\.sock/);
    } finally {
      delete process.env['PARLEY_HOME'];
    }
  });

  test.each([
    ['that a program made under a relative name', 'w', 'agent'],
    ['of the workspace if that holds the home directory', '', 'agent'],
    ['that has another name since it was made', 'w', './made'],
    ['that has another name since it was made under a whole one', 'w', '/made'],
  ])('connects to a socket %s', async (_, write, made) => {
    mkdirSync(at('w'));
    mkdirSync(at('home'), { recursive: true });
    const name = made.startsWith('/') ? at(made) : made;
    const ready = `require('node:fs').renameSync('${name}', 'agent'); console.log(1)`;
    const listen = `require('node:net').createServer((c) => c.end('${secret}')).listen('${name}', () => { ${ready} })`;
    const agent = spawn(process.execPath, ['-e', listen], { cwd: base, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(agent.stdout, 'data');
    try {
      const connect = `require('node:net').connect('${at('agent')}').on('error', console.log).pipe(process.stdout)`;
      const said = run({ write: [write] }, `${process.execPath} -e "${connect}"`);
      expect([said.includes(secret), said.includes('connect E')]).toEqual([false, true]);
    } finally {
      agent.kill();
    }
  });

  test('connects to a socket that is opened later, in a folder that has nothing but sockets', async () => {
    mkdirSync(at('w'));
    mkdirSync(at('agents'));
    const first = createServer().listen(at('agents/first'));
    await once(first, 'listening');
    const second = createServer().listen(at('agents/second'));
    await once(second, 'listening');
    renameSync(at('agents/second'), at('second'));
    const move = `mv ${at('second')} ${at('agents')}; exec "$@"`;
    const later = (words: readonly string[]) => ['/bin/sh', '-c', move, 'sh', ...words];
    try {
      const connect = `require('node:net').connect('${at('agents/second')}')`;
      const told = `${connect}.on('error', console.log).on('connect', () => process.exit(console.log('reached')))`;
      const said = run({ write: ['w'], edit: later }, `${process.execPath} -e "${told}"`);
      expect([said.includes('reached'), said.includes('ENOENT')]).toEqual([false, true]);
    } finally {
      first.close();
      second.close();
    }
  });

  test.runIf(process.getuid?.() === 0)(
    'keeps programs of root from being confined, with a socket in a private folder',
    async () => {
      mkdirSync(at('w'));
      mkdirSync(at('private'));
      const server = createServer().listen(at('private/socket'));
      await once(server, 'listening');
      chmodSync(at('private'), 0o700);
      chownSync(at('private'), nobody, nobody);
      try {
        const said = run({ write: ['w'] }, `echo confined; ls ${at('private')}`);
        expect(said).toMatch(/^confined\nls: cannot open directory .* Permission denied\n$/);
      } finally {
        server.close();
      }
    },
  );

  test.each([
    ['writes', ''],
    ['but for a shell that closes none writes', 'evil\n'],
  ])('%s through a descriptor that the parent of the host left open', (_, written) => {
    mkdirSync(at('w'));
    // A shell stands for that parent; `flock` in scripts is often used so.
    const sandbox = openSandbox({ env: process.env, directory: at('box'), own: [], home: at('home') });
    const script = 'echo evil >&200; echo confined; ls /proc/self/fd';
    const confined = sandbox.confine(['/bin/bash', '--norc', '-c', script], at('w'), {
      write: [at('w')],
      network: 'off',
      scratch: 'attack',
    });
    if ('refused' in confined) throw new Error(confined.refused);
    put('evil.sh', 'echo BASH_ENV was run');
    const closing = /if \[ -n "\$BASH_VERSION" \].*fi; /;
    const start = confined.words.map((word) => (written === '' ? word : word.replace(closing, '')));
    const ran = spawnSync('/bin/bash', ['-c', 'exec 200>"$0"; exec "$@"', at('outside'), ...start], {
      env: { PATH: '/usr/bin:/bin', BASH_ENV: at('evil.sh') },
      encoding: 'utf8',
    });
    confined.release();
    sandbox.close();
    // Other descriptors than that one may be open here, too.
    const seen = ran.stdout.split('confined')[1]?.trim();
    expect([readFileSync(at('outside'), 'utf8'), seen === '0\n1\n2\n3']).toEqual([written, written === '']);
    // Once for the shell before, once inside.
    expect(ran.stdout.split('BASH_ENV was run')).toHaveLength(2);
  });

  test('makes git outside wait for ever: a pipe in place of a file of the repository is not read', () => {
    mkdirSync(at('w'));
    execFileSync('git', ['init', '-q'], { cwd: at('w') });
    run({ write: ['w'] }, 'rm .git/HEAD; mkfifo .git/HEAD .git/config.worktree AGENTS.md');
    // The next sandbox looks at the repository, too.
    expect(run({ write: ['w'] }, 'echo works')).toContain('works');
  });
});
