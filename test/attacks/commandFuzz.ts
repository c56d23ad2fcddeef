// Holds the judge of command lines against a real bash. Random lines are judged under random rules; what was
// allowed runs in a throw-away folder where every program is a stub that records how it was started. A line
// that starts or touches anything that its rules do not allow is a violation.
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from '../../src/host/policy/policy.ts';
import { repositoriesOf } from '../../src/host/turns/judgeIntent.ts';
import { parseRule } from '../../src/host/policy/ruleText.ts';
import { canonical as realCanonical } from '../../src/io/files/canonical.ts';
import { holdsLinks } from '../../src/io/files/holdsLinks.ts';
import { repositoryAt as realRepositoryAt } from '../../src/io/files/repositoryAt.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import type { Rule } from '../../src/model/event.ts';
import { allowable, foreign, randomLine, randomOf } from './commandLines.ts';
import { linkRules, openLinkFolders, randomLinkLine } from './commandLinks.ts';
import type { LinkFolders } from './commandLinks.ts';
import { type Start, touched } from './commandStubs.ts';

export interface FuzzReport {
  readonly tried: number;
  readonly allowed: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly line: string;
  readonly rules: string;
  readonly what: string;
}

/** What a line is judged by. */
export interface Conditions {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** `links` stands for rules in a folder full of links, where the real programs run. */
  readonly how: 'rules' | 'plan' | 'trusted' | 'links';
}

interface Allowed extends Conditions {
  readonly line: string;
  /** The commands that the judge has seen, each as the text of its words. */
  readonly seen: ReadonlySet<string>;
  /** The files that the judge has seen written, as the line names them. */
  readonly written: ReadonlySet<string>;
}

/** So many lines have the same rules, and so many run in one process. */
const batch = 250;

export async function fuzzCommands({
  lines,
  seed,
  progress,
}: {
  readonly lines: number;
  readonly seed: number;
  readonly progress?: (report: FuzzReport) => void;
}): Promise<FuzzReport> {
  const place = openPlace();
  const random = randomOf(seed);
  let report: FuzzReport = { tried: 0, allowed: 0, violations: [] };
  let waiting: Allowed[] = [];
  const run = () => {
    report = {
      ...report,
      allowed: report.allowed + waiting.length,
      violations: [...report.violations, ...place.run(waiting)],
    };
    waiting = [];
    progress?.(report);
  };
  try {
    while (report.tried < lines) {
      const conditions = randomConditions(random);
      const some = Math.min(batch, lines - report.tried);
      const next = conditions.how === 'links' ? randomLinkLine : randomLine;
      for (let at = 0; at < some; at += 1) waiting.push(...(await place.judged(next(random), conditions)));
      report = { ...report, tried: report.tried + some };
      if (waiting.length >= batch) run();
    }
    run();
    return report;
  } finally {
    place.close();
  }
}

/**
 * Holds single lines against bash, each under its own conditions. `forced` ones run whatever the judge says.
 */
export async function tryLines(
  lines: readonly (readonly [line: string, conditions: Conditions])[],
  forced = false,
): Promise<FuzzReport> {
  const place = openPlace();
  try {
    const allowed: Allowed[] = [];
    for (const [line, conditions] of lines)
      allowed.push(...(await place.judged(line, { ...conditions, forced })));
    return { tried: lines.length, allowed: allowed.length, violations: place.run(allowed) };
  } finally {
    place.close();
  }
}

function randomConditions(random: () => number): Conditions {
  const chance = random();
  const allow = allowable.filter(() => random() < 0.7);
  const deny = [...foreign, ...allowable].filter(() => random() < 0.15);
  if (chance < 0.15) return { allow: [], deny: deny.length > 0 ? deny : ['touch'], how: 'trusted' };
  if (chance > 0.95) return { allow: linkRules, deny: [], how: 'links' };
  return { allow, deny, how: chance < 0.3 ? 'plan' : 'rules' };
}

interface Place {
  /** The line where it is allowed, or forced; nothing where it is not. */
  judged(line: string, conditions: Conditions & { readonly forced?: boolean }): Promise<readonly Allowed[]>;
  run(lines: readonly Allowed[]): readonly Violation[];
  close(): void;
}

function openPlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'parley-fuzz-')));
  const root = join(base, 'app');
  const names = [
    'src',
    '.git/hooks',
    'vendor/evil/objects',
    'vendor/evil/refs',
    '../outside',
    '../home',
    '../home/a',
  ];
  for (const name of names) mkdirSync(join(root, name), { recursive: true });
  const files = [
    'a',
    'b',
    'src/x.ts',
    '.git/config',
    '.git/HEAD',
    'vendor/evil/HEAD',
    '../outside/secret',
    '../home/x',
  ];
  for (const file of files) writeFileSync(join(root, file), '');
  symlinkSync('../outside', join(root, 'out'));
  let opened: LinkFolders | undefined;
  const linked = () => (opened ??= openLinkFolders(join(base, 'links')));
  const folders = {
    base,
    root,
    canonical: remembered(realCanonical),
    repositoryAt: remembered(realRepositoryAt),
  };
  return {
    judged: (line, conditions) =>
      judged(line, conditions, conditions.how === 'links' ? { ...folders, root: linked().root } : folders),
    run: (lines) => {
      const plain = lines.filter(({ how }) => how !== 'links');
      return [
        ...(plain.length === 0 ? [] : runAll(plain, folders)),
        ...lines.filter(({ how }) => how === 'links').flatMap((line) => runInLinks(line, linked())),
      ];
    },
    close: () => rmSync(base, { recursive: true, force: true }),
  };
}

interface Folders {
  readonly base: string;
  readonly root: string;
  readonly canonical: typeof realCanonical;
  readonly repositoryAt: typeof realRepositoryAt;
}

/** The folder stays as it is, so what was once looked up need not be looked up again. */
function remembered<T>(look: (path: string) => T): (path: string) => T {
  const known = new Map<string, T>();
  return (path) => {
    const found = known.get(path);
    if (found !== undefined) return found;
    if (known.size > 100_000) known.clear();
    const fresh = look(path);
    known.set(path, fresh);
    return fresh;
  };
}

async function judged(
  line: string,
  { forced, ...conditions }: Conditions & { readonly forced?: boolean },
  folders: Folders,
): Promise<readonly Allowed[]> {
  const { base, root, canonical, repositoryAt } = folders;
  const ruleOf = (effect: Rule['effect'], program: string): Rule => ({
    id: program,
    effect,
    ...(parseRule(program.includes(' ') ? `$ ${program}` : `$ ${program} *`) ?? { tool: '' }),
  });
  const rules = [
    ...conditions.allow.map((name) => ruleOf('allow', name)),
    ...conditions.deny.map((name) => ruleOf('deny', name)),
  ];
  const mode = conditions.how === 'plan' ? 'plan' : undefined;
  const ground = {
    roots: [root],
    rules,
    mode,
    trusted: conditions.how === 'trusted',
    home: join(base, 'home'),
    canonical,
    holdsLinks,
  };
  const parsed = parseCommand(line, 'linux');
  const request = {
    tool: 't',
    title: '',
    name: 'shell_command',
    toolKind: 'execute',
    input: {},
    paths: [root],
    command: line,
    line: parsed,
  } as const;
  const repositoriesAt = async (places: readonly string[]) =>
    new Map(await Promise.all(places.map(async (place) => [place, await repositoryAt(place)] as const)));
  const repositories = await repositoriesOf(request, ground, { repositoriesAt });
  if (!forced && judge(request, { ...ground, repositoryAt: repositories }).effect !== 'allow') return [];
  const seen = new Set(parsed.parts.map(({ words }) => JSON.stringify(words)));
  return [{ line, ...conditions, seen, written: new Set(parsed.parts.flatMap(({ writes }) => writes)) }];
}

/**
 * Functions stand for every program; the path is empty, so that nothing else can be started. Only printf does
 * its work as well, because it can set variables. Each line runs in a process of its own.
 */
const driver = String.raw`
record() {
  local variables='' stdin=''
  [[ "$PATH:$HOME:$IFS" == "$FUZZ_VARIABLES" && -z "${'$'}{CDPATH-}${'$'}{a-}${'$'}{x-}" ]] || variables=set
  local IFS=$'\x1f'
  [[ /dev/stdin -ef "$FUZZ_SECRET" ]] && stdin=secret
  builtin printf '%s\x1e' "$__line$IFS$PWD$IFS$stdin$IFS$variables$IFS$*" >>"$FUZZ_LOG"
}
command_not_found_handle() { record "$@"; return $((RANDOM % 2)); }
for name in echo test pwd type ls cat rm; do
  eval "$name() { record $name \"\$@\"; return \$((RANDOM % 2)); }"
done
printf() { record printf "$@"; builtin printf "$@"; }
true() { record true "$@"; }
false() { record false "$@"; return 1; }
shopt -s nullglob dotglob
FUZZ_VARIABLES="$PATH:$HOME:$IFS"
readonly FUZZ_VARIABLES FUZZ_ROOT FUZZ_LOG FUZZ_LINES FUZZ_OUTSIDE FUZZ_SECRET
listing() { found=(* src/* .git/hooks/* "$FUZZ_OUTSIDE"/* "$HOME"/*); }
builtin cd "$FUZZ_ROOT"; listing; before="${'$'}{found[*]}"
mapfile -d '' -t __lines <"$FUZZ_LINES"
for __line in "${'$'}{!__lines[@]}"; do
  (shopt -u nullglob dotglob; builtin eval "${'$'}{__lines[__line]}"; builtin wait; record '=') </dev/null >/dev/null 2>&1
  listing
  [[ "${'$'}{found[*]}" == "$before" ]] && continue
  for name in "${'$'}{found[@]}"; do
    [[ " $before " == *" $name "* ]] || { record '>' "$name"; /bin/rm -rf -- "$name"; }
  done
done
`;

function runAll(lines: readonly Allowed[], folders: Folders): readonly Violation[] {
  const { base, root, canonical } = folders;
  const [log, list, outside] = [join(base, 'log'), join(base, 'lines'), join(base, 'outside')];
  writeFileSync(log, '');
  writeFileSync(list, lines.map(({ line }) => `${line}\0`).join(''));
  const env = {
    PATH: '/parley-nowhere',
    HOME: join(base, 'home'),
    FUZZ_ROOT: root,
    FUZZ_LOG: log,
    FUZZ_LINES: list,
    FUZZ_OUTSIDE: outside,
    FUZZ_SECRET: join(outside, 'secret'),
  };
  const { error, status } = spawnSync('/bin/bash', ['--norc', '-c', driver], {
    cwd: root,
    env,
    timeout: 120_000,
  });
  if (error ?? status !== 0)
    throw new Error(
      `bash ended with ${error?.message ?? status} on ${JSON.stringify(lines.map(({ line }) => line))}`,
    );
  const records = readFileSync(log, 'utf8').split('\x1e').slice(0, -1);
  return records.flatMap((record): readonly Violation[] => {
    const [at = '', directory = '', stdin = '', variables = '', ...words] = record.split('\x1f');
    const given = lines[Number(at)];
    const start = {
      words,
      directory: canonical(directory),
      secret: stdin !== '',
      variables: variables !== '',
    };
    const what = given && wrong(start, given, folders);
    const rules = given ? `${given.how}, allow ${given.allow.join(' ')}, deny ${given.deny.join(' ')}` : '';
    return what === undefined
      ? []
      : [{ line: given?.line ?? '', rules, what: `${what}: ${JSON.stringify(words)}` }];
  });
}

function runInLinks({ line }: Allowed, folders: LinkFolders): readonly Violation[] {
  const what = folders.run(line);
  return what === undefined ? [] : [{ line, rules: `links, allow ${linkRules.join(', ')}`, what }];
}

/** What of a started program its conditions do not allow. */
function wrong(
  start: Start,
  { allow, deny, how, seen, written }: Allowed,
  { base, root, canonical }: Folders,
): string | undefined {
  const [program = ''] = start.words;
  const isInside = (path: string) => path === root || path.startsWith(`${root}/`);
  const isGuarded = (path: string) =>
    !isInside(path) || path === join(root, '.git') || path.startsWith(join(root, '.git/'));
  const paths = touched(start, join(base, 'home')).map((path) => canonical(path));
  if (deny.includes(program)) return 'starts a program that is forbidden';
  if (program === '>') {
    const isKnown =
      how === 'trusted' || (how === 'rules' && [...written].some((name) => namesFile(name, start)));
    return !isKnown || paths.some(isGuarded) ? 'writes a file' : undefined;
  }
  if (how === 'trusted') return undefined;
  if (start.variables) return 'has set a variable';
  // The end of the line.
  if (program === '=') return undefined;
  if (![...allow, 'cd', 'pwd', 'true', 'false'].includes(program))
    return 'starts a program that no rule allows';
  if (!seen.has(JSON.stringify(start.words))) return 'starts a command that was not judged';
  if (!isInside(start.directory)) return 'runs outside';
  if (start.secret) return 'reads a file outside';
  if (program === 'git' && start.directory.startsWith(join(root, 'vendor')))
    return 'runs git in a foreign repository';
  return paths.some((path) => !isInside(path)) || (writing.has(program) && paths.some(isGuarded))
    ? 'touches a place that is not allowed'
    : undefined;
}

/** The log has the path of a new file from the workspace, the line from where it was. */
function namesFile(name: string, { words }: Start): boolean {
  const base = name.split('/').at(-1) ?? name;
  return (words[1] ?? '').split('/').at(-1) === base;
}

const writing: ReadonlySet<string> = new Set(['cp', 'mv', 'ln', 'tar', 'curl', 'wget']);
