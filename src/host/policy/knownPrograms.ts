// What is known of programs by name: which run others, which only look, and what is worth remembering.
import { programName, words } from './commandLine.ts';
import { escapes } from './commandOptions.ts';

/** Programs that run what they are given. */
const runners: ReadonlySet<string> = words(`
  sudo doas su runuser pkexec run0 env xargs parallel nice ionice nohup timeout time stdbuf setsid chroot unshare nsenter flock watch script
  strace ltrace gdb lldb valgrind perf exec command builtin eval source . sh bash zsh dash ksh mksh fish csh tcsh ash rbash busybox toybox pwsh
  powershell cmd ssh mosh screen tmux at batch crontab expect entr proot fakeroot bwrap firejail systemd-run dbus-run-session caffeinate
  chrt taskset numactl prlimit rlwrap unbuffer start-stop-daemon chpst setpriv setarch linux32 linux64 vi vim nvim view ex ed emacs emacsclient
  trap osascript wsl start`);

/** Shells: what they are given to read, they run. */
const shells: ReadonlySet<string> = words(
  'sh bash zsh dash ksh mksh fish csh tcsh ash rbash pwsh powershell cmd',
);

/** Words of the shell that change what the words after them mean. */
const changers: ReadonlySet<string> = words(`
  alias unalias declare typeset local export readonly unset let mapfile readarray read enable complete compgen hash bind fc history set shopt getopts wait`);

/** Those among them after which a name may stand for any program. */
const renamers: ReadonlySet<string> = words('eval source . alias hash enable fc bind');

/** Programs that run a program text; remembered only with every word. */
const interpreters: ReadonlySet<string> = words(`
  node nodejs deno bun python python2 python3 pypy perl ruby php lua luajit rscript julia java scala groovy irb tclsh wish guile racket sbcl
  ghci erl elixir iex swift awk gawk mawk nawk tsx ts-node m4 gnuplot sqlite3 psql mysql`);

/** Programs whose harm lies in their arguments; remembered only with every word. */
const harmful: ReadonlySet<string> = words(`
  rm rmdir unlink shred mv cp dd install ln chmod chown chgrp kill killall pkill shutdown reboot halt mkfs mount umount truncate tee curl wget nc
  ncat socat telnet ftp sftp scp rsync iptables useradd usermod passwd visudo launchctl defaults reg`);

/** Programs whose first word after the name says what they do. */
const withSubcommand: ReadonlySet<string> = words(`
  git npm pnpm yarn npx bunx cargo go docker podman kubectl helm terraform pip pip3 uv poetry gem bundle rails rake mvn gradle dotnet apt apt-get
  dnf brew systemctl gh glab aws gcloud az composer mix stack cabal nix make just task flutter dart rustup conda vagrant jj hg svn pulumi`);

/** Words after which one more word says what is done. */
const withThirdWord: ReadonlySet<string> = words(
  'run compose pr issue repo remote stash worktree submodule workspace exec',
);

/** Programs and sub-commands that only look. */
const readers: ReadonlySet<string> = words(`
  pwd ls cat head tail wc grep egrep fgrep rg find fd tree stat file du df diff cmp comm cut tr sort uniq basename dirname realpath readlink date whoami
  id uname which echo printf true false : cd test [ sed awk jq column nl od xxd strings md5sum sha1sum sha256sum less more man help type`);
const gitReaders: ReadonlySet<string> = words(
  'diff log show status blame grep ls-files ls-tree rev-parse describe shortlog cat-file',
);

/** Words that do nothing to anything; in company of an allowed command they need no rule of their own. */
const idle: ReadonlySet<string> = words('cd pwd true false :');

/** Whether a word runs what it is given, or changes what the words after it mean. */
export function isWrapper(program: string): boolean {
  return (
    runners.has(programName(program)) ||
    changers.has(programName(program)) ||
    program.includes('=') ||
    program.startsWith('-')
  );
}

/** Whether a command, as it is written, tells nothing of what it will start: it runs what it reads, or gives names another meaning. `open` are the words that only the shell knows. */
export function isBlind([name = '', ...args]: readonly string[], open: readonly number[]): boolean {
  const program = programName(name);
  if (open.includes(0) || renamers.has(program)) return true;
  if (runners.has(program) && open.length > 0) return true;
  const plain = args.filter((word) => !word.startsWith('-') || word === '-');
  return (
    (shells.has(program) || interpreters.has(program)) &&
    (plain.length === 0 || plain[0] === '-' || args.includes('-s')) &&
    !args.some((word) => /^--?(?:v|version|h|help)$/i.test(word))
  );
}

/** Where in a command another one may begin: behind a wrapper or a dangerous argument anywhere, behind the words `exec` or `run` of some programs from there on. */
export function innerStarts(command: readonly string[]): readonly number[] {
  const [name = '', ...args] = command;
  if (isWrapper(name) || escapes(command)) return command.map((_, at) => at);
  const program = programName(name);
  const runs = args.findIndex(
    (word) =>
      word === '--' ||
      word === 'exec' ||
      word === 'dlx' ||
      (word === 'x' && program !== 'tar') ||
      (word === 'run' && runsPrograms.has(program)),
  );
  return [
    0,
    ...(program === 'npx' || program === 'bunx' || program === 'uvx'
      ? command.map((_, at) => at).slice(1)
      : runs >= 0 && hasInner.has(program)
        ? command.map((_, at) => at).slice(runs + 2)
        : []),
  ];
}

const hasInner: ReadonlySet<string> = words(
  'docker podman nerdctl kubectl oc npm pnpm yarn bun bundle poetry uv pipenv pdm rye hatch conda mamba mise asdf direnv nix vagrant cmake make just cargo rustup dotenv cross-env',
);
const runsPrograms: ReadonlySet<string> = words(
  'docker podman nerdctl poetry uv pipenv pdm rye hatch conda mamba nix rustup',
);

export function isInterpreter(program: string): boolean {
  return interpreters.has(programName(program));
}

/** Whether what it does to its arguments cannot be undone. */
export function isHarmful(program: string): boolean {
  return harmful.has(programName(program));
}

/** Whether it starts nothing that its arguments name, as long as none of them makes another command of it. */
export function isInert(program: string): boolean {
  const name = programName(program);
  return readers.has(name) || harmful.has(name) || (withSubcommand.has(name) && !hasInner.has(name));
}

export function isIdle([name = '']: readonly string[]): boolean {
  return idle.has(name);
}

export function isReader(command: readonly string[]): boolean {
  const [name = '', sub = ''] = command;
  return (readers.has(name) || (name === 'git' && gitReaders.has(sub))) && !escapes(command);
}

/** What of a command is worth remembering: its name, with the sub-command where that says more; a last `*` stands for any words. */
export function approvalKey(command: readonly string[]): readonly string[] {
  const [name = '', sub, third] = command;
  const plain = /^[\w][\w.+-]*$/.test(name);
  if (!plain || interpreters.has(name) || harmful.has(name) || escapes(command)) return command;
  if (!withSubcommand.has(name)) return [name, '*'];
  if (sub === undefined || !subcommand.test(sub)) return command;
  if (!withThirdWord.has(sub)) return [name, sub, '*'];
  return third !== undefined && subcommand.test(third) ? [name, sub, third, '*'] : command;
}

const subcommand = /^[\w][\w:.@/-]*$/;
