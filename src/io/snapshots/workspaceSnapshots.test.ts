// A file that was there must never be taken for a new one, nor its text for another: an undo would remove or
// overwrite it.
import { execFileSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FileView } from '../../host/workspace/workspaceSnapshots.ts';
import { workspaceSnapshots } from './workspaceSnapshots.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'parley-workspace-')));
  git('init', '-q');
});
afterEach(() => rmSync(root, { recursive: true }));

const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root });
const put = (name: string, text: string) => writeFileSync(join(root, name), text);
const signal = new AbortController().signal;

/** The files that something has changed, and others, as they were before. */
async function before(work: () => void, ...others: readonly string[]) {
  const snapshot = await workspaceSnapshots().take([root], signal);
  work();
  const { paths } = await snapshot.changed(signal);
  const found: { [name: string]: FileView | null | undefined } = {};
  for (const path of [...paths, ...others.map((name) => join(root, name))])
    found[path.slice(root.length + 1)] = await snapshot.before(path);
  await snapshot.close();
  return found;
}

test('of a file that git ignored, and does not ignore any more', async () => {
  put('.gitignore', '.env\nout/\n');
  execFileSync('mkdir', ['out'], { cwd: root });
  put('.env', 'secret');
  put('out/made', 'x');
  const found = await before(() => rmSync(join(root, '.gitignore')), '.env', 'out/made');
  expect(found).toEqual({
    '.gitignore': expect.objectContaining({ text: '.env\nout/\n' }),
    '.env': undefined,
    'out/made': undefined,
  });
});

test.each([
  { it: 'and nothing else has changed', ignored: 'known.txt\nfolder/\nold/\n', change: () => {}, lost: [] },
  {
    it: 'and known files are changed',
    ignored: 'known.txt\nfolder/\nold/\n',
    change: () => ['known.txt', 'folder/known.txt'].forEach((name) => put(name, 'other')),
    changed: ['folder/known.txt', 'known.txt'],
    lost: [],
  },
  {
    it: 'and one of these comes',
    ignored: 'known.txt\nnew.txt\nfolder/\nold/\n',
    change: () => ['new.txt', 'folder/new.txt'].forEach((name) => put(name, 'x')),
    lost: ['folder', 'new.txt'],
  },
  { it: 'and no more what it did', ignored: '', change: () => {}, lost: [] },
  {
    it: 'and no more what is changed',
    ignored: '',
    change: () => put('old/made', 'other'),
    lost: ['old'],
  },
])('of files where git is told to ignore others, $it', async ({ ignored, change, changed = [], lost }) => {
  mkdirSync(join(root, 'folder'));
  mkdirSync(join(root, 'old'));
  ['known.txt', 'folder/known.txt', 'old/made'].forEach((name) => put(name, 'mine'));
  put('.gitignore', 'old/\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  const snapshot = await workspaceSnapshots().take([root], signal);
  put('.gitignore', ignored);
  change();
  const found = await snapshot.changed(signal);
  const known = ['folder/known.txt', 'known.txt'];
  const views = await Promise.all(known.map((name) => snapshot.before(join(root, name))));
  await snapshot.close();
  const names = (paths: readonly string[]) => paths.map((path) => path.slice(root.length + 1)).toSorted();
  expect(views.map((view) => view?.text)).toEqual(['mine', 'mine']);
  expect(names(found.paths)).toEqual(expect.arrayContaining(changed));
  expect(names(found.lost.map(({ path }) => path))).toEqual(lost);
});

test('names a pipe that came, and none that was there', async () => {
  mkdirSync(join(root, 'folder'));
  put('folder/a.txt', 'mine');
  execFileSync('mkfifo', ['old', 'folder/old'], { cwd: root });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const snapshot = await workspaceSnapshots().take([root], signal);
  execFileSync('mkfifo', ['new', 'folder/new'], { cwd: root });
  const { lost } = await snapshot.changed(signal);
  await snapshot.close();
  expect(Object.fromEntries(lost.map(({ path, why }) => [path.slice(root.length + 1), why]))).toEqual({
    'folder/new': 'it is not a regular file.',
    new: 'it is not a regular file.',
  });
});

test('of a file that git does not look at, because the user told it so', async () => {
  put('hidden', 'old');
  put('assumed', 'old');
  git('add', '.');
  git('update-index', '--skip-worktree', 'hidden');
  git('update-index', '--assume-unchanged', 'assumed');
  put('hidden', 'mine');
  put('assumed', 'mine');
  const found = await before(() =>
    ['hidden', 'assumed'].forEach((name) => chmodSync(join(root, name), 0o755)),
  );
  expect(found).toEqual({ hidden: undefined, assumed: undefined });
});

test.each(['removed', 'emptied', 'made anew'])('of a repository in another one that is %s', async (how) => {
  const outer = root;
  root = join(outer, 'work');
  mkdirSync(root);
  git('init', '-q');
  ['changed', 'same', 'gone'].forEach((name) => put(name, 'mine'));
  git('add', '.');
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'x');
  try {
    const mine = expect.objectContaining({ text: 'mine' }) as FileView;
    const work = () => {
      rmSync(join(root, '.git'), { recursive: true });
      if (how === 'emptied') mkdirSync(join(root, '.git'));
      if (how === 'made anew') git('init', '-q');
      put('changed', 'other');
      rmSync(join(root, 'gone'));
    };
    expect(await before(work, 'same')).toEqual({ changed: mine, same: mine, gone: mine });
  } finally {
    root = outer;
  }
});

test('of files beyond the number that is looked at', async () => {
  const names = Array.from({ length: 5_003 }, (_, at) => `f${String(at).padStart(4, '0')}`);
  put('f0000', 'old');
  const id = git('hash-object', '-w', 'f0000').toString().trim();
  const entries = names.map((name) => `100644 ${id}\t${name}\n`).join('');
  execFileSync('git', ['update-index', '--index-info'], { cwd: root, input: entries });
  for (const name of [...names, 'own']) put(name, 'mine');
  const found = await before(() => git('checkout', '-q', '--', 'f0000'), 'f5001', 'own');
  const mine = { text: 'mine', mode: 0o644 };
  expect(found).toMatchObject({ f0000: mine, f5001: undefined, own: undefined });
  expect(Object.keys(found).filter((name) => name >= 'f5000')).toEqual(['f5001', 'own']);
});

test('of all files, after a command has removed the temporary files of others', async () => {
  put('a', 'old');
  git('add', '.');
  const earlier = kept();
  const found = await before(() => {
    for (const name of kept().filter((each) => !earlier.includes(each)))
      rmSync(join(tmpdir(), name), { recursive: true });
    put('new', 'x');
  }, 'a');
  expect(found).toEqual({ a: { text: 'old', mode: 0o644 } });
});

test('of files in a folder that nobody could read', async () => {
  mkdirSync(join(root, 'locked'));
  put('locked/data', 'mine');
  chmodSync(join(root, 'locked'), 0);
  const found = await asOther(() => before(() => chmodSync(join(root, 'locked'), 0o755)));
  expect(found).toEqual({ 'locked/data': undefined });
});

/** Nothing is locked for root. */
async function asOther<T>(work: () => Promise<T>): Promise<T> {
  const { geteuid, seteuid } = process;
  if (geteuid?.() !== 0 || !seteuid) return work();
  execFileSync('chown', ['-R', '65534', root]);
  const { mode } = statSync(tmpdir());
  chmodSync(tmpdir(), 0o777);
  vi.stubEnv('HOME', root);
  seteuid(65_534);
  try {
    return await work();
  } finally {
    seteuid(0);
    vi.unstubAllEnvs();
    chmodSync(tmpdir(), mode);
  }
}

describe('what lies in a workspace for sandboxes', () => {
  const there = new Set<string>();
  const placeholders = () => {
    const now = new Set(there);
    return (path: string) => now.has(path);
  };
  const place = () => {
    for (const name of ['.vscode', '.idea']) mkdirSync(join(root, name));
    put('.envrc', '');
    for (const name of ['.vscode', '.idea', '.envrc']) there.add(join(root, name));
  };
  const remove = () => {
    for (const path of there) rmSync(path, { recursive: true });
    there.clear();
  };
  const changed = async (work: () => void) => {
    const snapshot = await workspaceSnapshots([], placeholders).take([root], signal);
    work();
    const { paths, lost } = await snapshot.changed(signal);
    await snapshot.close();
    return [...paths, ...lost.map(({ path }) => path)].map((path) => path.slice(root.length + 1));
  };
  afterEach(() => there.clear());

  test.each(['with git', 'without git'])('is no change when it comes and when it goes, %s', async (kind) => {
    if (kind === 'without git') rmSync(join(root, '.git'), { recursive: true });
    else put('.git/info/exclude', '.idea\n');
    expect(await changed(place)).toEqual([]);
    expect(await changed(remove)).toEqual([]);
  });

  test('is a change once it holds something, or replaces what did', async () => {
    place();
    expect(await changed(() => put('.envrc', 'export A=1'))).toEqual(['.envrc']);
    remove();
    put('.envrc', 'export A=1');
    const replace = () => {
      rmSync(join(root, '.envrc'));
      place();
    };
    expect(await changed(replace)).toEqual(['.envrc']);
  });
});

const kept = () => readdirSync(tmpdir()).filter((name) => name.startsWith('parley-index-'));

test('a folder that is given twice leaves nothing behind', async () => {
  const earlier = kept();
  const snapshot = await workspaceSnapshots().take([root, root], signal);
  await snapshot.close();
  expect(kept()).toEqual(earlier);
});

describe('many repositories in one workspace', () => {
  let count = { all: 0, now: 0, most: 0 };
  const started = (message: unknown) => {
    const { process: child } = message as { readonly process: ChildProcess };
    count = { all: count.all + 1, now: count.now + 1, most: Math.max(count.most, count.now + 1) };
    child.once('close', () => (count = { ...count, now: count.now - 1 }));
  };
  beforeEach(() => {
    for (let at = 0; at < 8; at += 1) {
      mkdirSync(join(root, `inner${at}`));
      execFileSync('git', ['init', '-q'], { cwd: join(root, `inner${at}`) });
    }
    count = { all: 0, now: 0, most: 0 };
    subscribe('child_process', started);
  });
  afterEach(() => void unsubscribe('child_process', started));

  test('are looked at one after the other', async () => {
    const snapshot = await workspaceSnapshots().take([root], signal);
    put('inner7/new', 'x');
    const { paths } = await snapshot.changed(signal);
    await snapshot.close();
    expect(paths).toEqual([join(root, 'inner7/new')]);
    expect(count.all).toBeGreaterThan(8);
    expect(count.most).toBeLessThanOrEqual(5);
  });

  test('are not looked at any more after a stop', async () => {
    const stop = new AbortController();
    const taking = workspaceSnapshots().take([root], stop.signal);
    await expect.poll(() => count.all, { interval: 1 }).toBeGreaterThan(2);
    stop.abort();
    await (await taking).close();
    expect(count.all).toBeLessThan(12);
  });
});
