// Lines that move, copy, make or unpack links before they read, for the fuzzer: what was allowed runs with
// the real programs in a copy of a folder with links at several depths. Whoever sees a mark of the folders
// around it, or changes what is there, has left it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { safeGitEnvironment } from '../../src/host/policy/safeGit.ts';

/** Rules of these lines. One without a space is for all words. */
export const linkRules = [
  'mv',
  'cp',
  'ln',
  'git',
  'cat',
  'ls',
  'echo',
  'tar xf t.tar',
  'unzip t.zip',
] as const;

const mark = 'MARK-OF-THE-OUTSIDE';

export interface LinkFolders {
  /** The workspace; it has folders of others around it. */
  readonly root: string;
  /** Runs a line in a new copy of the workspace; says what it should not have done. */
  run(line: string): string | undefined;
}

export function openLinkFolders(base: string): LinkFolders {
  const around = [base, join(base, 'v'), join(base, 'v/w')];
  const [root, original] = [join(base, 'v/w/app'), join(base, 'original')];
  for (const folder of [root, join(base, 'home')]) mkdirSync(folder, { recursive: true });
  const env = {
    PATH: '/usr/bin:/bin',
    HOME: join(base, 'home'),
    ...safeGitEnvironment,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
    ROOT: root,
    ORIGINAL: original,
  };
  fill(root, env);
  const setMarks = () => {
    for (const folder of around) {
      writeFileSync(join(folder, 'secret'), mark);
      writeFileSync(join(folder, mark), '');
    }
  };
  setMarks();
  execFileSync('/bin/cp', ['-a', root, original]);
  const outside = () =>
    JSON.stringify(
      around.map((folder) => [readdirSync(folder), readFileSync(join(folder, 'secret'), 'utf8')]),
    );
  let before = outside();
  return {
    root,
    run(line) {
      const { stdout, stderr } = spawnSync('/bin/bash', ['--norc', '-c', driver, 'fuzz', line], {
        cwd: base,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 20_000,
      });
      if ((stdout + stderr).includes(mark)) return 'reads outside';
      if (outside() === before) return undefined;
      setMarks();
      before = outside();
      return 'writes outside';
    },
  };
}

const driver = '(cd "$ROOT"; eval "$1"; wait); rm -rf -- "$ROOT"; exec cp -a "$ORIGINAL" "$ROOT"';

/** Files and links, as they are in the first commit. */
const texts = ['a', 'b', 'src/x.ts', 'src/deep/y', 'plain/p', 'plain/sub/q', 'lib/z'];
const links: { readonly [path: string]: string } = {
  'src/deep/up': '../..',
  'src/deep/near': '..',
  'src/up': '..',
  'src/deep/dir/in': '../../..',
  'lib/deep': '../src/deep',
  'lib/later': '../r/secret',
  later: 'r',
};

function fill(root: string, env: { readonly [name: string]: string }): void {
  const git = (...args: readonly string[]) => execFileSync('/usr/bin/git', args, { cwd: root, env });
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  };
  for (const path of texts) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  for (const [path, target] of Object.entries(links)) link(path, target);
  git('init', '-q', '-b', 'main', '--template=');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'other');
  link('g', '..');
  git('rm', '-q', 'a');
  link('a', '../secret');
  execFileSync('/bin/tar', ['cf', '../t.tar', 'g'], { cwd: root });
  git('add', '-A');
  git('commit', '-qm', 'second');
  git('checkout', '-q', 'main');
  link('h', '..');
  git('add', 'h');
  git('stash', '-q');
  execFileSync('/bin/mv', ['../t.tar', '.'], { cwd: root });
}

const takers = [
  'mv',
  'mv',
  'mv',
  'cp -a',
  'cp -r',
  'cp -P',
  'cp',
  'ln',
  'ln -s',
  'ln -sfn',
  'ln -s -t',
  'mv -f',
  'mv -T',
  'git mv',
];
const bringers = [
  'git checkout other',
  'git checkout -q other -- g',
  'git stash pop',
  'git merge other',
  'git checkout -b new',
  'git status',
  'tar xf t.tar',
  'git restore --source=other g a',
];
const sources = [
  ...Object.keys(links),
  'src/deep',
  'src/deep/dir',
  'src',
  'plain',
  'plain/sub',
  'a',
  'lib/deep/up',
  'lib/deep/dir',
  'r',
  'src/r',
];
const places = [
  'r',
  'src/r',
  'src/deep/r',
  'lib',
  'plain',
  '.',
  'plain/sub',
  'src',
  'R',
  'a',
  'lib/deep',
  'k',
];
const seen = [
  ...places.filter((place) => place !== '.'),
  'r/in',
  'r/dir/in',
  'r/up',
  'src/r/up',
  'src/r/in',
  'plain/up',
  'plain/in',
  'plain/near',
  'lib/up',
  'lib/dir/in',
  'src/in',
  'in',
  'up',
  'dir/in',
  'deep/up',
  'deep/dir/in',
  'later',
  'lib/later',
  'g',
  'h',
  'k/up',
  'src/deep/near',
  'plain/sub/up',
];
const ends = ['', '/secret', '/secret', '/secret', '/../secret', '/../../secret', '/p', '/w/secret'];
const readers = [
  'cat ',
  'cat ',
  'cat ',
  'cat <',
  'ls ',
  'ls -la ',
  'cp -t plain ',
  'git commit -qF ',
  'echo x >',
];
const joins = [' && ', ' && ', '; ', ' || ', ' | ', ' & ', '\n'];
const folders = ['src/deep', 'src', 'r', 'plain', 'lib/deep', 'k', 'g'];

export function randomLinkLine(random: () => number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const mover = () => (random() < 0.75 ? `${pick(takers)} ${pick(sources)} ${pick(places)}` : pick(bringers));
  const reader = () => {
    const chance = random();
    if (chance < 0.1) return `cd ${pick(folders)} && ${pick(readers)}${pick(['secret', '../secret', 'p'])}`;
    if (chance < 0.15) return 'cp -r plain copy && cat copy/p';
    const command = pick(readers);
    // What is written must not reach beyond the folders that are looked at.
    return command + pick(seen) + (command.startsWith('echo') ? pick(['', '/new']) : pick(ends));
  };
  const commands = [mover(), reader()];
  if (random() < 0.35) commands.splice(Math.floor(random() * 3), 0, random() < 0.6 ? mover() : reader());
  if (random() < 0.15) commands.unshift(`cd ${pick(folders)}`);
  const line = commands.reduce((text, command) => text + pick(joins) + command);
  return random() < 0.06 ? `for f in 1 2; do ${commands.toReversed().join('; ')}; done` : line;
}
