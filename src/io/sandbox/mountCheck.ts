// Starts a program in a sandbox only if the sandbox is what was wanted. Bubblewrap takes paths, and another
// confined program that can write in the same workspace can put a link to a secret in the place of a guarded
// file between the look at it and the mount. So the last step before the program compares what is mounted. It
// also gives the program its variables and limits, and leaves a mark that the program runs.
import { closeSync, constants, existsSync, fstatSync, openSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { NotPossible } from '../../host/ports.ts';
import type { SandboxNetwork } from '../../model/event.ts';
import { unwrapInNode, unwrapInPerl } from './innerVariables.ts';

/** A path that is mounted on itself, and the file or folder that lies there. */
export interface Pin {
  readonly path: string;
  /** The device and the number of the file. */
  readonly identity: string;
}

/** Opens nothing but the place itself; Node does not name it. */
const onlyPath = 0x200000;

/** What lies at the paths now. None of them may be a link, lie behind one, or be gone. */
export function pinsOf(paths: readonly string[]): readonly Pin[] | NotPossible {
  const pins: Pin[] = [];
  for (const path of paths) {
    const pin = pinOf(path);
    if (!pin) return { refused: `${path} ${problem}` };
    pins.push(pin);
  }
  return pins;
}

function pinOf(path: string): Pin | undefined {
  try {
    const descriptor = openSync(path, onlyPath | constants.O_NOFOLLOW);
    try {
      // The kernel says where this very file lies, whatever the path leads to by now.
      if (readlinkSync(`/proc/self/fd/${descriptor}`) !== path) return undefined;
      const found = fstatSync(descriptor, { bigint: true });
      return found.isSymbolicLink() ? undefined : { path, identity: `${found.dev} ${found.ino}` };
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return undefined;
  }
}

/**
 * The words that start a program if every path is a mount of the file or folder that was there. In the
 * network of the machine it connects to no socket without a file that others have opened.
 */
export function checkedWords(
  pins: readonly Pin[],
  words: readonly string[],
  network: SandboxNetwork = 'off',
): readonly string[] {
  const known = pins.flatMap(({ path, identity }) => [path, identity]);
  const check = network === 'on' ? `${scopeInPerl}${perlCheck}` : perlCheck;
  const start = existsSync(perl) ? [perl, '-e', check] : [process.execPath, '-e', nodeCheck];
  return [...start, String(pins.length), ...known, ...words];
}

const perl = '/usr/bin/perl';

/** Whether the last step leaves a mark; one in Node may not get the descriptor. */
export const leavesMark = process.platform === 'linux' && existsSync(perl);

const problem = 'was changed while the sandbox was made. Nothing has run; try again.';

/** Many compilers at once need less; a program that starts others without end stops there. */
const mostProcesses = Math.max(4_096, 64 * availableParallelism());

/** The kernel's number of prlimit64. */
const limitCalls: { readonly [architecture: string]: number | undefined } = { x64: 302, arm64: 261 };

/** The kernel counts the processes (6) of each namespace by themselves, and has no limit for root. */
function limitsInPerl(): string {
  const call = process.platform === 'linux' ? limitCalls[process.arch] : undefined;
  if (call === undefined) return '';
  return `
my $most = pack("QQ", ${mostProcesses}, ${mostProcesses});
syscall(${call}, 0, 6, $most, 0);`;
}

/**
 * Landlock makes a set of rules (444) and obeys it (446); the numbers are the same everywhere. Kernels before
 * 6.12 do not know the scope (1) and refuse it.
 */
const scopeInPerl = `
my $scope = pack("QQQ", 0, 0, 1);
my $rules = syscall(444, $scope, 24, 0);
syscall(446, $rules, 0) if $rules >= 0;
`;

/** Without a mark nothing runs: it would be started again. */
const markInPerl = leavesMark
  ? `
unless (open(MARK, ">&=", 8) && print(MARK 1) && close(MARK)) {
  print STDERR "parley: the sandbox could not note that the program begins: $!\\n";
  exit 126;
}`
  : '';

const perlCheck = `
my %wanted;
for (1 .. shift) { my $path = shift; $wanted{$path} = shift; }
open(my $in, "<", "/proc/self/mountinfo") or !%wanted or exit 126;
my %mounted;
while (<$in>) {
  my $at = (split / /)[4];
  $at =~ s/\\\\([0-7]{3})/chr oct $1/ge;
  $mounted{$at} = 1;
}
close $in;
for (sort keys %wanted) {
  my @found = lstat;
  next if @found && $mounted{$_} && "$found[0] $found[1]" eq $wanted{$_};
  print STDERR "parley: $_ ${problem}\\n";
  exit 126;
}
${unwrapInPerl}
${limitsInPerl()}
${markInPerl}
exec { $ARGV[0] } @ARGV;
print STDERR "$ARGV[0]: $!\\n";
exit 127;
`;

const nodeCheck = `
const { lstatSync, readFileSync } = require('node:fs');
const [count, ...rest] = process.argv.slice(1);
const mounted = new Set(count === '0' ? [] : readFileSync('/proc/self/mountinfo', 'latin1').split('\\n').map((line) =>
  Buffer.from((line.split(' ')[4] ?? '').replace(/\\\\([0-7]{3})/g, (_, code) =>
    String.fromCharCode(parseInt(code, 8))), 'latin1').toString()));
for (let at = 0; at < 2 * count; at += 2) {
  const [path, wanted] = [rest[at], rest[at + 1]];
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (found && mounted.has(path) && found.dev + ' ' + found.ino === wanted) continue;
  console.error('parley: ' + path + ' ${problem}');
  process.exit(126);
}
const [command, ...args] = rest.slice(2 * count);
${unwrapInNode}
const child = require('node:child_process').spawn(command, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
child.on('error', (error) => { console.error(error.message); process.exit(127); });
child.on('exit', (code, signal) =>
  process.exit(code ?? 128 + require('node:os').constants.signals[signal]));
`;
