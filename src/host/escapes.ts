// Arguments that make another command of a program: they run something, write somewhere, or have it read its orders from a file.
import { programName, words } from './commandLine.ts';

/** Whether some argument makes another command of it. */
export function escapes([name = '', ...args]: readonly string[]): boolean {
  const program = programName(name);
  const known = Object.hasOwn(dangers, program) ? dangers[program] : undefined;
  if (!known) return false;
  if (typeof known === 'function') return known(args);
  const sub = args.find((word) => !word.startsWith('-')) ?? '';
  return known.sub?.test(sub) === true || args.some((word) => isDanger(word, known));
}

interface Dangers {
  /** Letters of short options, also within a cluster. */
  readonly short?: string;
  /** Long options; abbreviations count, since programs accept them. */
  readonly long?: string;
  readonly word?: RegExp;
  /** The first word that is no option. */
  readonly sub?: RegExp;
}

function isDanger(word: string, { short = '', long = '', word: pattern }: Dangers): boolean {
  if (pattern?.test(word)) return true;
  if (word.startsWith('--')) {
    const name = word.slice(2).split('=')[0] ?? '';
    return name !== '' && [...words(long)].some((option) => option.startsWith(name));
  }
  return /^-[^-]/.test(word) && Array.from(short).some((letter) => word.includes(letter));
}

// A search that follows links leaves the folder it was given.
const grepLike: Dangers = { short: 'fR', long: 'file exclude-from dereference-recursive' };
const agLike: Dangers = { short: 'fzL', long: 'file pre pre-glob hostname-bin pager follow search-zip ignore-file path-to-ignore' };
const awkLike: Dangers = { short: 'fileEdop', long: 'file include load exec profile dump-variables pretty-print', word: /system|getline|ARG[VC]|[|>@]/ };
const compiler: Dangers = { word: /^(?:-wrapper|-fplugin|-B|-specs|--specs|-Xclang|-load|-fuse-ld|@)/ };
const database: Dangers = { word: /\\|(?:^|;|\n)\s*\.|program|readfile|writefile|load_extension|outfile|load_file|\binto\b|\bsystem\b|^-(?:f|init|cmd)|^--(?:file|init|cmd)/i };
const twoFiles = (args: readonly string[]) => args.filter((word) => !word.startsWith('-')).length > 1;

const dangers: { readonly [program: string]: Dangers | ((args: readonly string[]) => boolean) } = {
  git: {
    short: 'cCuxO',
    long: `config config-env exec exec-path output output-directory upload-pack receive-pack ext-diff textconv open-files-in-pager extcmd tool template
      work-tree git-dir paginate unsafe-paths separate-git-dir filters remote strategy edit`,
    word: /^(?:run|foreach|ext::.*|config|difftool|mergetool|filter-branch|credential.*)$/,
    sub: /^(?:remote-.*|shell|daemon|instaweb|(?:send|imap)-.*|svn|p4|cvs.*|hook|maintenance|upload-.*|receive-pack|http-.*|sh-.*|gui|citool|web--browse|fast-import|fsmonitor--daemon)$/,
  },
  grep: grepLike, egrep: grepLike, fgrep: grepLike, zgrep: grepLike, rg: agLike, ag: agLike, ack: agLike,
  find: { word: /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls|files0-from|L|follow)$/ },
  fd: { short: 'xXL', long: 'exec exec-batch follow search-path base-directory' },
  diff: { short: 'r', long: 'recursive' },
  sed: (args) => !plainSed(args),
  sort: { short: 'oT', long: 'output compress-program temporary-directory files0-from' },
  uniq: twoFiles, xxd: twoFiles,
  tree: { short: 'oRl', long: 'fromfile' },
  date: { short: 'sf', long: 'set file' },
  file: { short: 'Cmf', long: 'compile magic-file files-from' },
  wc: { long: 'files0-from' }, du: { short: 'LD', long: 'files0-from dereference exclude-from' },
  shuf: { short: 'o', long: 'output' }, iconv: { short: 'o', long: 'output' }, dc: { word: /!/ },
  patch: { short: 'odiB', long: 'output directory input prefix' },
  less: { short: 'oOkS', long: 'log-file lesskey-file', word: /^\+/ }, more: { word: /^\+/ },
  tar: {
    short: 'IFTPXhC', word: /^[A-Za-z]*[IFTPXhC][A-Za-z]*$|^[^/]*:/,
    long: `checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script index-file files-from exclude-from transform xform
      absolute-names dereference directory one-top-level`,
  },
  man: { short: 'PHC', long: 'pager html config-file' },
  awk: awkLike, gawk: awkLike, mawk: awkLike, nawk: awkLike,
  jq: { short: 'fL', long: 'from-file library-path' }, yq: { short: 'i', long: 'inplace in-place' },
  split: { long: 'filter' }, zip: { short: 'T', long: 'unzip-command test' },
  rsync: { short: 'eLkK', long: 'rsh rsync-path copy-links copy-dirlinks keep-dirlinks files-from include-from exclude-from password-file' },
  scp: { short: 'SoFJD' }, sftp: { short: 'SoFJDbB' },
  wget: { short: 'eiaPB', long: 'execute use-askpass config input-file post-file body-file load-cookies directory-prefix' }, curl: { short: 'K', long: 'config' },
  npm: { long: 'script-shell prefix node-options globalconfig userconfig', sub: /^(?:exec|x|explore|edit|config|set|pkg|init|create)$/ }, npx: { short: 'c', long: 'call' },
  pnpm: { short: 'C', long: 'script-shell dir node-options', sub: /^(?:exec|dlx|config|set)$/ }, yarn: { long: 'script-shell cwd use-yarnrc', sub: /^(?:exec|dlx|config)$/ },
  cargo: { long: 'config' }, go: { word: /^--?(?:exec|toolexec|vettool|overlay|modfile|C)(?:=|$)|^(?:generate|tool)$|^-w$/ },
  make: { short: 'fCIE', long: 'file makefile directory eval include-dir', word: /^[^-/][^\s=]*=/ },
  gcc: compiler, 'g++': compiler, cc: compiler, 'c++': compiler, clang: compiler, 'clang++': compiler,
  cmake: { word: /^-[EPC]/ }, sqlite3: database, psql: database, mysql: database, mariadb: database,
  gh: { sub: /^(?:alias|extension|ext|config|codespace)$/ }, hg: { long: 'config cwd repository' }, svn: { long: 'editor-cmd diff-cmd config-option config-dir' },
  docker: { short: 'v', long: 'volume mount privileged device' }, podman: { short: 'v', long: 'volume mount privileged device' },
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
