// Arguments that change what a program does: they run a command, write a file, or read
// instructions from a file.
import { wordSet } from './commandLine.ts';
import { subcommandNames } from './programs/subcommands.ts';
import { knownName } from './programs/programNames.ts';

/** Whether an argument changes what the program does. */
export function hasEscapingOption([name = '', ...args]: readonly string[]): boolean {
  const program = knownName(name);
  if (args.some((word) => startsAnother.test(word))) return true;
  const known = Object.hasOwn(dangers, program) ? dangers[program] : undefined;
  if (!known) return false;
  return typeof known === 'function' ? known(args) : isEscape(args, known, program);
}

function isEscape(args: readonly string[], known: Dangers, program = ''): boolean {
  const subs = subcommands(args).flatMap((sub) => subcommandNames(program, sub));
  return subs.some((sub) => known.sub?.test(sub)) || args.some((word) => isDanger(word, known));
}

/** Names of options that take a command to run, in any program. */
const starters = wordSet(`
  exec execute cmd command shell program executable interpreter wrapper pager viewer editor speller preview
  askpass rsh hook engine plugin plugins load-extension preprocessor post-renderer pre-invoke post-invoke
  init-script`);
const startsAnother = new RegExp(`^--?(?!no-)(?:[a-z0-9]+-)*(?:${[...starters].join('|')})(?:=|$)`);

/** The first word that is no option, and the words before it that may be option values. */
function subcommands(args: readonly string[]): readonly string[] {
  const first = args.findIndex((word, at) => !word.startsWith('-') && !args[at - 1]?.startsWith('-'));
  return args.slice(0, first < 0 ? args.length : first + 1).filter((word) => !word.startsWith('-'));
}

interface Dangers {
  /** Letters of short options, also within a cluster. */
  readonly short?: string;
  /** Long options; abbreviations match too, because programs accept them. */
  readonly long?: string;
  readonly word?: RegExp;
  /** The subcommand. */
  readonly sub?: RegExp;
}

function isDanger(word: string, { short = '', long = '', word: pattern }: Dangers): boolean {
  if (pattern?.test(word)) return true;
  if (word.startsWith('--')) {
    // Some programs take capital letters as well.
    const name = (word.slice(2).split('=')[0] ?? '').toLowerCase();
    return name !== '' && [...wordSet(long)].some((option) => option.startsWith(name));
  }
  return /^-[^-]/.test(word) && Array.from(short).some((letter) => word.includes(letter));
}

// A search that follows links can leave its folder.
const grepLike: Dangers = { short: 'fR', long: 'file exclude-from dereference-recursive' };
const agLike: Dangers = {
  short: 'fzL',
  long: 'file pre pre-glob hostname-bin pager follow search-zip ignore-file path-to-ignore',
};
const awkLike: Dangers = {
  short: 'fileEdDopW',
  long: 'file include load exec profile debug dump-variables pretty-print',
  word: /system|getline|ARG[VC]|SYMTAB|[|>@]/,
};
const compiler: Dangers = { word: /^(?:-wrapper|-fplugin|-B|-specs|--specs|-Xclang|-load|-fuse-ld|@)/ };
/** Words of SQL that reach files and programs, or that run a text put together by the statement. */
const reachingSql = wordSet(`
  into system program edit attach vacuum copy execute prepare language extension virtual server install load
  import export readfile writefile outfile infile dumpfile fsdir zipfile getenv`);
const reachingFunctions =
  /^(?:load|read|scan|sniff|glob|lo|dblink|sqlar|pg_(?:read|ls|stat_file|file|execute|logdir))(?:_|$)|_scan$|_to_xml/;
const databaseOptions: Dangers = {
  // A backslash or a dot at the start of a line begins a command of the client, DO a block of code.
  word: /\\|(?:^|;|\n)\s*\.|\bdo\b(?!\s+(?:nothing|update)\b)|^-(?:f|init|cmd)|^--(?:file|init|cmd|log-f|out|source)/i,
};

function reachesOut(word: string): boolean {
  const names = word.toLowerCase().match(/\w+/g) ?? [];
  return names.some((name) => reachingSql.has(name) || reachingFunctions.test(name));
}

/**
 * Whether a client of a database may leave it: by a statement, or by lines that it reads from its input. It
 * reads its input unless the line has the statements.
 */
function leavesDatabase(statement: RegExp, operands = Number.POSITIVE_INFINITY) {
  return (args: readonly string[]) => {
    const words = args.filter((word) => !word.startsWith('-'));
    const shows = args.some((word) => /^--?(?:version|help)$|^-[V?]$/.test(word));
    const hasStatement = words.length >= operands || args.some((word) => statement.test(word));
    const isReaching = args.some((word) => isDanger(word, databaseOptions) || reachesOut(word));
    return isReaching || !(hasStatement || shows);
  };
}
const tarLike: Dangers = {
  short: 'xIFTPXhC',
  word: /^[^/]*:/,
  long: `extract get checkpoint-action to-command use-compress-program rsh-command rmt-command info-script
    new-volume-script index-file files-from exclude-from transform xform
    absolute-names dereference directory one-top-level`,
};
const tarring = (args: readonly string[]) =>
  /^[A-Za-z]*[xIFTPXhC]/.test(args[0] ?? '') || args.some((word) => isDanger(word, tarLike));
const containers: Dangers = {
  short: 'vH',
  long:
    'volume volumes-from mount privileged use-api-socket device cap-add security-opt userns pid ipc host ' +
    'context config',
  sub: /^plugin$/,
};
const composed: Dangers = { short: 'S', long: 'suffix' };
/** A file behind `@` has more arguments, which nobody sees here. */
const argumentFiles: Dangers = { word: /^@/ };
/** A list of files behind `@`; `x` and `e` unpack. */
const archiving: Dangers = { word: /^[xe]$|^(?:-[ix]r?)?@/ };
/** These programs write their second file. A pattern may match two files; `-` may be the first one. */
const twoFiles = (args: readonly string[]) => {
  const files = args.filter((word) => !/^-./.test(word) || args.includes('--'));
  return files.length > 1 || files.some((word) => /[*?[]/.test(word));
};

// A copy of what a link leads to may come from anywhere.
const copying: Dangers = { short: 'STL', long: 'suffix no-target-directory dereference' };
const synchronizing: Dangers = {
  short: 'eLkKMf',
  long:
    'filter suffix rsh rsync-path remote-option daemon copy-links copy-dirlinks keep-dirlinks ' +
    'files-from include-from exclude-from password-file',
};

/**
 * Whether the content of a folder is laid over another one: the line names none of the files that this
 * writes. The last word is where they go, unless an option says that.
 */
function copiesContent(args: readonly string[]): boolean {
  const sources = args.some((word) => /^-[a-zA-Z]*t|^--t/.test(word)) ? args : args.slice(0, -1);
  return sources.some((word) => /(?:^|\/)\.{1,2}$|\/$/.test(word));
}

const gitOptions: Dangers & { readonly short: string } = {
  short: 'cCuxO',
  long: `config config-env exec exec-path output output-directory upload-pack receive-pack ext-diff
    textconv open-files-in-pager extcmd tool template
    work-tree git-dir paginate unsafe-paths separate-git-dir filters remote strategy edit prefix`,
  // `git bisect view` runs any command of git, and programs whose path begins with "git".
  // `git worktree repair` writes into the folders that the repository names.
  word: /^(?:run|foreach|repair|view|visualize|config|difftool|mergetool|filter-.*|credential.*)$|\b(?:ext|fd)::|^--stdin-/,
  // A patch names the files it changes. Parts of other commands have two hyphens in their names.
  sub: /^(?:apply|am|quiltimport|.*--.*|remote-.*|shell|daemon|instaweb|(?:send|fetch|imap)-.*|svn|p4|cvs.*|hook|maintenance|upload-.*|receive-pack|http-.*|sh-.*|gui|citool|fast-import|merge-index)$/,
};

/** Letters of options that mean something else in other commands of git. */
const harmlessGit: ReadonlyMap<string, string> = new Map([
  ['add', 'u'],
  ['push', 'u'],
  ['status', 'u'],
  ['stash', 'u'],
  ['diff', 'ucC'],
  ['log', 'ucC'],
  ['show', 'ucC'],
  ['blame', 'cC'],
  ['branch', 'ucC'],
  ['switch', 'cC'],
  ['commit', 'ucC'],
  ['ls-files', 'ucx'],
  ['clean', 'x'],
  ['cherry-pick', 'x'],
]);

/** Commands in which the rest of a word behind `-X` says how to merge. */
const merging: ReadonlySet<string> = wordSet('merge rebase pull cherry-pick revert');

function escapesGit(args: readonly string[]): boolean {
  const [command = ''] = args;
  const harmless = new Set(harmlessGit.get(command));
  const short = Array.from(gitOptions.short).filter((letter) => !harmless.has(letter));
  const words = merging.has(command) ? args.filter((word) => !word.startsWith('-X')) : args;
  return isEscape(words, { ...gitOptions, short: short.join('') }) || namesProgram(args);
}

/** Whether git may complete the name of a command or a merge strategy to the path of a program. */
function namesProgram(args: readonly string[]): boolean {
  const at = args.findIndex((word) => !word.startsWith('-'));
  if (at < 0) return false;
  const command = args[at] ?? '';
  const hasStrategy = /^(?:merge|rebase|pull)$/.test(command) && args.some((word) => /^-[^-X]*s/.test(word));
  return command.includes('/') || hasStrategy || args.slice(0, at).some((word) => !flagsOfGit.has(word));
}

/** Options before a command of git that choose no repository. The word after them is never their value. */
const flagsOfGit: ReadonlySet<string> = wordSet(`
  -h --help -v --version --html-path --info-path --man-path -P --no-pager --no-advice --no-lazy-fetch
  --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs
  --icase-pathspecs`);

const dangers: { readonly [program: string]: Dangers | ((args: readonly string[]) => boolean) } = {
  git: escapesGit,
  grep: grepLike,
  egrep: grepLike,
  fgrep: grepLike,
  zgrep: grepLike,
  rg: agLike,
  ag: agLike,
  ack: agLike,
  ugrep: { short: 'fQ', long: 'file filter pager view config', word: /^---/ },
  // It obeys the file `.ugrep` of the folder, which may name programs.
  ug: () => true,
  find: { word: /^-(?:exec|execdir|ok|okdir|delete|fprint.*|fls|files0-from|L|follow)$/ },
  fd: { short: 'xXL', long: 'exec exec-batch follow search-path base-directory' },
  diff: { short: 'r', long: 'recursive' },
  sed: (args) => !plainSed(args),
  sort: { short: 'oT', long: 'output compress-program temporary-directory files0-from' },
  uniq: twoFiles,
  xxd: twoFiles,
  tree: { short: 'oRl', long: 'fromfile' },
  date: (args) => args.some((word) => isDanger(word, dating)) || setsClock(args),
  file: { short: 'Cmf', long: 'compile magic-file files-from' },
  wc: { long: 'files0-from' },
  du: { short: 'LD', long: 'files0-from dereference exclude-from' },
  shuf: { short: 'o', long: 'output' },
  iconv: { short: 'o', long: 'output' },
  dc: { word: /!/ },
  // These show the variables of all programs of the user, keys included.
  ps: showsVariables,
  // A file of tags names other files.
  less: {
    short: 'oOkStT',
    long: 'log-file tag tag-file lesskey-file lesskey-src lesskey-content',
    word: /^\+/,
  },
  more: { word: /^\+/ },
  fzf: { long: 'preview bind listen become' },
  // These write the files that their input names.
  patch: () => true,
  cpio: () => true,
  tar: tarring,
  gtar: tarring,
  bsdtar: () => true,
  pax: () => true,
  // These list or print, unless a second hyphen takes that back. Behind the archive they are names in it.
  unzip: ([first = '']) => !/^-[lptvzZ][a-zA-Z0-9]*$/.test(first),
  jar: (args) => /^(?:-?[a-z]*x|--extract)/.test(args[0] ?? ''),
  '7z': archiving,
  '7za': archiving,
  unrar: { word: /^[xe]$|^@/ },
  rar: { word: /^[xe]$|^@/ },
  ar: { word: /^-?[a-zA-Z]*x[a-zA-Z]*$|^@/ },
  // A page from another place may include any file, and a prompt may end with options of the pager.
  man: {
    short: 'PHClMmr',
    long: 'pager html config-file local-file manpath systems prompt',
    word: /\//,
  },
  awk: awkLike,
  gawk: awkLike,
  mawk: awkLike,
  nawk: awkLike,
  jq: { short: 'fL', long: 'from-file library-path', word: /\b(?:import|include)\b/ },
  // One option writes a file for each document, under a name from its content.
  yq: {
    short: 'i',
    long: 'inplace in-place split-exp from-file',
    word: /\b(?:(?:str|xml|props|base64)_?)?load|\bsystem\b|^-[^-opI]*s/,
  },
  // Programs that build file names from two words can write any file.
  split: { long: 'filter additional-suffix' },
  csplit: { short: 'fb', long: 'prefix suffix-format' },
  cp: (args) => copiesContent(args) || args.some((word) => isDanger(word, copying)),
  mv: composed,
  ln: composed,
  gzip: { short: 'NS', long: 'name suffix' },
  gunzip: { short: 'NS', long: 'name suffix' },
  xz: composed,
  unxz: composed,
  zip: { short: 'T@', long: 'unzip-command test names-stdin' },
  rsync: (args) => copiesContent(args) || args.some((word) => isDanger(word, synchronizing)),
  scp: { short: 'SoFJD' },
  // Lines of its input run programs of this machine.
  sftp: () => true,
  lftp: () => true,
  ftp: () => true,
  nmap: { long: 'script datadir' },
  gpg: { long: 'exec-path options' },
  wget: {
    // The server may choose the names of many files, also where an address of FTP has a pattern.
    word: /^ftps?:.*[*?[]/i,
    short: 'eiaPBrxmpH',
    long:
      'execute use-askpass config input-file post-file body-file load-cookies directory-prefix ' +
      'content-disposition trust-server-names recursive force-directories mirror page-requisites ' +
      'no-host-directories cut-dirs',
  },
  // The server may choose the file name, and a format (`%output{FILE}`) where it goes.
  curl: (args) => args.some((word) => isDanger(word, downloading)) || composesName(args),
  npm: {
    long: 'script-shell prefix node-options globalconfig userconfig git browser',
    sub: /^(?:exec|explore|edit|config|pkg|init)$/,
  },
  npx: { short: 'c', long: 'call' },
  pnpm: {
    short: 'C',
    long: 'script-shell dir node-options',
    word: /^--config\./,
    sub: /^(?:exec|dlx|config|set|create|init|setup|env|self-update)$/,
  },
  yarn: {
    long: 'script-shell cwd use-yarnrc',
    word: /^exec$/,
    sub: /^(?:dlx|config|plugin|set|create|init|global)$/,
  },
  cargo: { long: 'config', sub: /^watch$/ },
  go: {
    word: /^--?(?:exec|toolexec|vettool|overlay|modfile|C|w)(?:=|$)|^(?:generate|tool)$|-ext(?:ld|ar)/,
  },
  make: { short: 'fCIE', long: 'file makefile directory eval include-dir', word: /^[^-].*=/s },
  gcc: compiler,
  'g++': compiler,
  cc: compiler,
  'c++': compiler,
  clang: compiler,
  'clang++': compiler,
  cmake: { word: /^-[EPC]/ },
  sqlite3: leavesDatabase(/^(?!)/, 2),
  duckdb: (args) => leavesDatabase(/^-(?:c|s)$/, 2)(args) || args.some((word) => /['"]/.test(word)),
  psql: leavesDatabase(/^-[^-]*[cl]|^--(?:com|list)/),
  mysql: leavesDatabase(/^-[^-]*e|^--exe/),
  mariadb: leavesDatabase(/^-[^-]*e|^--exe/),
  jj: {
    short: 'R',
    long: 'config config-file config-toml tool repository',
    sub: /^(?:util|fix|run|config)$/,
  },
  // What is downloaded has the names that its server gives it.
  gh: {
    sub: /^(?:alias|extensions?|ext|config|codespace|cs|copilot|auth|ssh-key|gpg-key|secret)$/,
    word: /^(?:--|download)$/,
  },
  glab: {
    sub: /^(?:alias|config|auth|duo|mcp|ssh-key|gpg-key|securefile)$/,
    word: /^(?:--|download|artifacts?)$/,
  },
  hub: escapesGit,
  hg: { long: 'config cwd repository' },
  svn: { long: 'editor-cmd diff-cmd config-option config-dir' },
  docker: containers,
  podman: containers,
  nerdctl: containers,
  kubectl: { long: 'kubeconfig' },
  helm: { long: 'kubeconfig post-renderer', sub: /^plugin$/ },
  aws: { sub: /^configure$/ },
  // Some shells evaluate the words of a test as arithmetic, and an array index may contain a command.
  test: { word: /^-[vR]$|[[`$]/ },
  '[': { word: /^-[vR]$|[[`$]/ },
  printf: setsVariable,
  install: { short: 'S', long: 'strip-program suffix' },
  // Its server can give every file of the folder to anybody.
  openssl: { word: /^(?:engine|s_server)$|^--?(?:engine|provider|provider-path|config)$/ },
  'ssh-keygen': { short: 'Dw' },
  'ssh-add': { short: 'sS' },
  rustc: { short: 'CZ', long: 'codegen extern sysroot', word: /^@/ },
  ld: argumentFiles,
  nm: argumentFiles,
  objcopy: argumentFiles,
  objdump: argumentFiles,
  strip: argumentFiles,
  strings: argumentFiles,
  size: argumentFiles,
  ranlib: argumentFiles,
  readelf: argumentFiles,
  protoc: argumentFiles,
  tsc: argumentFiles,
  ruff: argumentFiles,
  javac: argumentFiles,
  kotlinc: argumentFiles,
  swiftc: argumentFiles,
  mypy: argumentFiles,
  pylint: argumentFiles,
  exiftool: { short: '@' },
  aria2c: { short: 'i', long: 'input-file conf-path on-download-complete on-download-start' },
  ffmpeg: { word: /^concat$|^concat[a-z]*:/ },
  cscope: { short: 'i' },
  rpm: { short: 'E', long: 'eval pipe define', word: /%\(/ },
  apt: { short: 'oc', long: 'option config-file' },
  'apt-get': { short: 'oc', long: 'option config-file' },
  pandoc: { short: 'FL', long: 'filter lua-filter defaults', word: /\.lua$/ },
  convert: { word: /^[|@]|^\w+:/ },
  magick: { word: /^[|@]|^\w+:/ },
  ip: { word: /^exec$|^-[^-]*b|^--?ba/ },
  tcpdump: { short: 'z' },
  ctags: { short: 'L', long: 'options options-maybe' },
  w3m: { short: 'o', word: /^-config$/ },
  mutt: { short: 'eF' },
  mail: { short: 'S' },
  mailx: { short: 'S' },
  nc: { short: 'ec', long: 'exec sh-exec lua-exec' },
  ncat: { short: 'ec', long: 'exec sh-exec lua-exec' },
  socat: { word: /exec|system|shell|open|creat|pipe/i },
  code: { long: 'install-extension user-data-dir extensions-dir' },
};

const downloading: Dangers = {
  short: 'KJ',
  long: 'config remote-header-name',
  word: /#\d|^[a-z+]+:.*[{[]|^-[^-]*:|%output\{|^--(?:expand-|vari)/i,
};

/**
 * Whether curl saves by the name in an address, or sends a file: both may be a pattern that curl itself
 * expands, also without a scheme.
 */
function composesName(args: readonly string[]): boolean {
  const isNamed = args.some((word) => /^-[^-]*[OT]|^--(?:remote-n|up)/.test(word));
  return isNamed && args.some((word) => /[{[]/.test(word));
}

/** `e` is an option of `ps` also without a hyphen, unless an option before it takes it for its value. */
function showsVariables(args: readonly string[]): boolean {
  const hasValue = (option = '') => /^-[a-zA-Z]*[CGgNOopqsTtUu]$|^--[^=]+$/.test(option);
  const isOption = (word: string, at: number) =>
    /^[a-zA-Z]*e[a-zA-Z]*$/.test(word) && !hasValue(args[at - 1]);
  return args.some((word, at) => isOption(word, at) || /^-[a-zA-Z]*E|\benv/.test(word));
}

const dating: Dangers = { short: 'sf', long: 'set file' };

/** Whether a word is a time to set; behind these options it is a time to show. */
function setsClock(args: readonly string[]): boolean {
  const isShown = (option = '') => /^-[uR]*[dr]$|^--(?:da|ref)[a-z]*$/.test(option);
  return args.some((word, at) => /^[\d.]+$/.test(word) && !isShown(args[at - 1]));
}

/** An option and a conversion (`%n`) set a variable, such as the path in which programs are found. */
function setsVariable(args: readonly string[]): boolean {
  const format = args.find((word) => word !== '--') ?? '';
  return args.some((word) => word.startsWith('-v')) || countsLetters.test(format.replaceAll('%%', ''));
}

const countsLetters = /%[-+#' \d.*hjlqtzL]*n/;

/**
 * A sed script can run commands and write files; only line selection and plain replacements are recognized.
 */
function plainSed(args: readonly string[]): boolean {
  const options = args.filter((word) => word.startsWith('-'));
  const [script] = args.filter((word) => !word.startsWith('-'));
  return options.every((word) => /^-[nErsuz]+$/.test(word)) && script !== undefined && sedScript.test(script);
}

const address = String.raw`(?:\d+|\$|/[^/\\]*/)`;
const sedScript = new RegExp(
  String.raw`^(?:${address}(?:,${address})?)?(?:[pdq=]|s/[^/\\\n]*/[^/\\\n]*/[gI0-9p]*)$`,
);
