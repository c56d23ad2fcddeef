import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { once } from '../../base/memo.ts';
import { begunProgram } from '../../../test/kit/begunProgram.ts';
import { visibleBase } from '../../../test/kit/parley.ts';
import { processes } from '../processes/shellCommands.ts';
import { pipedPrograms } from '../processes/pipedPrograms.ts';
import type { View } from './bubblewrap.ts';
import { bubblewrapWords } from './bubblewrap.ts';
import { workspaceGuards } from './guards.ts';
import { checkedWords, leavesMark } from './mountCheck.ts';
import { probeSandbox, refusalOf } from './probe.ts';
import type { KernelSwitches } from './probe.ts';
import { files as diskFiles } from '../files/workspace.ts';
import { filesBeside } from './filesBeside.ts';
import { openSandbox, placeholdersIn } from './sandbox.ts';
import type { Confined, Sandbox } from './sandbox.ts';
import { seatbeltProfile } from './seatbelt.ts';
import { systemCallFilter } from './seccomp.ts';
import { socketsIn } from './unixSockets.ts';

/** Where programs keep sign-ins, keys and messages, as their manuals say. */
const secretsOfHome = [
  ...['.ssh/id_rsa', '.netrc', '.git-credentials', '.config/git/credentials', '.gnupg/secring.gpg', '.env'],
  ...['.aws/credentials', '.azure/token.json', '.kube/config', '.oci/config', '.config/gcloud/access.db'],
  ...['.config/doctl/config.yaml', '.fly/config.yml', '.config/netlify/config.json', '.netlify/config.json'],
  ...['.terraform.d/credentials.tfrc.json', '.vault-token', '.config/rclone/rclone.conf', '.ansible/cp/s'],
  ...[
    '.config/sops/age/keys.txt',
    '.pulumi/credentials.json',
    '.config/hcloud/cli.toml',
    '.config/op/config',
  ],
  ...['.pgpass', '.my.cnf', '.mylogin.cnf', '.databrickscfg', '.snowflake/config.toml', '.dbt/profiles.yml'],
  ...[
    '.cache/huggingface/token',
    '.cache/huggingface/stored_tokens',
    '.ansible/galaxy_token',
    '.kaggle/kaggle.json',
    '.config/kaggle/kaggle.json',
    '.npmrc',
    '.pypirc',
  ],
  ...['.cargo/credentials.toml', '.gem/credentials', '.bundle/config', '.config/composer/auth.json'],
  ...['.m2/settings.xml', '.gradle/gradle.properties', '.docker/config.json', '.config/pypoetry/auth.toml'],
  ...['.config/hub', '.config/glab-cli/config.yml', '.config/gh/hosts.yml', '.config/configstore/firebase'],
  ...['.local/share/keyrings/login.keyring', '.password-store/a.gpg', '.config/keepassxc/keepassxc.ini'],
  ...['.bitcoin/wallet.dat', '.ethereum/keystore/k', '.electrum/wallets/w', '.config/solana/id.json'],
  ...['.mozilla/firefox/p/logins.json', '.config/mozilla/firefox/p/logins.json', '.config/google-chrome/C'],
  ...['snap/firefox/common/.mozilla/firefox/p/logins.json', 'snap/brave/common/C', '.var/app/org.x/config/C'],
  ...['.config/Code/User/globalStorage/state.vscdb', '.config/VSCodium/User/s', '.config/Cursor/User/s'],
  ...['.config/Code - OSS/User/s', '.claude/.credentials.json', '.codex/auth.json', '.config/Signal/config'],
  ...['.cursor/cli-config.json', '.config/crush/crush.json', '.bash_history', '.sqlite_history'],
  ...['.lima/_config/user', '.colima/default/docker.sock', '.orbstack/ssh/id_ed25519', '.minikube/ca.key'],
  ...['.rd/docker.sock', '.tsh/keys/k', '.step/secrets/k', '.1password/agent', '.local/share/atuin/key'],
  ...['.config/nushell/history.txt'],
];

/** What lies beside such places and builds need. */
const usedByBuilds = ['.ansible/collections/c', '.cache/huggingface/hub/m', '.config/tool/settings'];

let base: string;
let root: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'parley-box-'));
  root = join(base, 'work');
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const view: View = {
  write: ['/w/app', '/w'],
  fixed: [],
  network: 'off',
  temporary: '/data/tmp/1',
  hidden: [
    { path: '/home/u/.ssh', type: 'folder' },
    { path: '/home/u/.netrc', type: 'file' },
    { path: '/w/data', type: 'folder' },
  ],
  guards: [
    { kind: 'write', path: '/w/.git' },
    { kind: 'read', path: '/w/.git/hooks' },
    { kind: 'absent', path: '/w/.claude' },
    { kind: 'absent-link', path: '/w/.git/commondir' },
  ],
  kept: [],
  own: [],
  terminal: false,
};

describe('the words for bubblewrap', () => {
  const files = {
    shell: ['/bin/sh', '-c'],
    bubblewrap: '/usr/bin/bwrap',
    filter: '/data/filter',
    mark: '/data/mark',
    empty: '/data/empty',
    link: '/data/link',
  };

  test('lay what is its own over guards, and hidden places over that', () => {
    const own = bubblewrapWords({ ...view, own: ['/home/u/.ssh', '/w/data'] }, files, '/w/app').join(' ');
    const order = ['--tmpfs /w/.claude', '--bind /w/data /w/data', '--tmpfs /w/data'];
    const at = order.map((part) => own.indexOf(part));
    expect(at).not.toContain(-1);
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(seatbeltProfile({ ...view, own: ['/own'] })).toMatch(
      /deny file-read[^]*allow file-read\* file-write\* \(subpath "\/own"\)/,
    );
  });

  test('lay folders over those above them, and guards over both', () => {
    const words = bubblewrapWords(view, files, '/w/app').join(' ');
    const order = [
      '--ro-bind / / --dev /dev --proc /proc --remount-ro /proc',
      '--tmpfs /home/u/.ssh',
      '--ro-bind /data/empty /home/u/.netrc',
      '--bind /w /w',
      '--bind /w/app /w/app',
      '--bind /w/.git /w/.git',
      '--ro-bind /w/.git/hooks /w/.git/hooks',
      '--perms 0555 --tmpfs /w/.claude',
      '--ro-bind /data/link /w/.git/commondir',
      '--tmpfs /w/data',
      '--chdir /w/app',
    ].map((part) => words.indexOf(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  test.each([
    { name: 'no network', given: view, flag: '--unshare-net', is: true },
    { name: 'the network', given: { ...view, network: 'on' as const }, flag: '--unshare-net', is: false },
    { name: 'pipes', given: view, flag: '--new-session', is: true },
    { name: 'a terminal of its own', given: { ...view, terminal: true }, flag: '--new-session', is: false },
  ])('with $name', ({ given, flag, is }) => {
    expect(bubblewrapWords(given, files, '/w').includes(flag)).toBe(is);
  });
});

test('the profile for macOS', () => {
  expect(seatbeltProfile({ ...view, write: ['/w/a"b'] })).toBe(`(version 1)
(allow default)
(deny file-write*)
(allow file-write* (subpath "/w/a\\"b") (subpath "/w/.git") (subpath "/data/tmp/1"))
(allow file-write* (literal "/dev/null") (literal "/dev/tty") (regex #"^/dev/fd/"))
(deny file-write* (subpath "/w/.git/hooks") (subpath "/w/.claude") (subpath "/w/.git/commondir"))
(deny file-write-unlink (literal "/w/.git") (literal "/w") (literal "/w/a\\"b"))
(deny file-read* file-write* (subpath "/home/u/.ssh") (subpath "/home/u/.netrc") (subpath "/w/data"))
(deny network*)
(deny process-info* (target others))
(deny signal (target others))
(allow signal (target same-sandbox))
(deny mach-lookup (global-name "com.apple.SecurityServer") (global-name "com.apple.securityd"))
(deny appleevent-send)
(deny job-creation)`);
});

describe('the filter', () => {
  test.each(['x64', 'arm64'])('for %s ends with an answer and jumps nowhere else', (architecture) => {
    const bytes = systemCallFilter(architecture);
    const count = (bytes?.length ?? 0) / 8;
    expect(count).toBeGreaterThan(50);
    expect(bytes?.readUInt16LE((count - 1) * 8)).toBe(6);
    for (let at = 0; at < count; at += 1) {
      expect(at + 1 + (bytes?.readUInt8(at * 8 + 2) ?? 0)).toBeLessThanOrEqual(count);
      expect(at + 1 + (bytes?.readUInt8(at * 8 + 3) ?? 0)).toBeLessThanOrEqual(count);
    }
  });

  test('there is none for a processor that we do not know', () => {
    expect(systemCallFilter('riscv64')).toBeUndefined();
  });
});

describe('what a workspace guards', () => {
  const guards = (home = '/home/u') =>
    workspaceGuards(root, { home }).map(({ kind, path }) => `${kind} ${path.slice(root.length + 1)}`);

  test('a folder without repository cannot become one', () => {
    expect(guards()).toContain('absent .git');
    expect(guards()).toContain('absent .vscode');
  });

  test('a repository can be written, but not what it runs', () => {
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    writeFileSync(join(root, '.git/config'), '');
    expect(guards().slice(0, 7)).toEqual([
      'write .git',
      'read .git/config',
      'read .git/hooks',
      'absent-empty .git/config.worktree',
      'absent .git/remotes',
      'absent .git/branches',
      'absent-link .git/commondir',
    ]);
  });

  test('what exists is read-only, and a folder named config is not', () => {
    mkdirSync(join(root, '.vscode'));
    mkdirSync(join(root, 'config'));
    writeFileSync(join(root, 'AGENTS.md'), '');
    expect(guards()).toEqual(expect.arrayContaining(['read .vscode', 'read AGENTS.md']));
    expect(guards()).not.toContain('read config');
  });

  test('what the configuration names inside the workspace is guarded, or cannot be created', () => {
    mkdirSync(join(root, '.git'));
    mkdirSync(join(root, 'tools/hooks'), { recursive: true });
    const config = (text: string) => writeFileSync(join(root, '.git/config'), text);
    config('[core]\n\thooksPath = tools/hooks # ours\n[include] path = "../more.config"\n');
    expect(guards()).toEqual(expect.arrayContaining(['read tools/hooks', 'absent more.config']));
    config('[core]\n\tHooksPath = new/hooks\n[include]\n\tpath = /elsewhere/config\n');
    expect(guards().at(-1)).toBe('absent new');
    config('[core]\n\thooksPath = .husky/_\n');
    expect(guards().filter((guard) => guard.includes('.husky'))).toEqual(['absent .husky']);
  });

  test('a pipe in the place of a file of git is not waited for', () => {
    mkdirSync(join(root, 'git'));
    writeFileSync(join(root, '.git'), 'gitdir: git\n');
    execFileSync('mkfifo', [join(root, 'git/gitdir'), join(root, 'git/commondir')]);
    expect(guards()).toContain('read .git');
  });

  test('a linked work tree writes to its repository, if that knows it', () => {
    const whole = join(base, 'main/.git');
    const own = join(whole, 'worktrees/work');
    mkdirSync(join(whole, 'hooks'), { recursive: true });
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'commondir'), '../..\n');
    writeFileSync(join(own, 'gitdir'), join(base, 'elsewhere/.git'));
    writeFileSync(join(root, '.git'), `gitdir: ${own}\n`);
    const writes = () => workspaceGuards(root, { home: '/home/u' }).filter(({ kind }) => kind === 'write');
    expect(writes()).toEqual([]);
    writeFileSync(join(own, 'gitdir'), join(root, '.git'));
    expect(writes().map(({ path }) => path)).toEqual([whole, own]);
  });

  test('a home guards its start-up files', () => {
    expect(guards(join(root, 'u'))).toEqual(expect.arrayContaining(['absent .bashrc', 'absent .ssh']));
  });
});

describe('a machine without sandbox', () => {
  const cases: readonly (readonly [string, KernelSwitches, string])[] = [
    ['', { usersMayClone: '0' }, 'kernel.unprivileged_userns_clone=1'],
    ['', { mostNamespaces: '0' }, 'user.max_user_namespaces'],
    [
      'bwrap: loopback: Failed RTM_NEWADDR',
      { appArmorRestricts: '1' },
      'kernel.apparmor_restrict_unprivileged_userns=0',
    ],
    ['bwrap: Unknown option --disable-userns', {}, 'newer bubblewrap'],
    ['bwrap: No permissions to create new namespace', {}, 'docker run'],
  ];
  test.each(cases)('says what to do: %s %j', (stderr, kernel, cure) => {
    expect(refusalOf(stderr, kernel).cure).toContain(cure);
  });

  const probes = [
    ['ends well and starts nothing', 'exit 0', 'without starting the program'],
    ['says why', 'echo reason >&2; exit 1', 'reason'],
    ['ends without a word', 'exit 1', 'without a word'],
    ['never ends, heeds no signal and has started others', 'trap "" TERM; sleep 98765 & wait', 'did not end'],
  ] as const;
  test.runIf(process.platform !== 'win32').each(probes)('has one that %s', async (_, script, why) => {
    let released = 0;
    const words = ['/bin/sh', '-c', script];
    const confine = () => ({ words, variables: () => ({}), release: () => void (released += 1) });
    const patience = why === 'did not end' ? 1_000 : 60_000;
    const options = { platform: 'darwin', env: {}, scratch: join(base, 'scratch'), patience } as const;
    expect(await probeSandbox({ confine }, options)).toMatchObject({
      available: false,
      why: expect.stringContaining(why) as string,
    });
    expect([released, readdirSync(join(base, 'scratch'))]).toEqual([1, []]);
    const left = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes('sleep 98765');
    await expect.poll(left).toBe(false);
  });

  test('runs nothing that must be confined', async () => {
    const confined = { write: [root], network: 'off', scratch: 's' } as const;
    const sandbox = openSandbox({ env: {}, directory: join(base, 'box'), own: [], platform: 'win32' });
    expect(await sandbox.status()).toMatchObject({ available: false });
    const signal = new AbortController().signal;
    const command = { command: 'touch ran', cwd: root, timeout: 9_000, signal, output: () => {}, confined };
    expect(await processes().run(command)).toMatchObject({ kind: 'failed' });
    expect(await processes({ sandbox }).run(command)).toMatchObject({ kind: 'failed' });
    const program = { command: 'touch ran', args: [], cwd: root, output: () => {}, confined };
    expect(await pipedPrograms({ sandbox }).start(program).ended).toMatchObject({ kind: 'failed' });
    expect(readdirSync(root)).toEqual([]);
  });
});

describe.runIf(process.platform === 'linux')('a confined command', () => {
  const run = async (command: string, env: { readonly [name: string]: string } = {}) => {
    const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
    let said = '';
    // A sandbox that is kept ready would keep its folders, too.
    const end = await processes({ sandbox: { ...sandbox, sees: () => undefined } }).run({
      command,
      cwd: root,
      env,
      timeout: 100_000,
      signal: new AbortController().signal,
      output: (_, text) => void (said += text),
      confined: { write: [root], network: 'off', scratch: 's' },
    });
    const hidden = () => readdirSync(root).filter((name) => name.startsWith('.'));
    await expect.poll(hidden, { timeout: 100_000 }).toEqual([]);
    return { end, said, left: readdirSync(root) };
  };

  test('keeps its guards when another one ends', () => {
    const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [] });
    mkdirSync(join(root, '.git'));
    const start = () => {
      const confined = sandbox.confine(['true'], root, { write: [root], network: 'off', scratch: 's' });
      if ('refused' in confined) throw new Error(confined.refused);
      return confined;
    };
    const [first, second] = [start(), start()];
    // What lies there for the first one is no folder of the user.
    const guardsIn = ({ words }: Confined) => words.filter((word) => !/\/begun-[^/]*$/.test(word));
    expect(guardsIn(second)).toEqual(guardsIn(first));
    first.release();
    sandbox.close();
    expect(readdirSync(root)).toContain('.claude');
    expect(readdirSync(join(root, '.git'))).toEqual([
      'branches',
      'commondir',
      'config',
      'config.worktree',
      'hooks',
      'remotes',
    ]);
    second.release();
    sandbox.close();
    expect([readdirSync(root), readdirSync(join(root, '.git'))]).toEqual([['.git'], []]);
  });

  test('runs in the workspace and leaves nothing else behind', async () => {
    expect(await run('echo 1 > a; ls -d .vscode; echo "$X"; echo x > .vscode/a', { X: 'own' })).toMatchObject(
      {
        end: { kind: 'exited', code: 1 },
        said: expect.stringMatching(/^\.vscode\nown\n.*(?:denied|Read-only)/s) as string,
        left: ['a'],
      },
    );
  });

  test.each([
    ['that runs for long sees nothing', true],
    ['that does not sees something', false],
  ])('%s of the home directory that appears or is replaced later', async (_, isLasting) => {
    const home = mkdtempSync(join(visibleBase(), 'parley-home-'));
    const put = (name: string, text: string) => {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, `${name}.new`), text);
      renameSync(join(home, `${name}.new`), join(home, name));
    };
    for (const name of ['.netrc', '.config/git/credentials', '.aws/old']) put(name, 'SECRET');
    for (const name of ['.config/tool/settings', 'plain', 'work/file']) put(name, `text of ${name}\n`);
    symlinkSync('plain', join(home, 'link'));
    const sandbox = openSandbox({ env: process.env, directory: join(home, 'box'), own: [], home });
    const secrets = '.netrc .config/git/credentials .config/gh/hosts .aws/new .ssh/id';
    const script = `cd ${home}; cat plain link .config/tool/settings work/file; echo started; read line; \
      cat ${secrets}; touch x work/file; ls -A`;
    const policy = { write: [root], network: 'off', scratch: 's', isLasting } as const;
    const begin = () => sandbox.confine(['/bin/sh', '-c', script], root, policy);
    const said = await begunProgram(begin, async ({ words: [program = '', ...words] }) => {
      const child = spawn(program, words, { cwd: root, stdio: 'pipe' });
      let heard = '';
      const late = once(() => {
        for (const name of secrets.split(' ')) put(name, 'SECRET');
        child.stdin.end('go\n');
      });
      for (const pipe of [child.stdout, child.stderr])
        pipe.setEncoding('utf8').on('data', (text: string) => {
          heard += text;
          if (heard.includes('started')) late();
        });
      await new Promise((resolve) => {
        child.once('close', resolve);
      });
      return heard;
    });
    sandbox.close();
    rmSync(home, { recursive: true, force: true });
    expect(said).toMatch(
      /^text of plain\ntext of plain\ntext of .config\/tool\/settings\ntext of work\/file\nstarted/,
    );
    expect(said.includes('SECRET')).toBe(!isLasting);
    expect(said.match(/Read-only|denied/g)).toHaveLength(2);
  });

  test('starts only so many processes, and is the first to end without memory', async () => {
    const spared = '(echo 0 > /proc/self/oom_score_adj) 2>/dev/null';
    const { said } = await run(
      `${spared}; cat /proc/self/oom_score_adj; grep "Max processes" /proc/self/limits`,
    );
    const [, score, soft, hard] = /^(\d+)\nMax processes +(\d+) +(\d+)/.exec(said) ?? [];
    expect(score).toBe('500');
    expect(Number(soft)).toBeLessThanOrEqual(Math.max(4_096, 64 * availableParallelism()));
    expect(hard).toBe(soft);
  });

  test.each([true, false])(
    'sees no secret of the home directory but its own (lasting: %s)',
    async (isLasting) => {
      const home = mkdtempSync(join(visibleBase(), 'parley-home-'));
      for (const name of [...secretsOfHome, ...usedByBuilds]) {
        mkdirSync(dirname(join(home, name)), { recursive: true });
        writeFileSync(join(home, name), 'SECRET');
      }
      const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [], home });
      const policy = { write: [root], network: 'off', scratch: 's', own: [join(home, '.cursor')] } as const;
      const begin = () =>
        sandbox.confine(['/bin/grep', '-rl', 'SECRET', home], root, { ...policy, isLasting });
      const seen = await begunProgram(begin, ({ words: [program = '', ...words] }) =>
        execFileSync(program, words, { encoding: 'utf8' }).trim().split('\n'),
      );
      sandbox.close();
      rmSync(home, { recursive: true, force: true });
      expect(seen.toSorted()).toEqual(
        [...usedByBuilds, '.cursor/cli-config.json'].map((name) => join(home, name)).toSorted(),
      );
    },
  );

  test('finds what an earlier one left in the temporary folder', async () => {
    await run('echo kept > /tmp/note');
    expect(await run('cat $TMPDIR/note')).toMatchObject({ said: 'kept\n', left: [] });
  });

  const confine = (sandbox: Sandbox) => {
    const confined = sandbox.confine(['true'], root, { write: [root], network: 'off', scratch: 's' });
    if ('refused' in confined) throw new Error(confined.refused);
    return confined;
  };
  const options = () => ({ env: process.env, directory: join(base, 'box'), own: [] });
  const other = () => openSandbox({ ...options(), directory: join(base, 'other'), placeholders: list() });
  const list = () => placeholdersIn(join(base, 'box'));

  test('cannot leave a folder in the temporary one that keeps a host from starting or ending', async () => {
    // Nothing hinders root. Go leaves such folders; a path cannot be as long as the last one is deep.
    const deep = 'perl -e \'for (1 .. 600) { mkdir "deeper" x 40; chdir "deeper" x 40 }\'';
    await run(`mkdir -p /tmp/a/b; touch /tmp/a/b/c; chmod 0 /tmp/a/b; chmod 555 /tmp/a; cd /tmp; ${deep}`);
    const tmp = join(base, 'box', 'tmp');
    expect(readdirSync(tmp)).not.toEqual([]);
    openSandbox({ env: process.env, directory: join(base, 'box'), own: [] }).clean();
    expect(existsSync(tmp)).toBe(false);
  });

  test.each([
    [[], {}, ['/tmp/.cache/cargo', '/tmp/.cache/go']],
    [['.cargo/registry', 'go/pkg/mod'], {}, [undefined, undefined]],
    [[], { GOPATH: '/go', CARGO_HOME: '/cargo' }, ['/cargo', undefined]],
  ])('keeps packages where it can write, unless the user has %j, or sets %j', (has, set, expected) => {
    const home = join(base, 'person');
    for (const path of ['', ...has]) mkdirSync(join(home, path), { recursive: true });
    const sandbox = openSandbox({ env: process.env, directory: join(base, 'box'), own: [], home });
    const confined = sandbox.confine(['true'], root, { write: [root], network: 'off', scratch: 's' });
    if ('refused' in confined) throw new Error(confined.refused);
    const { CARGO_HOME, GOMODCACHE, npm_config_update_notifier } = confined.variables(set);
    confined.release();
    sandbox.close();
    expect([CARGO_HOME, GOMODCACHE]).toEqual(expected);
    expect(npm_config_update_notifier).toBe('false');
  });

  test('removes what a killed host left in a workspace', () => {
    confine(openSandbox(options()));
    expect(readdirSync(root)).toContain('.claude');
    writeFileSync(join(root, '.idea', 'mine'), '');
    const killed = readFileSync(list(), 'utf8').replaceAll(` ${process.pid} `, ' 4194305 ');
    writeFileSync(list(), killed);
    openSandbox(options()).clean();
    expect(readdirSync(root)).toEqual(['.idea']);
    expect(readdirSync(join(base, 'box'))).not.toContain('placeholders.json');
  });

  test('makes room for a file that an agent writes, once no program needs its guard', async () => {
    const [host, command] = [openSandbox(options()), other()];
    const disk = filesBeside(host, diskFiles());
    const path = join(root, '.mcp.json');
    for (const sandbox of [host, command]) {
      const confined = confine(sandbox);
      expect(await disk.readText(path, 9)).toMatchObject({ problem: 'not-found' });
      expect(await disk.list(root)).toEqual([]);
      expect(await disk.writeText(path, '{}', null)).toMatchObject({ problem: 'denied' });
      confined.release();
      sandbox.close();
    }
    const waiting = confine(host);
    host.onMakeRoom(() => waiting.release());
    expect(await disk.writeText(path, '{}', null)).toBeUndefined();
    expect([readFileSync(path, 'utf8'), await disk.readText(path, 9)]).toEqual(['{}', { text: '{}' }]);
    expect(await disk.writeText(path, '', '{}')).toBeUndefined();
    host.close();
    expect(readdirSync(root)).toEqual(['.mcp.json']);
  });

  test('keeps its guards when one of another process ends', () => {
    const [host, command] = [openSandbox(options()), other()];
    for (const [first, second] of [
      [host, command],
      [command, host],
    ] as const) {
      const [one, two] = [confine(first), confine(second)];
      expect(two.words.join(' ')).toContain(`--tmpfs ${join(root, '.claude')}`);
      one.release();
      first.close();
      expect(readdirSync(root)).toContain('.claude');
      two.release();
      second.close();
      expect(readdirSync(root)).toEqual([]);
    }
  });

  test('takes over what a killed process left, unless the user uses it', () => {
    confine(other());
    writeFileSync(join(root, '.idea', 'mine'), '');
    writeFileSync(list(), readFileSync(list(), 'utf8').replaceAll(` ${process.pid} `, ' 4194305 '));
    const host = openSandbox(options());
    const one = confine(host);
    expect(one.words.join(' ')).toContain(`--tmpfs ${join(root, '.claude')}`);
    expect(one.words.join(' ')).toContain(`--ro-bind ${join(root, '.idea')}`);
    one.release();
    host.close();
    expect(readdirSync(root)).toEqual(['.idea']);
  });

  test('does not wait for ever for a list that somebody locked', () => {
    mkdirSync(join(base, 'box'));
    writeFileSync(`${list()}.lock`, 'somebody who is gone');
    const host = openSandbox(options());
    confine(host).release();
    expect(readdirSync(root)).toContain('.claude');
    host.close();
    expect(readdirSync(root)).toEqual([]);
  });
});

test.runIf(leavesMark)('a program whose beginning cannot be noted does not run, and says so', () => {
  const [program = '', ...words] = checkedWords([], ['/bin/echo', 'ran']);
  const { status, stdout, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  expect([status, stdout]).toEqual([126, '']);
  expect(stderr).toMatch(/^parley: the sandbox could not note that the program begins: \w.*\n$/);
});

test('sockets are those that programs listen on', () => {
  const table = `Num       RefCount Protocol Flags    Type St Inode Path
ffff1: 00000002 00000000 00010000 0001 01 11111 /run/docker.sock
ffff2: 00000003 00000000 00000000 0001 03 11112 /run/connected.sock
ffff3: 00000002 00000000 00000000 0002 01 11113 /home/u/with blank/datagram
ffff4: 00000002 00000000 00010000 0001 01 11114 @abstract
ffff5: 00000002 00000000 00010000 0001 01 11115 relative/agent.sock
ffff6: 00000002 00000000 00010000 0001 01 11116
`;
  expect(socketsIn(table)).toEqual([
    { inode: '11111', path: '/run/docker.sock' },
    { inode: '11113', path: '/home/u/with blank/datagram' },
    { inode: '11115', path: 'relative/agent.sock' },
  ]);
});
