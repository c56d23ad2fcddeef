// What we know about programs by their name: which run others, which only read, and what a
// lasting approval covers.
import { wordSet } from './commandLine.ts';
import type { CommandPart } from './commandLine.ts';
import { hasEscapingOption } from './commandOptions.ts';
import { subcommandNames } from './programs/subcommands.ts';
import { knownName } from './programs/programNames.ts';

/** Programs that run their arguments. */
const runners: ReadonlySet<string> = wordSet(`
  sudo doas su runuser pkexec run0 env xargs parallel nice ionice nohup timeout time stdbuf setsid chroot
  unshare nsenter flock watch script strace ltrace gdb lldb valgrind perf exec command builtin eval source .
  sh bash zsh dash ksh mksh fish csh tcsh ash rbash busybox toybox pwsh powershell cmd ssh mosh screen tmux
  at batch crontab expect entr proot fakeroot bwrap firejail systemd-run dbus-run-session caffeinate chrt
  taskset numactl prlimit rlwrap unbuffer start-stop-daemon chpst setpriv setarch linux32 linux64 vi vim
  nvim vimdiff nvimdiff gvim gvimdiff rvim view rview ex ed emacs emacsclient trap osascript wsl start`);

/** Shells: they run what they read. */
const shells: ReadonlySet<string> = wordSet(
  'sh bash zsh dash ksh mksh fish csh tcsh ash rbash pwsh powershell cmd',
);

/** Shell built-ins that change the meaning of later words. */
const changers: ReadonlySet<string> = wordSet(`
  alias unalias declare typeset local export readonly unset let mapfile readarray read enable complete
  compgen hash bind fc history set shopt getopts wait`);

/** Built-ins after which a name may mean any program. */
const renamers: ReadonlySet<string> = wordSet('eval source . alias hash enable fc bind');

/** Programs that run source code; an approval is stored with every word. */
const interpreters: ReadonlySet<string> = wordSet(`
  node nodejs deno bun python python2 python3 pypy perl ruby php lua luajit rscript julia java scala groovy
  irb tclsh wish guile racket sbcl ghci erl elixir iex swift awk gawk mawk nawk tsx ts-node m4 gnuplot
  sqlite3 psql mysql`);

/** Programs whose arguments decide about the damage; an approval is stored with every word. */
const harmful: ReadonlySet<string> = wordSet(`
  rm rmdir unlink shred mv cp dd install ln chmod chown chgrp kill killall pkill shutdown reboot halt mkfs
  mount umount truncate tee curl wget nc ncat socat telnet ftp sftp scp rsync iptables useradd usermod
  passwd visudo launchctl defaults reg`);

/** Programs with subcommands. */
const withSubcommand: ReadonlySet<string> = wordSet(`
  git npm pnpm yarn npx bunx cargo go docker podman kubectl helm terraform pip pip3 uv poetry gem bundle
  rails rake mvn gradle dotnet apt apt-get dnf brew systemctl gh glab aws gcloud az composer mix stack cabal
  nix make just task flutter dart rustup conda vagrant jj hg svn pulumi`);

/** Subcommands whose next word says what they do. */
const withThirdWord: ReadonlySet<string> = wordSet(
  'run compose pr issue repo remote stash worktree submodule workspace exec',
);

/** Programs and subcommands that only read. */
const readers: ReadonlySet<string> = wordSet(`
  pwd ls cat head tail wc grep egrep fgrep rg find fd tree stat file du df diff cmp comm cut tr sort uniq
  basename dirname realpath readlink date whoami id uname which echo printf true false : cd test [ sed awk
  jq column nl od xxd strings md5sum sha1sum sha256sum less more man help type`);
const gitReaders: ReadonlySet<string> = wordSet(
  'diff log show status blame grep ls-files ls-tree rev-parse describe shortlog cat-file',
);

/** Readers that write or run something, or set a variable, if an option tells them to. */
const steeredReaders: ReadonlySet<string> = wordSet('fd file find git less man more printf rg sed sort tree');
/** Readers that also take other words for a program, an expression or the time. */
const wordReaders: ReadonlySet<string> = wordSet('awk date test [');

/** Programs that print or wait, and open no file that their arguments name. */
const printers: ReadonlySet<string> = wordSet(
  'echo printf pwd true false : sleep date whoami id uname which type basename dirname',
);

/** Commands without effect; beside an allowed command they need no rule of their own. */
const idle: ReadonlySet<string> = wordSet('cd pwd true false :');

/** Whether a word runs its arguments or changes the meaning of the words after it. */
export function isWrapper(program: string): boolean {
  return (
    runners.has(knownName(program)) ||
    changers.has(knownName(program)) ||
    program.includes('=') ||
    program.startsWith('-')
  );
}

/**
 * Whether a command does not show what it will start: it runs what it reads, or redefines names.
 * `open` are the words that only the shell can expand.
 */
export function isBlind([name = '', ...args]: readonly string[], open: readonly number[]): boolean {
  const program = knownName(name);
  if (open.includes(0) || renamers.has(program)) return true;
  if (runners.has(program) && open.length > 0) return true;
  const plain = args.filter((word) => !word.startsWith('-') || word === '-');
  return (
    (shells.has(program) || interpreters.has(program)) &&
    (plain.length === 0 || plain[0] === '-' || args.includes('-s')) &&
    !args.some((word) => /^--?(?:v|version|h|help)$/i.test(word)) &&
    !(/^node(?:js)?$/.test(program) && args.includes('--test'))
  );
}

/**
 * The word positions where another command may begin: anywhere behind a wrapper or a dangerous argument, else
 * behind words such as `exec` and `run`.
 */
export function innerStarts(command: readonly string[]): readonly number[] {
  const [name = '', ...args] = command;
  const from = (start: number) => command.map((_, at) => at).slice(start);
  if (isWrapper(name) || hasEscapingOption(command)) return from(0);
  const program = knownName(name);
  if (program === 'npx' || program === 'bunx' || program === 'uvx') return from(0);
  const runs = args.findIndex(
    (word) =>
      word === '--' ||
      subcommandNames(program, word).includes('exec') ||
      word === 'dlx' ||
      (word === 'x' && program !== 'tar') ||
      (word === 'run' && runsPrograms.has(program)),
  );
  return runs >= 0 && hasInner.has(program) ? [0, ...from(runs + 2)] : [0];
}

const hasInner: ReadonlySet<string> = wordSet(
  'docker podman nerdctl kubectl oc npm pnpm yarn bun bundle poetry uv pipenv pdm rye hatch conda mamba ' +
    'mise asdf direnv nix vagrant cmake make just cargo rustup dotenv cross-env',
);
const runsPrograms: ReadonlySet<string> = wordSet(
  'docker podman nerdctl poetry uv pipenv pdm rye hatch conda mamba nix rustup',
);

/** Whether it runs a program or source code that its arguments name. */
export function startsOthers(program: string): boolean {
  const name = knownName(program);
  return [runners, shells, interpreters, hasInner, withSubcommand].some((names) => names.has(name));
}

/**
 * Whether it runs a program of that name in place of a command that it does not know, and that program may do
 * anything with its arguments.
 */
export function startsByName([name = '', ...args]: readonly string[]): boolean {
  const [program = ''] = args;
  if (knownName(name) !== 'pnpm' || program.startsWith('-') || ownOfPnpm.has(program)) return false;
  return isWrapper(program) || isInterpreter(program) || isHarmful(program) || hasEscapingOption(args);
}

/** Commands of pnpm that are also names of programs. */
const ownOfPnpm: ReadonlySet<string> = wordSet('install link ln rm start view');

/**
 * The position of a subcommand that starts containers as a file of the workspace describes them, which may
 * give them the whole machine; -1 if there is none. A rule must name it.
 */
export function describedWork([name = '', ...args]: readonly string[]): number {
  if (!/^(?:docker|podman|nerdctl)$/.test(knownName(name))) return -1;
  const at = args.findIndex((word, index) => !word.startsWith('-') && !args[index - 1]?.startsWith('-'));
  return args.slice(0, at < 0 ? args.length : at + 1).findIndex((word) => describing.has(word)) + 1 || -1;
}

const describing: ReadonlySet<string> = wordSet('compose stack kube play');

export function isInterpreter(program: string): boolean {
  return interpreters.has(knownName(program));
}

/** Whether its effect on its arguments cannot be undone. */
export function isHarmful(program: string): boolean {
  return harmful.has(knownName(program));
}

/** Whether it starts no program that its arguments name, unless an argument changes what it does. */
export function isInert(program: string): boolean {
  const name = knownName(program);
  return readers.has(name) || harmful.has(name) || (withSubcommand.has(name) && !hasInner.has(name));
}

export function hasNoEffect([name = '']: readonly string[]): boolean {
  return idle.has(name);
}

export function printsOnly(command: readonly string[]): boolean {
  return printers.has(command[0] ?? '') && !hasEscapingOption(command);
}

export function isReader(command: readonly string[]): boolean {
  const [name = '', sub = ''] = command;
  return (readers.has(name) || (name === 'git' && gitReaders.has(sub))) && !hasEscapingOption(command);
}

/**
 * Whether a file name that the shell puts in place of a pattern, such as `-oX`, may tell a reader to write or
 * to run something. A pattern that begins with a letter or a folder makes no option, nor does one after the
 * `--` of git.
 */
export function obeysFileNames({ words, globs }: Pick<CommandPart, 'words' | 'globs'>): boolean {
  const [name = ''] = words;
  if (wordReaders.has(name)) return globs.length > 0;
  const end = name === 'git' && words.includes('--') ? words.indexOf('--') : words.length;
  return steeredReaders.has(name) && globs.some((at) => at < end && !/^[\w./]/.test(words[at] ?? ''));
}

/**
 * What a lasting approval of a command covers: its name, with the subcommand if it has one; a final `*`
 * stands for any words.
 */
export function approvalKey(command: readonly string[]): readonly string[] {
  const [name = '', sub, third] = command;
  const plain = /^[\w][\w.+-]*$/.test(name);
  if (!plain || isInterpreter(name) || isHarmful(name) || hasEscapingOption(command)) return command;
  if (!withSubcommand.has(knownName(name))) return [name, '*'];
  if (sub === undefined || !subcommand.test(sub)) return command;
  if (!withThirdWord.has(sub)) return [name, sub, '*'];
  return third !== undefined && subcommand.test(third) ? [name, sub, third, '*'] : command;
}

const subcommand = /^[\w][\w:.@/-]*$/;
