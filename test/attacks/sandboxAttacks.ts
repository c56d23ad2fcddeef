// Ways out of the sandbox, as scripts of bash. A script prints ESCAPED, prints the secret, changes a guarded
// file or reaches a socket if it succeeds. Perl makes the system calls that no program offers.
import { availableParallelism } from 'node:os';

export interface Attack {
  readonly name: string;
  readonly script: string;
}

const numbers: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  x64: {
    clone: 56,
    unshare: 272,
    setns: 308,
    ptrace: 101,
    process_vm_readv: 310,
    keyctl: 250,
    add_key: 248,
    bpf: 321,
    perf_event_open: 298,
    userfaultfd: 323,
    open_by_handle_at: 304,
    sethostname: 170,
  },
  arm64: {
    clone: 220,
    unshare: 97,
    setns: 268,
    ptrace: 117,
    process_vm_readv: 270,
    keyctl: 219,
    add_key: 217,
    bpf: 280,
    perf_event_open: 241,
    userfaultfd: 282,
    open_by_handle_at: 265,
    sethostname: 161,
  },
};

function number(name: string): number {
  return numbers[process.arch]?.[name] ?? shared[name] ?? -1;
}

/** Newer calls have the same number everywhere. */
const shared: Readonly<Record<string, number>> = {
  io_uring_setup: 425,
  open_tree: 428,
  fsopen: 430,
  clone3: 435,
  pidfd_open: 434,
  pidfd_getfd: 438,
};

/** Prints ESCAPED if the call does not fail. */
function call(name: string, ...args: readonly string[]): string {
  return perl(`my $r = syscall(${[number(name), ...args].join(', ')}); print "ESCAPED\\n" if $r >= 0`);
}

function perl(code: string): string {
  return `perl -e '${code}'`;
}

function connect(path: string): string {
  return perl(
    `use Socket; socket(my $s, AF_UNIX, SOCK_STREAM, 0); connect($s, pack_sockaddr_un(${path})) and print <$s>`,
  );
}

const writes: readonly Attack[] = [
  { name: 'writes a file outside', script: 'echo x > $OUT/new' },
  { name: 'appends to a file outside', script: 'echo x >> $OUT/kept' },
  { name: 'deletes a file outside', script: 'rm -f $OUT/kept' },
  { name: 'renames a file outside', script: 'mv $OUT/kept $OUT/other' },
  { name: 'makes a folder outside', script: 'mkdir $OUT/folder' },
  { name: 'changes the rights of a file outside', script: 'chmod 777 $OUT/kept' },
  { name: 'changes the time of a file outside', script: 'touch -d 2001-01-01 $OUT/kept' },
  { name: 'empties a file outside', script: 'truncate -s 0 $OUT/kept' },
  { name: 'writes through a link', script: 'ln -s $OUT link; echo x > link/new; rm link' },
  { name: 'writes through a hard link', script: 'ln $OUT/kept hard && echo x >> hard; rm -f hard' },
  { name: 'writes through /proc/self/root', script: 'echo x > /proc/self/root$OUT/new' },
  { name: 'writes through the root of process 1', script: 'echo x > /proc/1/root$OUT/new' },
  {
    name: 'writes through a folder descriptor',
    script: 'cd / && exec 5<.; cd /proc/self/fd/5 && echo x > .$OUT/new',
  },
  { name: 'writes above the workspace', script: 'echo x > ../outside/new' },
  { name: 'adds to a start-up file', script: 'echo evil >> $HOME/.bashrc' },
  { name: 'replaces a start-up file', script: 'echo evil > new; mv -f new $HOME/.profile' },
  { name: 'renames the workspace', script: 'mv $WORK $BASE/gone && echo ESCAPED' },
];

const mounts: readonly Attack[] = [
  { name: 'mounts the outside', script: 'mkdir -p m; mount --bind $OUT m && echo x > m/new' },
  { name: 'remounts the root writable', script: 'mount -o remount,rw / && echo x > $OUT/new' },
  { name: 'unmounts what hides keys', script: 'umount -l $HOME/.ssh; cat $HOME/.ssh/id_rsa' },
  { name: 'unmounts what protects hooks', script: 'umount -l .git/hooks; echo x > .git/hooks/post-commit' },
  {
    name: 'makes a user namespace and remounts',
    script: 'unshare -Urm sh -c "mount -o remount,rw / && echo x > $OUT/new"',
  },
  { name: 'makes a user namespace', script: 'unshare -U true && echo ESCAPED' },
  { name: 'makes a user namespace by a call', script: call('unshare', '0x10000000') },
  { name: 'makes a user namespace with a process', script: call('clone', '0x10000011', '0', '0', '0', '0') },
  {
    name: 'makes a namespace with the newer call',
    script: perl(
      `my $a = pack("Q8", 0x10000000, 0, 0, 0, 17, 0, 0, 0); my $r = syscall(435, $a, 64); print "ESCAPED\\n" if $r >= 0`,
    ),
  },
  { name: 'makes a mount namespace', script: 'unshare -m true && echo ESCAPED' },
  { name: 'joins the namespaces of process 1', script: 'nsenter -t 1 -m true && echo ESCAPED' },
  {
    name: 'joins a namespace by a call',
    script: perl(
      `open(my $f, "<", "/proc/1/ns/mnt"); my $r = syscall(${number('setns')}, fileno($f), 0); print "ESCAPED\\n" if $r == 0`,
    ),
  },
  {
    name: 'copies a mount by a descriptor',
    script: perl(`my $p = "/"; my $r = syscall(428, -100, $p, 1); print "ESCAPED\\n" if $r >= 0`),
  },
  {
    name: 'opens a file system',
    script: perl(`my $t = "tmpfs"; my $r = syscall(430, $t, 0); print "ESCAPED\\n" if $r >= 0`),
  },
  { name: 'changes the root', script: 'chroot / true && echo ESCAPED' },
  {
    name: 'opens by handle',
    script: perl(
      `my $h = pack("ii", 8, 1) . "x" x 8; my $r = syscall(${number('open_by_handle_at')}, -100, $h, 0); print "ESCAPED\\n" if $r >= 0`,
    ),
  },
  { name: 'makes a device', script: 'mknod disk b 8 0 && echo ESCAPED' },
  {
    name: 'reads memory of the machine',
    script: 'head -c1 /dev/mem /proc/kcore /dev/sda 2>/dev/null | grep -q . && echo ESCAPED',
  },
  {
    name: 'changes a kernel setting',
    script:
      '[ -e /proc/sys/vm/swappiness ] && cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness && echo ESCAPED',
  },
  {
    name: 'writes to /sys',
    script:
      'for f in /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/profiling; do [ -e $f ] && (: >> $f) && echo ESCAPED; done',
  },
  {
    name: 'asks to be spared when memory runs out',
    script: 'echo 0 > /proc/self/oom_score_adj && echo ESCAPED',
  },
  {
    name: 'is no likelier victim than others when memory runs out',
    script: '[ "$(cat /proc/self/oom_score_adj)" -ge 500 ] || echo ESCAPED',
  },
  {
    name: 'shares the name of the machine',
    script: '[ "$(readlink /proc/self/ns/uts)" = "$NAMES" ] && echo ESCAPED',
  },
  {
    name: 'sets the name of the machine',
    // To the one that it has, so that a success does no harm.
    script: `[ "$(readlink /proc/self/ns/uts)" = "$NAMES" ] && ${perl(
      `use POSIX; my $n = (POSIX::uname)[1]; my $r = syscall(${number('sethostname')}, $n, length $n); print "ESCAPED\\n" if $r == 0`,
    )}`,
  },
  {
    name: 'shares the groups of processes of the machine',
    script: '[ "$(readlink /proc/self/ns/cgroup)" = "$GROUPS" ] && echo ESCAPED',
  },
  {
    name: 'leaves its group of processes',
    script:
      'for f in $(find /sys/fs/cgroup -maxdepth 2 -name cgroup.procs 2>/dev/null); do (echo $$ > $f) && echo ESCAPED; done',
  },
  {
    name: 'has a capability',
    script: 'grep -E "^Cap(Eff|Prm|Bnd|Amb)" /proc/self/status | grep -v 0000000000000000 && echo ESCAPED',
  },
  { name: 'can gain privileges', script: 'grep -q "NoNewPrivs:.*1" /proc/self/status || echo ESCAPED' },
];

const reads: readonly Attack[] = [
  { name: 'reads a key', script: 'cat $HOME/.ssh/id_rsa' },
  { name: 'reads a cloud key', script: 'cat $HOME/.aws/credentials' },
  { name: 'reads cookies', script: 'cat $HOME/.config/google-chrome/Cookies' },
  { name: 'reads a sign-in', script: 'cat $HOME/.config/gh/hosts.yml $HOME/.netrc' },
  { name: 'reads what was typed', script: 'cat $HOME/.bash_history' },
  { name: 'reads our token', script: 'cat $DATA/token' },
  { name: 'reads a key through /proc/self/root', script: 'cat /proc/self/root$HOME/.ssh/id_rsa' },
  { name: 'reads a key through a link', script: 'ln -s $HOME/.ssh keys; cat keys/id_rsa; rm keys' },
  { name: 'reads a key through a hard link', script: 'ln $HOME/.ssh/id_rsa key && cat key; rm -f key' },
  { name: 'searches the home', script: 'grep -rs SECRET $HOME $DATA' },
  {
    name: 'packs the home',
    script:
      'tar -cf - $HOME 2>/dev/null | strings 2>/dev/null || tar -cf - $HOME 2>/dev/null | tr -c "[:print:]" "\\n"',
  },
  { name: 'reads passwords of the machine', script: 'grep -q : /etc/shadow && echo ESCAPED' },
  { name: 'reads other environments', script: 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"' },
  {
    name: 'sees other processes',
    script: '[ -e /proc/$VICTIM_PID ] && grep -aq sleep /proc/$VICTIM_PID/cmdline && echo ESCAPED',
  },
  { name: 'ends another process', script: 'kill -9 $VICTIM_PID' },
  { name: 'ends every process', script: 'kill -9 -1' },
  {
    name: 'traces another process',
    script: perl(
      `my $r = syscall(${number('ptrace')}, 16, $ENV{VICTIM_PID} + 0, 0, 0); print "ESCAPED\\n" if $r == 0`,
    ),
  },
  {
    name: 'traces process 1',
    // Without stopping it, which would stop everything here.
    script: perl(`my $r = syscall(${number('ptrace')}, 0x4206, 1, 0, 0); print "ESCAPED\\n" if $r == 0`),
  },
  {
    name: 'reads memory of process 1',
    script: perl(
      `my $b = "x" x 8; open(my $f, "<", "/proc/1/maps"); my ($a) = <$f> =~ /^(\\w+)/; my $l = pack("QQ", unpack("Q", pack("p", $b)), 8); my $o = pack("QQ", hex($a), 8); my $r = syscall(${number('process_vm_readv')}, 1, $l, 1, $o, 1, 0); print "ESCAPED\\n" if $r > 0`,
    ),
  },
  {
    name: 'takes a descriptor of process 1',
    script: perl(`my $p = syscall(434, 1, 0); my $r = syscall(438, $p, 0, 0); print "ESCAPED\\n" if $r >= 0`),
  },
  { name: 'asks the keyring', script: call('keyctl', '0', '-3', '1') },
  {
    name: 'adds a key',
    script: perl(
      `my ($t, $d, $p) = ("user", "x", "y"); my $r = syscall(${number('add_key')}, $t, $d, $p, 1, -3); print "ESCAPED\\n" if $r >= 0`,
    ),
  },
  {
    name: 'uses io_uring',
    script: perl('my $p = "\\0" x 120; my $r = syscall(425, 8, $p); print "ESCAPED\\n" if $r >= 0'),
  },
  {
    name: 'loads a program into the kernel',
    script: perl(
      `my $a = pack("LLLLL", 1, 4, 4, 1, 0) . "\\0" x 100; my $r = syscall(${number('bpf')}, 0, $a, 72); print "ESCAPED\\n" if $r >= 0`,
    ),
  },
  {
    name: 'watches the processor',
    script: perl(
      `my $a = pack("LLQQQQQ", 1, 112, 0, 0, 0, 0, 0x60) . "\\0" x 64; my $r = syscall(${number('perf_event_open')}, $a, 0, -1, -1, 0); print "ESCAPED\\n" if $r >= 0`,
    ),
  },
  { name: 'handles page faults', script: call('userfaultfd', '1') },
  {
    name: 'types into a terminal',
    // Its own one, which it first makes the terminal that controls it: the kernel allows no other.
    script: perl(
      `use POSIX; $| = 1; fork and exit(wait ? 0 : 1); POSIX::setsid(); open(my $m, "+<", "/dev/ptmx"); my $l = pack("i", 0); ioctl($m, 0x40045431, $l); my $n = pack("i", 0); ioctl($m, 0x80045430, $n); open(my $t, "+<", "/dev/pts/" . unpack("i", $n)); my $c = "x"; ioctl($t, 0x5412, $c) and print "ESCAPED\\n"`,
    ),
  },
  { name: 'reads memory that others share under a name', script: 'cat $DEVICE' },
  { name: 'sees memory that others share', script: 'ipcs -m | grep -q " $SHARED " && echo ESCAPED' },
];

/** Some versions of Node fill the name of such a socket with zeros, others do not. */
const abstractSocket = [
  connect('"\\0$ENV{ABSTRACT}"'),
  connect('"\\0$ENV{ABSTRACT}" . "\\0" x (107 - length $ENV{ABSTRACT})'),
].join('; ');

const network: readonly Attack[] = [
  { name: 'connects to docker', script: connect('"$ENV{BASE}/docker.sock"') },
  { name: 'connects to our host', script: connect('"$ENV{DATA}/host.sock"') },
  { name: 'connects to the agent for keys', script: connect('"$ENV{HOME}/.ssh/agent.sock"') },
  { name: 'connects to a message bus', script: connect('"$ENV{BASE}/bus.sock"') },
  {
    name: 'finds sockets of the system',
    script: 'find /run /var/run /tmp -type s 2>/dev/null | grep -q . && echo ESCAPED',
  },
  { name: 'connects to a socket of the temporary folder', script: connect('"$ENV{TEMPORARY}"') },
  { name: 'connects to a socket of the lasting temporary folder', script: connect('"$ENV{LONGER}"') },
  { name: 'connects to a socket of a service', script: connect('"$ENV{SYSTEM}"') },
  { name: 'connects to a socket without a file', script: abstractSocket },
  { name: 'connects to this machine', script: 'cat < /dev/tcp/127.0.0.1/$PORT' },
  { name: 'connects to this machine by name', script: 'cat < /dev/tcp/localhost/$PORT' },
  { name: 'connects by version 6', script: 'cat < /dev/tcp/::ffff:127.0.0.1/$PORT' },
  { name: 'reaches the metadata address', script: 'exec 5<>/dev/tcp/169.254.169.254/80 && echo ESCAPED' },
  { name: 'sends to a name server', script: 'echo x > /dev/udp/9.9.9.9/53 && echo ESCAPED' },
  { name: 'looks a name up', script: 'getent hosts example.com && echo ESCAPED' },
  {
    name: 'has an interface besides loopback',
    script: 'grep -vE "lo:|Inter-|face" /proc/net/dev | grep -q . && echo ESCAPED',
  },
  { name: 'opens a raw socket', script: perl('socket(my $s, 2, 3, 1) and print "ESCAPED\\n"') },
  {
    name: 'talks to the machine around this one',
    script: perl('socket(my $s, 40, 1, 0) and print "ESCAPED\\n"'),
  },
  { name: 'opens a packet socket', script: perl('socket(my $s, 17, 3, 768) and print "ESCAPED\\n"') },
];

const guarded: readonly Attack[] = [
  { name: 'writes a git hook', script: 'echo evil > .git/hooks/post-commit' },
  {
    name: 'replaces the hooks',
    script: 'rm -rf .git/hooks; mkdir -p .git/hooks && echo evil > .git/hooks/post-commit',
  },
  { name: 'renames the hooks', script: 'mv .git/hooks .git/old && mkdir .git/hooks' },
  {
    name: 'renames the repository',
    script: 'mv .git .git2 && mkdir -p .git/hooks && echo evil > .git/config',
  },
  { name: 'writes a hook where the repository keeps them', script: 'echo evil > tools/hooks/post-commit' },
  { name: 'renames the folder of such hooks', script: 'mv tools tools2 && mkdir -p tools/hooks' },
  {
    name: 'renames the folder of workflows',
    script: 'mv .github old && mkdir -p .github/workflows && echo evil > .github/workflows/ci.yml',
  },
  { name: 'changes a workflow', script: 'echo evil > .github/workflows/ci.yml' },
  { name: 'sets a program in git', script: 'git config core.fsmonitor evil' },
  { name: 'replaces the configuration of git', script: 'echo evil > c; mv -f c .git/config' },
  { name: 'leads git elsewhere', script: 'rm -f .git/commondir; echo $WORK/evil > .git/commondir' },
  { name: 'writes settings of an editor', script: 'echo evil > .vscode/tasks.json' },
  { name: 'changes settings of an editor', script: 'echo evil > .vscode/settings.json' },
  {
    name: 'renames settings of an editor',
    script: 'mv .vscode old && mkdir .vscode && echo evil > .vscode/tasks.json',
  },
  { name: 'renames a folder over settings', script: 'mkdir n; echo evil > n/tasks.json; mv -T n .vscode' },
  { name: 'creates settings of an agent', script: 'mkdir -p .claude; echo evil > .claude/settings.json' },
  {
    name: 'replaces the folder for settings of an agent',
    script: 'rmdir .claude; mkdir .claude && echo evil > .claude/settings.json',
  },
  {
    name: 'gives itself rights on such a folder',
    script: 'chmod 777 .parley; echo evil > .parley/config.jsonc',
  },
  { name: 'creates our settings by a link', script: 'mkdir evil; rmdir .parley; ln -s evil .parley' },
  { name: 'creates a file of servers', script: 'rmdir .mcp.json; echo evil > .mcp.json' },
  { name: 'creates a file that a shell runs', script: 'echo evil > .envrc; cp .envrc e; mv -f e .envrc' },
  { name: 'replaces a file that a shell runs', script: 'rmdir .envrc; echo evil > .envrc' },
  { name: 'edits instructions in place', script: 'sed -i s/rules/evil/ AGENTS.md' },
  { name: 'writes instructions', script: 'echo evil >> AGENTS.md' },
  { name: 'exchanges instructions', script: 'echo evil > a; mv -f a AGENTS.md' },
];

export const attacks: readonly Attack[] = [...writes, ...mounts, ...reads, ...network, ...guarded];

/** What a program must not do with the terminal of whoever started it. */
export const terminalAttack: Attack = {
  name: 'writes to the terminal',
  script: '(echo x > /dev/tty) && echo ESCAPED',
};

/** Starts more processes than any program needs. The limit counts for those without root's rights alone. */
export const endlessAttack: Attack = {
  name: 'starts processes without end',
  script: perl(
    `my $most = ${Math.max(4_096, 64 * availableParallelism()) + 100}; my $count = 0; while ($count < $most) { my $p = fork; last unless defined $p; $p or do { sleep 300; exit }; $count += 1 } print "ESCAPED\\n" if $count == $most`,
  ),
};

/** Processes that want to outlive the call; the mark is in their command line. */
export const outlivers: readonly Attack[] = [
  { name: 'a background process', script: 'sleep 987654 &' },
  { name: 'a process in its own session', script: 'setsid sleep 987654 &' },
  { name: 'a process that forked twice', script: '(setsid sh -c "sleep 987654 & exit" &) ; exit' },
  { name: 'a process without environment', script: 'env -i setsid nohup sleep 987654 >/dev/null 2>&1 &' },
  {
    name: 'a process that heeds no signal',
    script: 'setsid sh -c "trap \\"\\" TERM HUP INT; sleep 987654" &',
  },
];
