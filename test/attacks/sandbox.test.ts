// Attacks on the sandbox, with the real bubblewrap. Each must fail, and must succeed once its guard is gone:
// otherwise it would prove nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attackers, mayUseRun, nobody, sandboxRig, withoutCheck } from '../kit/sandboxRig.ts';
import type { SandboxRig } from '../kit/sandboxRig.ts';
import { attacks, endlessAttack, outlivers, terminalAttack } from './sandboxAttacks.ts';

const isLinux = process.platform === 'linux';

describe.runIf(isLinux).each(attackers)('the sandbox against %s', (attacker) => {
  let rig: SandboxRig;
  beforeAll(async () => {
    rig = await sandboxRig(attacker);
  });
  afterAll(() => rig.close());

  test('there are at least 60 ways to try', () => {
    expect(attacks.length + outlivers.length).toBeGreaterThanOrEqual(60);
  });

  test('lets a program work in the workspace', async () => {
    const { output, code } = await rig.attack(
      'echo 1 > new && mkdir -p deep/er && mv new deep/er/ && git add -A && git commit -qm one && git log --format=%s && ' +
        'echo x > /tmp/t && cat /tmp/t && cat $OUT/kept',
    );
    expect({ output, code }).toEqual({ output: 'one\nx\nkept', code: 0 });
  });

  test.each(attacks)('nobody $name', async ({ script }) => {
    const { reached, timedOut } = await rig.attack(script);
    expect({ reached, timedOut }).toEqual({ reached: [], timedOut: false });
  });

  test.runIf(hasScope)(
    'nobody connects to a socket without a file in the network of the machine',
    async () => {
      const script = attacks.find(({ name }) => name === 'connects to a socket without a file')?.script ?? '';
      expect((await rig.attack(script, { network: 'on' })).reached).toEqual([]);
    },
  );

  test.each(outlivers)('$name ends with the call', async ({ script }) => {
    const { timedOut } = await rig.attack(script);
    expect(timedOut).toBe(false);
    await expect.poll(() => sleepers()).toEqual([]);
  });

  test('nobody writes to the terminal of whoever started it, unless they share a session', async () => {
    const { script } = terminalAttack;
    expect((await rig.attack(script, { terminal: true })).reached).toEqual([]);
    const edit = flag('--new-session', 0);
    expect((await rig.attack(script, { terminal: true, edit })).reached).not.toEqual([]);
  });

  const isRoot = attacker === 'this user' && process.getuid?.() === 0;
  test.runIf(!isRoot)('nobody starts processes without end, unless nothing limits them', async () => {
    const { script } = endlessAttack;
    expect((await rig.attack(script)).reached).toEqual([]);
    const edit = without(/\nsyscall\(\d+, 0, 6, \$most, 0\);/);
    expect((await rig.attack(script, { edit })).reached).not.toEqual([]);
  });

  test('nobody outlives a killed host, unless nothing ties a sandbox to it', async () => {
    const mark = 'sleep 876543';
    await rig.attack(`touch started; ${mark}`, { edit: startedByOneThatIsKilled });
    await expect.poll(() => sleepers(mark)).toEqual([]);
    const untied = (words: readonly string[]) =>
      startedByOneThatIsKilled(flag('--die-with-parent', 0)(words));
    await rig.attack(`touch started; ${mark}`, { edit: untied });
    const left = sleepers(mark);
    for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    expect(left).toHaveLength(1);
    await expect.poll(() => sleepers(mark)).toEqual([]);
  });

  test.each(removals(isRoot))('without $guard somebody $attack', async ({ attack, edit, network }) => {
    const script = attacks.find(({ name }) => name === attack)?.script ?? '';
    const { reached } = await rig.attack(script, { edit, ...(network ? { network } : {}) });
    expect(reached).not.toEqual([]);
    // The next case finds everything as it was.
    await rig.close();
    rig = await sandboxRig(attacker);
  });
});

interface Removal {
  readonly guard: string;
  readonly attack: string;
  readonly edit: (words: readonly string[]) => readonly string[];
  readonly network?: 'on';
}

/** Since its version 6 Landlock separates sockets without a file. */
const hasScope = spawnSync('perl', ['-e', 'my $none = 0; exit(syscall(444, $none, 0, 1) < 6)']).status === 0;

/** Not every kernel has such sockets. */
const hasVsock = spawnSync('perl', ['-e', 'exit(socket(my $s, 40, 1, 0) ? 0 : 1)']).status === 0;

/** What not every kernel lets a program do, even if no sandbox keeps it from that. */
const ofThisKernel = [
  'uses io_uring',
  'handles page faults',
  'watches the processor',
  'types into a terminal',
].filter((name) => happensOutside(name, process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}));

/** Containers often see no groups, or only to read. */
const mayLeaveGroup = happensOutside('leaves its group of processes');

/** Some kernels let a program look into its children only. */
const yama = '/proc/sys/kernel/yama/ptrace_scope';
const ofTracers =
  existsSync(yama) && readFileSync(yama, 'utf8').trim() !== '0'
    ? []
    : ['traces process 1', 'reads memory of process 1', 'takes a descriptor of process 1'];

/** Some guards matter for root only: others have no such rights in the first place. */
function removals(isRoot: boolean): readonly Removal[] {
  const filter = flag('--seccomp', 1);
  const own = flag('--disable-userns', 0);
  const capabilities = flag('--cap-drop', 1);
  return [
    {
      guard: 'the read-only root',
      attack: 'writes a file outside',
      edit: writableRoot,
    },
    { guard: 'its own processes', attack: 'sees other processes', edit: flag('--unshare-pid', 0) },
    { guard: 'its own list of processes', attack: 'sees other processes', edit: flag('--proc', 1) },
    {
      guard: 'its own memory to share',
      attack: 'sees memory that others share',
      edit: flag('--unshare-ipc', 0),
    },
    {
      guard: 'a temporary folder of its own',
      attack: 'connects to a socket of the temporary folder',
      edit: withoutMount('/tmp'),
    },
    {
      guard: 'an empty lasting temporary folder',
      attack: 'connects to a socket of the lasting temporary folder',
      edit: withoutFolder('/var/tmp'),
    },
    ...(mayUseRun
      ? ['connects to a socket of a service', 'finds sockets of the system'].map((attack) => ({
          guard: 'an empty folder of services',
          attack,
          edit: withoutFolder('/run'),
        }))
      : []),
    {
      guard: 'devices of its own',
      attack: 'reads memory that others share under a name',
      // The check needs one of the devices.
      edit: (words) => withoutCheck(flag('--dev', 1)(words)),
    },
    {
      guard: 'both guards of workflows',
      attack: 'changes a workflow',
      edit: cover('/.github/workflows', '/.github'),
    },
    { guard: 'its own network', attack: 'connects to this machine', edit: flag('--unshare-net', 0) },
    {
      guard: 'its own network',
      attack: 'connects to a socket without a file',
      edit: flag('--unshare-net', 0),
    },
    { guard: 'hidden keys', attack: 'reads a key', edit: cover('/home/.ssh') },
    { guard: 'hidden cloud keys', attack: 'reads a cloud key', edit: cover('/home/.aws') },
    { guard: 'hidden browsers', attack: 'reads cookies', edit: cover('/.config/google-chrome') },
    { guard: 'hidden sign-ins', attack: 'reads a sign-in', edit: cover('/.config/gh') },
    { guard: 'hidden sign-ins', attack: 'reads a sign-in', edit: cover('/.netrc') },
    { guard: 'a hidden history', attack: 'reads what was typed', edit: cover('/.bash_history') },
    { guard: 'a hidden data directory', attack: 'reads our token', edit: cover('/data') },
    { guard: 'a hidden data directory', attack: 'connects to our host', edit: cover('/data') },
    { guard: 'hidden sockets', attack: 'connects to docker', edit: cover('/docker.sock') },
    { guard: 'hidden sockets', attack: 'connects to a message bus', edit: cover('/bus.sock') },
    { guard: 'hidden keys', attack: 'connects to the agent for keys', edit: cover('/home/.ssh') },
    { guard: 'guarded hooks', attack: 'writes a git hook', edit: cover('/.git/hooks') },
    {
      guard: 'guarded hooks of its own',
      attack: 'writes a hook where the repository keeps them',
      edit: cover('/tools/hooks'),
    },
    { guard: 'fixed folders above', attack: 'renames the folder of such hooks', edit: cover('/tools') },
    { guard: 'fixed folders above', attack: 'renames the folder of workflows', edit: cover('/.github') },
    { guard: 'guarded settings of git', attack: 'sets a program in git', edit: cover('/.git/config') },
    { guard: 'a fixed repository', attack: 'renames the repository', edit: cover('/.git') },
    {
      guard: 'a guarded way to other repositories',
      attack: 'leads git elsewhere',
      edit: cover('/.git/commondir'),
    },
    { guard: 'guarded settings of editors', attack: 'writes settings of an editor', edit: cover('/.vscode') },
    { guard: 'guarded settings of agents', attack: 'creates settings of an agent', edit: cover('/.claude') },
    { guard: 'guarded settings of ours', attack: 'creates our settings by a link', edit: cover('/.parley') },
    { guard: 'a guarded list of servers', attack: 'creates a file of servers', edit: cover('/.mcp.json') },
    {
      guard: 'a guarded file of a shell',
      attack: 'replaces a file that a shell runs',
      edit: cover('/.envrc'),
    },
    { guard: 'guarded instructions', attack: 'edits instructions in place', edit: cover('/AGENTS.md') },
    { guard: 'the filter', attack: 'asks the keyring', edit: filter },
    { guard: 'the filter', attack: 'adds a key', edit: filter },
    ...[...ofThisKernel, ...ofTracers].map((attack) => ({ guard: 'the filter', attack, edit: filter })),
    ...(hasVsock
      ? [{ guard: 'the filter', attack: 'talks to the machine around this one', edit: filter }]
      : []),
    {
      guard: 'both guards of user namespaces',
      attack: 'makes a user namespace',
      edit: (words) => own(filter(words)),
    },
    {
      guard: 'a score of its own',
      attack: 'is no likelier victim than others when memory runs out',
      edit: without(/\{ echo 500 >\/proc\/self\/oom_score_adj; \} 2>\/dev\/null;/),
    },
    {
      guard: 'a name of its own for the machine',
      attack: 'shares the name of the machine',
      edit: flag('--unshare-uts', 0),
    },
    {
      guard: 'groups of processes of its own',
      attack: 'shares the groups of processes of the machine',
      edit: flag('--unshare-cgroup-try', 0),
    },
    ...(isRoot
      ? [
          {
            // The kernel asks for a capability of the machine's user namespace.
            guard: 'all guards of the name of the machine',
            attack: 'sets the name of the machine',
            edit: (words: readonly string[]) =>
              ['--unshare-uts', '--unshare-user', '--disable-userns'].reduce(
                (left, name) => flag(name, 0)(left),
                capabilities(words),
              ),
          },
          ...(mayLeaveGroup
            ? [
                {
                  guard: 'the read-only root',
                  attack: 'leaves its group of processes',
                  edit: writableRoot,
                },
              ]
            : []),
          { guard: 'dropped capabilities', attack: 'has a capability', edit: capabilities },
          {
            guard: 'read-only settings of the kernel',
            attack: 'changes a kernel setting',
            edit: flag('--remount-ro', 1),
          },
          { guard: 'hidden passwords', attack: 'reads passwords of the machine', edit: cover('/etc/shadow') },
        ]
      : [
          {
            guard: 'a read-only list of processes',
            attack: 'asks to be spared when memory runs out',
            edit: flag('--remount-ro', 1),
          },
        ]),
    ...(hasScope
      ? [
          {
            guard: 'a scope of its own',
            attack: 'connects to a socket without a file',
            edit: withoutCheck,
            network: 'on' as const,
          },
        ]
      : []),
  ];
}

function happensOutside(name: string, user: { readonly uid?: number; readonly gid?: number } = {}): boolean {
  const script = attacks.find((attack) => attack.name === name)?.script ?? '';
  const { stdout } = spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8', cwd: '/', ...user });
  return stdout?.includes('ESCAPED') ?? false;
}

function writableRoot(words: readonly string[]): readonly string[] {
  return words.map((word, at) => (word === '--ro-bind' && words[at + 1] === '/' ? '--bind' : word));
}

/** Takes a part out of the scripts that run before the program. */
function without(part: RegExp): Removal['edit'] {
  return (words) => {
    const edited = words.map((word) => word.replace(part, ''));
    expect(edited).not.toEqual(words);
    return edited;
  };
}

/** Takes a flag and its values out. */
function flag(name: string, values: number): Removal['edit'] {
  return (words) => {
    const at = words.indexOf(name);
    expect(at).toBeGreaterThan(0);
    return words.toSpliced(at, values + 1);
  };
}

/** Takes out the empty folder that lies on a path. */
function withoutFolder(path: string): Removal['edit'] {
  return (words) => {
    const at = words.findIndex((word, index) => word === '--tmpfs' && words[index + 1] === path);
    expect(at).toBeGreaterThan(0);
    return words.toSpliced(at, 2);
  };
}

/** Takes out what is mounted on a path from elsewhere. */
function withoutMount(path: string): Removal['edit'] {
  return (words) => {
    const at = words.findIndex((word, index) => /^--(?:ro-)?bind$/.test(word) && words[index + 2] === path);
    expect(at).toBeGreaterThan(0);
    return words.toSpliced(at, 3);
  };
}

/** Takes out what lies over paths, and the look at the mounts, which would miss it. */
function cover(...endings: readonly string[]): Removal['edit'] {
  const isOne = (path: string | undefined) => endings.some((ending) => path?.endsWith(ending));
  const uncover = (words: readonly string[]): readonly string[] => {
    const at = words.findIndex((word, index) => isOne(words[index + (covers[word] ?? -1)]));
    if (at < 0) return words;
    // The rights of an empty folder are two words before it.
    return uncover(words[at] === '--tmpfs' ? words.toSpliced(at - 2, 4) : words.toSpliced(at, 3));
  };
  return (all) => {
    const words = withoutCheck(all);
    const uncovered = uncover(words);
    expect(uncovered).not.toEqual(words);
    return uncovered;
  };
}

/** Where the path is, counted from the flag. */
const covers: { readonly [flag: string]: number | undefined } = { '--tmpfs': 1, '--ro-bind': 2, '--bind': 2 };

/** A shell stands for the host: it starts the program, and is killed once that runs. */
function startedByOneThatIsKilled(words: readonly string[]): readonly string[] {
  const script = '"$@" >/dev/null 2>&1 & while [ ! -e started ]; do sleep 0.05; done; rm started; kill -9 $$';
  return ['/bin/sh', '-c', script, 'sh', ...words];
}

function sleepers(mark = 'sleep 987654'): readonly string[] {
  const all = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' });
  return all.split('\n').filter((line) => line.includes(mark) && !line.includes('bash -c'));
}
