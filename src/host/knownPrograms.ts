// What is known of programs by name: which run others, which have arguments that make another program of them, and what is worth remembering.
import { programName } from './commandLine.ts';

/** Programs and shell words that run what they are given, or change what the words after them mean. */
const wrappers: ReadonlySet<string> = words(`
  sudo doas su runuser pkexec run0 env xargs parallel nice ionice nohup timeout time stdbuf setsid chroot unshare nsenter flock watch script
  strace ltrace gdb lldb valgrind perf exec command builtin eval source . sh bash zsh dash ksh mksh fish csh tcsh ash rbash busybox toybox pwsh
  powershell cmd ssh mosh screen tmux at batch crontab expect entr proot fakeroot bwrap firejail systemd-run dbus-run-session caffeinate
  chrt taskset numactl prlimit rlwrap unbuffer start-stop-daemon chpst setpriv setarch linux32 linux64 vi vim nvim view ex ed emacs emacsclient
  alias unalias trap declare typeset local export readonly unset let mapfile readarray read enable complete compgen hash bind fc history set
  shopt getopts wait osascript wsl start`);

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
const withThirdWord: ReadonlySet<string> = words('run compose pr issue repo remote stash worktree submodule workspace exec');

/** Programs and sub-commands that only look. */
const readers: ReadonlySet<string> = words(`
  pwd ls cat head tail wc grep egrep fgrep rg find fd tree stat file du df diff cmp comm cut tr sort uniq basename dirname realpath readlink date whoami
  id uname which echo printf true false : cd test [ sed awk jq column nl od xxd strings md5sum sha1sum sha256sum less more man help type`);
const gitReaders: ReadonlySet<string> = words('diff log show status blame grep ls-files ls-tree rev-parse describe shortlog cat-file');

/** Words that do nothing to anything; in company of an allowed command they need no rule of their own. */
const idle: ReadonlySet<string> = words('cd pwd true false :');

export function isWrapper(program: string): boolean {
  return wrappers.has(programName(program)) || program.includes('=') || program.startsWith('-');
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

/** Whether some argument makes another command of it: runs a program, writes a file, or reads its orders from one. */
export function escapes([name = '', ...args]: readonly string[]): boolean {
  const program = programName(name);
  const known = Object.hasOwn(dangers, program) ? dangers[program] : undefined;
  if (!known) return false;
  return typeof known === 'function' ? known(args) : args.some((word) => isDanger(word, known));
}

interface Dangers {
  /** Letters of short options, also within a cluster. */
  readonly short?: string;
  /** Long options; abbreviations count, since programs accept them. */
  readonly long?: string;
  readonly word?: RegExp;
}

function isDanger(word: string, { short = '', long = '', word: pattern }: Dangers): boolean {
  if (pattern?.test(word)) return true;
  if (word.startsWith('--')) {
    const name = word.slice(2).split('=')[0] ?? '';
    return name !== '' && [...words(long)].some((option) => option.startsWith(name));
  }
  return /^-[^-]/.test(word) && Array.from(short).some((letter) => word.includes(letter));
}

const grepLike: Dangers = { short: 'f', long: 'file pre pre-glob hostname-bin pager' };
const awkLike: Dangers = { short: 'fileEdop', long: 'file include load exec profile dump-variables pretty-print', word: /system|getline|[|>@]/ };
const twoFiles = (args: readonly string[]) => args.filter((word) => !word.startsWith('-')).length > 1;

const dangers: { readonly [program: string]: Dangers | ((args: readonly string[]) => boolean) } = {
  git: {
    short: 'cCuxO',
    long: `config config-env exec exec-path output output-directory upload-pack receive-pack ext-diff textconv open-files-in-pager extcmd tool template
      work-tree git-dir paginate unsafe-paths separate-git-dir`,
    word: /^(?:run|foreach|ext::.*|config|difftool|mergetool|filter-branch|credential.*)$/,
  },
  grep: grepLike, egrep: grepLike, fgrep: grepLike, rg: grepLike, ag: grepLike, zgrep: grepLike,
  find: { word: /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls|files0-from)$/ },
  fd: { short: 'xX', long: 'exec exec-batch' },
  sed: (args) => !plainSed(args),
  sort: { short: 'oT', long: 'output compress-program temporary-directory files0-from' },
  uniq: twoFiles, xxd: twoFiles,
  tree: { short: 'oR' },
  date: { short: 's', long: 'set' },
  file: { short: 'Cmf', long: 'compile magic-file files-from' },
  wc: { long: 'files0-from' }, du: { long: 'files0-from' },
  less: { short: 'oOkS', long: 'log-file lesskey-file', word: /^\+/ }, more: { word: /^\+/ },
  tar: { short: 'IF', long: 'checkpoint-action to-command use-compress-program rsh-command info-script new-volume-script index-file', word: /^[^-][A-Za-z]*[IF]/ },
  man: { short: 'PHC', long: 'pager html config-file' },
  awk: awkLike, gawk: awkLike, mawk: awkLike, nawk: awkLike,
  jq: { short: 'fL', long: 'from-file library-path' }, yq: { short: 'i', long: 'inplace in-place' },
  split: { long: 'filter' }, zip: { short: 'T', long: 'unzip-command test' },
  rsync: { short: 'e', long: 'rsh rsync-path' }, wget: { short: 'ei', long: 'execute use-askpass config input-file' },
  npm: { long: 'script-shell prefix node-options globalconfig userconfig' }, pnpm: { short: 'C', long: 'script-shell dir node-options' },
  yarn: { long: 'script-shell cwd use-yarnrc' },
  cargo: { long: 'config' }, go: { word: /^--?(?:exec|toolexec|overlay|modfile)(?:=|$)/ },
  make: { short: 'fCI', long: 'file makefile directory eval include-dir', word: /^\w+[:+?]*=/ },
  test: { word: /^-[vR]$/ }, '[': { word: /^-[vR]$/ }, printf: { word: /^-v/ },
};

/** A stream editor's program can run commands and write files; only lines picked by number or pattern and plain replacements are understood. */
function plainSed(args: readonly string[]): boolean {
  const options = args.filter((word) => word.startsWith('-'));
  const [script] = args.filter((word) => !word.startsWith('-'));
  return options.every((word) => /^-[nErsuz]+$/.test(word)) && script !== undefined && sedScript.test(script);
}

const address = String.raw`(?:\d+|\$|/[^/\\]*/)`;
const sedScript = new RegExp(String.raw`^(?:${address}(?:,${address})?)?(?:[pdq=]|s/[^/\\\n]*/[^/\\\n]*/[gI0-9p]*)$`);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/).filter((word) => word !== ''));
}
