// What a repository brings along must not run under a rule for git: with real repositories and the real git.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../kit/host.ts';
import { nativeRig } from '../kit/nativeRig.ts';
import type { NativeRig } from '../kit/nativeRig.ts';
import type { SettingsValues } from '../../src/host/settings/settings.ts';
import { parseRule } from '../../src/host/policy/ruleText.ts';
import { canonical, isFile } from '../../src/io/files/canonical.ts';
import { repositoriesAt, repositoryAt } from '../../src/io/files/repositoryAt.ts';
import { startsProgramsBelow } from '../../src/io/git/programsBelow.ts';
import { parseCommand } from '../../src/io/processes/parseCommand.ts';
import type { Rule } from '../../src/model/event.ts';
import type { LanguageModel } from '../../src/agents/native/model.ts';

let rig: NativeRig;
let input: object;
let rules: readonly Rule[];
let requests = 0;

/** Calls the tool once with what the test has put down. */
const model: LanguageModel = {
  id: 'm/m',
  name: 'Em',
  async *stream() {
    requests += 1;
    if (requests % 2 === 1)
      yield { type: 'tool-call', id: `c${requests}`, name: 'shell_command', input: JSON.stringify(input) };
    else yield { type: 'text', text: 'Done.' };
    yield { type: 'finish', reason: requests % 2 === 1 ? 'calls' : 'stop' };
  },
};

const git = (...args: string[]) => execFileSync('git', args, { cwd: rig.place.root, stdio: 'ignore' });
const ran = () => Object.keys(rig.place.tree()).filter((name) => name.startsWith('RAN'));

beforeEach(async () => {
  [requests, rules] = [0, []];
  const settings = {
    of: () => ({ limits: {}, approvals: rules }) as unknown as SettingsValues,
    problems: () => [],
    watch: () => () => {},
  };
  const paths = { canonical, isFile, repositoriesAt, startsProgramsBelow };
  rig = await nativeRig([model], {}, () => ({ settings, paths, parseCommand }));
  git('init', '-q');
  for (const [name, value] of [
    ['user.name', 'a'],
    ['user.email', 'a@b'],
  ] as const)
    git('config', name, value);
});
afterEach(() => rig.close());

function allow(...texts: string[]): void {
  rules = texts.map((text) => ({ id: text, effect: 'allow', ...(parseRule(text) ?? { tool: 'none' }) }));
}

/** Whether somebody was asked about the command. What is not asked about runs to its end. */
async function isAsked(given: object): Promise<boolean> {
  input = given;
  const before = rig.chat().turns.length;
  rig.start('Go.');
  const asks = () => Object.values(rig.chat().asks);
  await until(rig.session, () => asks().length > 0 || rig.chat().turns.length > before);
  // A lasting answer would promise what no rule can keep.
  for (const { ask } of asks()) {
    expect(ask.kind === 'approval' && ask.options.map(({ id }) => id)).toEqual(['allow', 'deny']);
  }
  return asks().length > 0;
}

describe('a repository inside the workspace', () => {
  beforeEach(() => {
    allow('$ git *', '$ git status');
    const monitor = `fsmonitor = "touch ${rig.place.root}/RAN"`;
    const config = `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\t${monitor}\n`;
    rig.place.put({
      'vendor/evil/HEAD': 'ref: refs/heads/main\n',
      'vendor/evil/config': `${config}\tworktree = ..\n`,
      'vendor/evil/objects/x': '',
      'vendor/evil/refs/x': '',
      'vendor/own/.git/config': config,
      'vendor/plain/a': '',
    });
  });

  test.each([
    [{ command: 'cd vendor/evil && git status' }, true],
    [{ command: 'git status', working_directory: 'vendor/evil' }, true],
    [{ command: 'cd vendor/own && git status' }, true],
    [{ command: 'git log', working_directory: 'vendor/own' }, true],
    [{ command: 'cd vendor/plain && git status' }, false],
    [{ command: 'git status' }, false],
  ])('%j: asked %s', async (given, asked) => {
    expect([await isAsked(given), ran()]).toEqual([asked, []]);
  });
});

test.each([
  ['../../../.git', false],
  ['../../../.git\n', true],
  ['git', true],
  ['../../../other', true],
])('jj is asked about if its repository is %j: %s', async (target, asked) => {
  allow('$ jj *');
  rig.place.put({ '.jj/repo/store/git_target': target, 'src/a.ts': '' });
  expect(await isAsked({ command: 'cd src && jj log' })).toBe(asked);
});

test.each([['.jj/repo/config.toml'], ['.jj/repo'], ['.jj/workspace-config.toml']])(
  'jj is asked about where a repository brings %s',
  async (file) => {
    allow('$ jj *');
    rig.place.put({ 'src/a': '' });
    expect(await isAsked({ command: 'jj log' })).toBe(false);
    rig.place.put({ [file]: '[ui]\ndiff-formatter = "./evil"\n' });
    expect(await isAsked({ command: 'cd src && jj diff' })).toBe(true);
  },
);

/** An archive can have one. A command may bring its name into the index, and git enters it from then on. */
describe('a repository in the work tree that the index does not name', () => {
  const inside = (...args: string[]) =>
    git('-C', 'vendor/own', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
  const gitmodules =
    '[submodule "own"]\n\tpath = vendor/own\n\turl = https://127.0.0.1:9/x\n\tignore = none\n';

  beforeEach(() => {
    allow('$ git *');
    rig.place.put({
      a: 'a\n',
      '.gitignore': 'evil\n',
      evil: `#!/bin/sh\ntouch ${rig.place.root}/RAN\ncat\n`,
    });
    chmodSync(`${rig.place.root}/evil`, 0o755);
    git('add', '.');
    git('commit', '-qm', 'x');
    git('branch', 'here');
    git('checkout', '-qb', 'topic');
    git('init', '-q', 'vendor/own');
    rig.place.put({ 'vendor/own/.gitattributes': '* filter=x\n', '.gitmodules': gitmodules });
    for (const text of ['one\n', 'two\n']) {
      rig.place.put({ 'vendor/own/f': text });
      inside('add', '.');
      inside('commit', '-qm', text);
      git('add', '.');
      git('commit', '-qm', text);
    }
    git('checkout', '-q', 'here');
    rig.place.put({ 'vendor/own/f': 'three\n' });
  });
  const turnEvil = () => {
    inside('config', 'filter.x.clean', `${rig.place.root}/evil`);
    inside('config', 'diff.external', `${rig.place.root}/evil`);
  };

  test.each([
    'git add . && git status',
    'git add -A && git commit -m x && git status',
    'git add . && git add .',
    'git add . && git stash',
    'git checkout topic',
    'git switch topic',
    'git show --submodule=diff topic',
    'git init -q && git add a vendor && git diff',
  ])('%s: asked if it starts programs, and only then', async (command) => {
    const before = readFileSync(`${rig.place.root}/.git/index`);
    expect(await isAsked({ command })).toBe(false);
    git('checkout', '-q', 'here');
    git('reset', '-q', '--hard', 'here');
    writeFileSync(`${rig.place.root}/.git/index`, before);
    rig.place.put({ 'vendor/own/f': 'three\n' });
    turnEvil();
    expect([await isAsked({ command }), ran()]).toEqual([true, []]);
  });

  test.each([
    'git status',
    'git diff HEAD',
    'git show topic',
    'git log -p topic',
    'git commit -q --allow-empty -m x',
  ])('%s leaves it alone, whatever the settings of the own one are', async (command) => {
    turnEvil();
    git('config', 'diff.submodule', 'diff');
    git('config', 'status.submoduleSummary', 'true');
    expect([await isAsked({ command }), ran()]).toEqual([false, []]);
  });

  test('a folder that makes its own repository first is looked at, too', async () => {
    turnEvil();
    execFileSync('rm', ['-r', `${rig.place.root}/.git`]);
    expect([await isAsked({ command: 'git init -q && git add . && git diff' }), ran()]).toEqual([true, []]);
  });
});

/** Any clone can have such a folder, with hooks that may be executed. */
describe('another repository on this machine, to which something is pushed', () => {
  beforeEach(() => {
    allow('$ git *', '$ git push *');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('init', '-q', '--bare', 'vendor/evil.git');
    rig.place.put({
      'vendor/evil.git/hooks/pre-receive': `#!/bin/sh\ntouch ${rig.place.root}/RAN\n`,
      link: 'gitdir: vendor/evil.git\n',
      'src/a': '',
    });
    chmodSync(`${rig.place.root}/vendor/evil.git/hooks/pre-receive`, 0o755);
  });

  test.each([
    ['git push vendor/evil.git HEAD:refs/heads/x', true],
    ['git push --repo=vendor/evil.git', true],
    ['git remote add evil ./vendor/evil.git', true],
    ['git clone vendor/evil.git src/b', true],
    ['git push . HEAD:refs/heads/x', true],
    // These are refused by git itself.
    ['git push vendor/evil HEAD:refs/heads/x', false],
    ['git push link HEAD:refs/heads/x', false],
    ['git push https://127.0.0.1:9/x src', false],
    ['git add src/a', false],
    // What the other commands of a line name is no repository to exchange with.
    ['git add . && git commit -qm y && git push https://127.0.0.1:9/x main', false],
    ['git fetch https://127.0.0.1:9/x && git diff HEAD -- .', false],
    ['git add . && git push vendor/evil.git HEAD:refs/heads/x', true],
    ['cd vendor && git push evil.git HEAD:refs/heads/x', true],
  ])('%s: asked %s', async (command, asked) => {
    expect([await isAsked({ command }), ran()]).toEqual([asked, []]);
  });

  test.each([
    ['remote.x.url', 'vendor/evil.git'],
    ['remote.x.pushurl', 'file:vendor/evil.git'],
    ['url.vendor/evil.git.pushInsteadOf', 'https://example.com/x'],
  ])('named by %s = %s', async (name, value) => {
    git('config', 'remote.x.url', 'https://example.com/x');
    expect(await isAsked({ command: 'git remote' })).toBe(false);
    git('config', name, value);
    expect([await isAsked({ command: 'git status' }), ran()]).toEqual([false, []]);
    expect([await isAsked({ command: 'git push x HEAD:refs/heads/x' }), ran()]).toEqual([true, []]);
  });
});

const signing =
  '[gpg]\n\tformat = ssh\n[gpg "ssh"]\n\tdefaultKeyCommand = touch RAN\n[commit]\n\tgpgSign = true\n';

describe('settings of the own repository', () => {
  const hook = () => {
    rig.place.put({ '.git/hooks/pre-commit': '#!/bin/sh\ntouch RAN\n' });
    chmodSync(`${rig.place.root}/.git/hooks/pre-commit`, 0o755);
  };
  const commit = { command: 'git commit -q --allow-empty -m x' };

  test('a monitor does not run under a rule', async () => {
    allow('$ git *');
    git('config', 'core.fsmonitor', 'touch RAN; false');
    expect([await isAsked({ command: 'git status' }), ran()]).toEqual([false, []]);
  });

  test('hooks do not run under a rule, nor in the background', async () => {
    allow('$ git *');
    hook();
    const later = { command: 'git commit --allow-empty -m y', background: 'a commit' };
    expect([await isAsked(commit), await isAsked(later), ran()]).toEqual([false, false, []]);
  });

  test('hooks run after a person has approved the commit', async () => {
    hook();
    input = commit;
    await rig.prompt('Commit.');
    expect(ran()).toEqual(['RAN']);
  });

  test.each([
    ['"quoted"', '[alias]\n\tst = ""!touch RAN\n', 'git st'],
    ['continued', '[alias]\n\tst = \\\n!touch RAN\n', 'git st'],
    ['another command of git', '[alias]\n\tst = grep -O./evil evil\n', 'git st'],
    ['the key that signs', signing, 'git commit --allow-empty -m x'],
    [
      'a filter of what is shown',
      '[color]\n\tui = always\n[interactive]\n\tdiffFilter = ./evil\n',
      'git add -p',
    ],
    ['a file that git refuses', '[alias\n', 'git status'],
    [
      'a line of a rebase',
      '[rebase]\n\tinstructionFormat = "%s%nexec ./evil"\n',
      'git rebase --force-rebase HEAD~1',
    ],
    [
      'a hook that git 2.42 and later asks about old objects',
      '[gc]\n\trecentObjectsHook = ./evil\n',
      'git gc',
    ],
  ])('%s: no program of the configuration runs under a rule', async (_, text, command) => {
    allow('$ git *');
    rig.place.put({ evil: '#!/bin/sh\ntouch RAN\ncat\n' });
    chmodSync(`${rig.place.root}/evil`, 0o755);
    git('add', '.');
    git('commit', '-qm', 'x');
    git('commit', '-q', '--allow-empty', '-m', 'y');
    rig.place.put({ evil: '#!/bin/sh\ntouch RAN\ncat\n#\n' });
    appendFileSync(`${rig.place.root}/.git/config`, text);
    expect([await isAsked({ command }), ran()]).toEqual([true, []]);
  });

  test.each([
    ['diff.external', './evil'],
    ['filter.x.clean', './evil'],
    ['diff.x.textconv', './evil'],
    ['alias.st', '!./evil'],
    ['include.path', '../evil'],
    ['core.sshCommand', './evil'],
    ['pull.twohead', 'x/evil'],
    ['pull.octopus', 'x/evil'],
    // Git would write these.
    ['http.cookieFile', '../x'],
    ['format.outputDirectory', '../x'],
  ])('%s = %s is asked about, since the environment cannot switch it off', async (name, value) => {
    allow('$ git *');
    git('config', name, value);
    expect(await isAsked({ command: 'git status' })).toBe(true);
  });
});

/** Names are bytes. */
function copyFolder(from: Buffer, to: Buffer): void {
  mkdirSync(to);
  for (const name of readdirSync(from, 'buffer')) {
    const [source, target] = [from, to].map((each) => Buffer.concat([each, Buffer.from('/'), name]));
    if (!source || !target) continue;
    if (statSync(source).isDirectory()) copyFolder(source, target);
    else writeFileSync(target, readFileSync(source));
  }
}

/** What a repository keeps besides its configuration. */
describe('the git directory of the own repository', () => {
  beforeEach(() => {
    allow('$ git *');
    rig.place.put({ a: 'one\n', 'git-x/evil': `#!/bin/sh\ntouch ${rig.place.root}/RAN\ncat\n` });
    chmodSync(`${rig.place.root}/git-x/evil`, 0o755);
    git('add', '.');
    git('commit', '-qm', 'x');
    git('commit', '-q', '--allow-empty', '-m', 'y');
  });
  const evilFilter = () => `[filter "x"]\n\tclean = ${rig.place.root}/git-x/evil\n\tsmudge = cat\n`;

  test.each([
    ['command line', { 'git-rebase-todo': 'x git-x/evil\n' }],
    ['strategy that is a path', { 'git-rebase-todo': 'pick HEAD\n', strategy: 'x/evil\n' }],
  ])('a rebase that was not finished goes on with no %s', async (_, kept) => {
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: rig.place.root, encoding: 'utf8' });
    const state = { 'head-name': 'refs/heads/x\n', onto: head, 'orig-head': head, interactive: '' };
    const all = { ...state, done: '', end: '1\n', msgnum: '0\n', ...kept };
    for (const [name, text] of Object.entries(all)) rig.place.put({ [`.git/rebase-merge/${name}`]: text });
    expect([await isAsked({ command: 'git rebase --continue' }), ran()]).toEqual([true, []]);
  });

  const hostile = (folder: string) => {
    const text = evilFilter().replace('cat', `${rig.place.root}/git-x/evil`);
    appendFileSync(`${rig.place.root}/${folder}/config`, text);
  };
  const shell = (line: string) => execFileSync('bash', ['-ec', line], { cwd: rig.place.root });
  /** Makes the folder of the workspace a linked work tree. */
  const link = () => {
    shell('mv .git meta; mkdir -p meta/worktrees/w; cp meta/index meta/HEAD meta/worktrees/w');
    shell('mv meta/modules meta/worktrees/w; echo ../.. > meta/worktrees/w/commondir');
    shell('echo "$PWD/.git" > meta/worktrees/w/gitdir; echo "gitdir: meta/worktrees/w" > .git');
  };

  test.each([
    ['its own settings', () => hostile('.git/modules/a/b')],
    [
      'those of another one',
      () => {
        shell('cp -r .git/modules/a/b c; echo ../../../../c > .git/modules/a/b/commondir');
        hostile('c');
      },
    ],
    [
      'its own, in a linked work tree',
      () => {
        link();
        hostile('meta/worktrees/w/modules/a/b');
      },
    ],
    [
      'an index that leads out of it',
      () => shell('sed -i s:aa/xx:../xx: .git/modules/a/b/index; mkdir aa; git ls-files -s'),
    ],
  ])('the repository of a submodule that is not checked out runs no filter: %s', async (_, turnEvil) => {
    const { root } = rig.place;
    git('init', '-q', 'sub');
    rig.place.put({ 'sub/aa/xx': 'f\n', 'sub/.gitattributes': '* filter=x\n' });
    git('-C', 'sub', 'add', '.');
    git('-C', 'sub', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
    git('add', 'sub');
    rig.place.put({ '.gitmodules': '[submodule "a/b"]\n\tpath = sub\n\turl = https://127.0.0.1:9/x\n' });
    execFileSync('mkdir', ['-p', `${root}/.git/modules/a`]);
    execFileSync('mv', [`${root}/sub/.git`, `${root}/.git/modules/a/b`]);
    execFileSync('rm', ['-r', `${root}/sub/aa`, `${root}/sub/.gitattributes`]);
    git('config', 'submodule.a/b.url', 'https://127.0.0.1:9/x');
    git('add', '.');
    expect(await isAsked({ command: 'git submodule status' })).toBe(false);
    turnEvil();
    expect([await isAsked({ command: 'git submodule update' }), ran()]).toEqual([true, []]);
  });

  test.each([
    ['a repository with bits that git ignores', 'git status', Buffer.from([1, 0, 0xe0, 1])],
    ['a path out of the work tree', 'git checkout -- .', '../xxx'],
    ['a path into the git directory', 'git checkout -- . && git diff', '.git/x'],
    ['an absolute path', 'git checkout -- .', '/a/xxx'],
  ])('an index names %s', async (_, command, bytes) => {
    const { root } = rig.place;
    git('init', '-q', 'sub');
    rig.place.put({ 'sub/f': 'f\n', 'sub/.gitattributes': '* filter=x\n', 'aa/xxx': '' });
    git('-C', 'sub', 'add', '.');
    git('-C', 'sub', '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'x');
    git('add', '.');
    const index = readFileSync(`${root}/.git/index`);
    expect(await isAsked({ command })).toBe(false);
    const old = typeof bytes === 'string' ? Buffer.from('aa/xxx') : Buffer.from([0, 0, 0xe0, 0]);
    index.set(Buffer.from(bytes), index.indexOf(old));
    writeFileSync(`${root}/.git/index`, index);
    if (typeof bytes !== 'string') hostile('sub/.git');
    rig.place.put({ 'sub/f': 'g\n' });
    expect([await isAsked({ command }), ran()]).toEqual([true, []]);
    expect(readdirSync(`${root}/..`)).not.toContain('xxx');
  });

  test.each([
    ['COMMIT_EDITMSG', '../../x', true],
    ['logs/refs/heads/x', '/nowhere/x', true],
    ['COMMIT_EDITMSG', 'description', false],
    ['hooks/pre-commit', '../../git-x/evil', false],
    ['info/exclude', '../../../ignored', false],
    ['logs/refs/heads/hooks', '/nowhere/x', true],
    ['logs/refs/heads/info/exclude', '/nowhere/x', true],
    ['logs/refs/heads/lfs/x', '/nowhere/x', true],
    ['logs/refs/heads/modules/x', '/nowhere/x', true],
  ])('a link in place of %s to %s: asked %s', async (name, target, asked) => {
    const path = `${rig.place.root}/.git/${name}`;
    mkdirSync(dirname(path), { recursive: true });
    execFileSync('rm', ['-f', path]);
    execFileSync('ln', ['-s', target, path]);
    expect([await isAsked({ command: 'git commit -q --allow-empty -m z' }), ran()]).toEqual([asked, []]);
  });

  test.each([
    ['commondir', 'c '],
    ['commondir', 'c\nd'],
    ['.git', 'c '],
    ['.git', 'c\nd'],
    ['commondir', 'c\u00ff'],
  ])('a path in %s is read as git reads it: %j', async (file, name) => {
    const { root } = rig.place;
    const bytes = Buffer.from(`${root}/${name}`, name.endsWith('\u00ff') ? 'latin1' : 'utf8');
    // What a careless reader would look at has nothing in it.
    for (const other of ['c', 'c\uFFFD']) execFileSync('cp', ['-r', `${root}/.git`, `${root}/${other}`]);
    copyFolder(Buffer.from(`${root}/.git`), bytes);
    appendFileSync(Buffer.concat([bytes, Buffer.from('/config')]), evilFilter());
    if (file === '.git') execFileSync('rm', ['-r', `${root}/.git`]);
    const content = [file === '.git' ? 'gitdir: ' : '', bytes, '\n'].map((part) => Buffer.from(part));
    writeFileSync(`${root}/${file === '.git' ? '.git' : '.git/commondir'}`, Buffer.concat(content));
    rig.place.put({ a: 'two\n', '.gitattributes': '* filter=x\n' });
    expect([await isAsked({ command: 'git diff' }), ran()]).toEqual([true, []]);
  });
});

test('the settings of a linked work tree are those of its repository, and what is no plain file may say anything', async () => {
  const { root } = rig.place;
  rig.place.put({
    'main/.git/config': '[core] bare = false\n',
    'main/.git/worktrees/w/commondir': '../..\n',
    'w/.git': `gitdir: ${root}/main/.git/worktrees/w\n`,
    'odd/.git': 'nothing\n',
  });
  const linked = { folder: `${root}/w`, bare: false, startsPrograms: false, hasLocalRemote: false };
  expect(await repositoryAt(`${root}/w`)).toEqual(linked);
  rig.place.put({ 'main/.git/config': '[diff] external = ./evil\n' });
  expect(await repositoryAt(`${root}/w`)).toEqual({ ...linked, startsPrograms: true });
  execFileSync('mkfifo', [`${root}/main/.git/config.worktree`]);
  const unknown = (folder: string) => ({
    folder: `${root}/${folder}`,
    bare: true,
    startsPrograms: true,
    hasLocalRemote: true,
  });
  expect(await repositoryAt(`${root}/odd`)).toEqual(unknown('odd'));
  rig.place.put({ 'main/.git/config': '' });
  expect(await repositoryAt(`${root}/main`)).toEqual(unknown('main'));
});
