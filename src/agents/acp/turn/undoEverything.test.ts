// Whatever an agent does to files and however it reports that, an undo of everything, if it includes what no
// report explains, gives the files of the start, byte for byte and with their permissions; what it leaves
// different it names, with the reason. A redo of everything gives the files that the agent has left. An undo
// that does not include it keeps every byte of the user.
import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prompt } from '../../../../test/kit/agentRig.ts';
import { start } from '../../../../test/kit/agentStart.ts';
import { contains } from '../../../base/paths.ts';
import { testClient } from '../../../../test/kit/host.ts';
import type { Session } from '../../../host/session/session.ts';
import { openChanges, undoneChanges, withUnattributed } from '../../../host/workspace/revertEdits.ts';
import type { RevertResult } from '../../../host/workspace/revertEdits.ts';
import { recordReverted } from '../../../host/workspace/revertedEdits.ts';

/** The last one once found a file that was changed and changed back, with one of both in the log. */
const seeds = [1, 2, 3, 4, 5, 6, 16, 20261121, 20261153];
const given = {
  'a.txt': 'one\ntwo\n',
  'open.txt': 'no line end',
  'crlf.txt': '\uFEFFone\r\ntwo\r\n',
  'empty.txt': '',
  'run.sh': '#!/bin/sh\n',
  'private.txt': 'mine\n',
  'picture.png': new Uint8Array([0x89, 0x50, 0, 0xff]),
  'folder/deep.txt': 'deep\n',
};
const names = [...Object.keys(given), 'link', 'new.txt', 'folder/new.txt'];
/** Whatever else is in a workspace. */
const others = [
  'mkdir hollow build && printf keep > ignored.txt && printf keep > build/out.txt',
  "printf 'ignored.txt\\nbuild/\\n' > .gitignore && printf keep > $(printf 'odd\\351.txt')",
  'mkdir nested && cd nested && git init -q && printf one > n.txt && git add . && printf two > u.txt',
  'chmod 750 nested ../folder 2>/dev/null || chmod 750 ../nested ../folder',
].join('\n');
/** What a command does to it. */
const commands = [
  "printf x >> $(printf 'odd\\351.txt')",
  "printf x > $(printf 'new\\351.txt')",
  "rm $(printf 'odd\\351.txt')",
  'printf x >> nested/n.txt',
  'printf x >> nested/u.txt; printf x > nested/new.txt',
  'rm nested/u.txt',
  'printf x >> ignored.txt',
  'rm ignored.txt',
  'printf x >> build/out.txt',
  'mkdir -p build/new && rm -f build/out.txt',
  'mkdir -p made/a/b',
  'mkdir -p fresh/deep && printf x > fresh/deep/f.txt',
  'rmdir hollow',
  'chmod 700 folder',
  'rm -r folder',
  'rm -rf .git nested/.git',
];
const texts = ['', 'x', 'one\ntwo\n', 'one\ntwo', 'new\r\n', '\uFEFFnew\n', 'ä€𝄞\n'];

for (const place of ['repository', 'folder'] as const)
  for (const seed of seeds)
    test(`after random changes in a ${place} everything is as before (seed ${seed})`, async () => {
      const random = randomOf(seed);
      const { rig, session } = await start();
      const { root } = rig.place;
      rig.place.put(given);
      chmodSync(join(root, 'run.sh'), 0o755);
      symlinkSync('a.txt', join(root, 'link'));
      chmodSync(join(root, 'private.txt'), 0o600);
      execFileSync('/bin/sh', ['-c', others], { cwd: root });
      if (place === 'repository') commit(root, random);
      const before = snapshot(root);
      for (let turn = 0; turn < 3; turn += 1) {
        const directives = Array.from({ length: 4 }, () => action(random, root, snapshot(root))).flat();
        directives.push(`try do cd ${root} && ${random.of(commands)}`);
        await prompt(session, directives.join('\n'));
      }
      const changed = snapshot(root);
      const undone = await rig.host.revertChanges(withUnattributed(openChanges(session.state)), session);
      recordReverted(session, undone, testClient);
      await session.settled();
      const after = snapshot(root);
      const refused = undone.left.filter(({ why }) => why !== '').map(({ path }) => path);
      // Even where a folder is named, or a repository that is gone, each of the given files is named itself.
      const kept = new Set([...Object.keys(given), 'link'].map((name) => join(root, name)));
      const isSaid = (path: string) =>
        refused.some((each) => (kept.has(path) ? each === path : contains(each, path)));
      expect(
        differing(before, after).filter((path) => !isSaid(path)),
        story(session),
      ).toEqual([]);
      // What is plain text in the beginning is never refused.
      const plain = undone.left.filter(({ why }) => !/UTF-8|link|folder|git ignores|repository/.test(why));
      expect(plain, story(session)).toEqual([]);
      const redone = await rig.host.redo(session, undoneChanges(session.state), testClient);
      expect([redone.left, undoneChanges(session.state)], story(session)).toEqual([[], []]);
      expect(
        differing(changed, snapshot(root)).filter((path) => !isSaid(path)),
        story(session),
      ).toEqual([]);
    });

test.each([
  ['repository', 'a file in the place of a folder', 'rename folder old\nrename a.txt folder'],
  ['folder', 'a file in the place of a folder', 'rename folder old\nrename a.txt folder'],
  ['repository', 'a folder in the place of a file', 'remove a.txt\nrename folder a.txt'],
  ['folder', 'a folder in the place of a file', 'remove a.txt\nrename folder a.txt'],
])('in a %s, %s is taken back and redone', async (place, _, lines) => {
  const { rig, session } = await start();
  const { root } = rig.place;
  rig.place.put({ 'a.txt': 'one\n', 'folder/deep.txt': 'deep\n' });
  if (place === 'repository') execFileSync('git', ['init', '-q'], { cwd: root });
  if (place === 'repository') execFileSync('git', ['add', '.'], { cwd: root });
  const before = snapshot(root);
  await prompt(session, lines.replaceAll(/ (?=\w)/g, ` ${root}/`));
  const changed = snapshot(root);
  const undone = await rig.host.revertChanges(withUnattributed(openChanges(session.state)), session);
  recordReverted(session, undone, testClient);
  await session.settled();
  expect([undone.left, differing(before, snapshot(root))], story(session)).toEqual([[], []]);
  const redone = await rig.host.redo(session, undoneChanges(session.state), testClient);
  expect([redone.left, differing(changed, snapshot(root))], story(session)).toEqual([[], []]);
});

test('what is known of a repository is taken back after it is gone', async () => {
  const { rig, session } = await start();
  const { root } = rig.place;
  rig.place.put({ 'a.txt': 'one\n' });
  execFileSync('git', ['init', '-q'], { cwd: root });
  execFileSync('git', ['add', '.'], { cwd: root });
  const before = snapshot(root);
  const path = join(root, 'a.txt');
  await prompt(session, `call fs/write_text_file ${JSON.stringify({ path, content: 'two\n' })}`);
  await prompt(session, `remove ${path}\ntry do cd ${root} && rm -rf .git`);
  const undone = await rig.host.revertChanges(openChanges(session.state), session);
  expect(differing(before, snapshot(root)), story(session)).toEqual([]);
  expect(undone.left).toEqual([
    { path: root, why: expect.stringContaining('its repository cannot be read any more') as string },
  ]);
});

test('a file is taken back that a command has made git ignore', async () => {
  const { rig, session } = await start();
  const { root } = rig.place;
  rig.place.put(given);
  execFileSync('git', ['init', '-q'], { cwd: root });
  const before = snapshot(root);
  await prompt(session, `try do cd ${root} && echo a.txt > .gitignore && echo folder >> .gitignore`);
  await prompt(session, `try do cd ${root} && echo x >> a.txt`);
  await prompt(session, `try do cd ${root} && echo open.txt >> .gitignore && echo x >> open.txt`);
  const undone = await rig.host.revertChanges(withUnattributed(openChanges(session.state)), session);
  expect([undone.left, differing(before, snapshot(root))], story(session)).toEqual([
    [{ path: join(root, 'a.txt'), why: expect.stringContaining('git ignores it') as string }],
    [join(root, 'a.txt')],
  ]);
});

test.each([
  {
    place: 'repository',
    command: 'rm -rf .git && git init -q',
    name: '.git',
    why: 'it is another repository now',
  },
  { place: 'folder', command: 'git init -q', name: '.git', why: 'it is an internal folder of a tool' },
  {
    place: 'folder',
    command: 'mkdir node_modules && touch node_modules/x',
    name: 'node_modules',
    why: 'it is an internal folder of a tool',
  },
])('in a $place, what "$command" changes is named', async ({ place, command, name, why }) => {
  const { rig, session } = await start();
  const { root } = rig.place;
  rig.place.put(given);
  symlinkSync('a.txt', join(root, 'link'));
  if (place === 'repository') commit(root, randomOf(1));
  await prompt(session, `try do cd ${root} && ${command}`);
  const undone = await rig.host.revertChanges(openChanges(session.state), session);
  expect(undone.left).toEqual([{ path: join(root, name), why: expect.stringContaining(why) as string }]);
});

for (const place of ['repository', 'folder'] as const)
  for (const seed of seeds)
    test(`an undo in a ${place} keeps what the user has written meanwhile (seed ${seed})`, async () => {
      const random = randomOf(seed + 100);
      const { rig, session } = await start();
      const { root } = rig.place;
      rig.place.put(given);
      symlinkSync('a.txt', join(root, 'link'));
      if (place === 'repository') commit(root, random);
      const before = snapshot(root);
      const user = new UserEdits(random, root);
      for (let turn = 0; turn < 3; turn += 1) {
        const directives = Array.from({ length: 5 }, () =>
          random.below(3) === 0 ? [user.directive()] : sharing(random, root),
        );
        await prompt(session, directives.flat().join('\n'));
        if (random.below(2) === 0) user.edit();
      }
      if (random.below(2) === 0) user.edit();
      const words = textsIn(root);
      const undone = (await rig.host.undo(session.id, { after: undefined }, testClient)) as RevertResult;
      const left = textsIn(root);
      expect(
        user.marks.filter((mark) => words.includes(mark) && !left.includes(mark)),
        story(session),
      ).toEqual([]);
      const refused = new Set(undone.left.filter(({ why }) => why !== '').map(({ path }) => path));
      const touched = (path: string) => refused.has(path) || user.paths.has(path);
      expect(
        differing(before, snapshot(root)).filter((path) => !touched(path)),
        story(session),
      ).toEqual([]);
    });

for (const place of ['repository', 'folder'] as const)
  for (const seed of seeds)
    test(`an undo in a ${place} keeps permissions that the user has set since (seed ${seed})`, async () => {
      const random = randomOf(seed + 200);
      const { rig, session } = await start();
      const { root } = rig.place;
      rig.place.put({ ...given, 'chosen.txt': 'mine\n' });
      symlinkSync('a.txt', join(root, 'link'));
      if (place === 'repository') commit(root, random);
      const agent = () => [
        `try mode ${join(root, 'chosen.txt')} 755`,
        ...action(random, root, snapshot(root)),
      ];
      for (let turn = 0; turn < 2; turn += 1) await prompt(session, [...agent(), ...agent()].join('\n'));
      const chosen = [...snapshot(root)].flatMap(([path, what]) =>
        what.startsWith('file') && (path.endsWith('chosen.txt') || random.below(2) === 0) ? [path] : [],
      );
      for (const path of chosen) chmodSync(path, 0o640);
      const undone = await rig.host.revertChanges(withUnattributed(openChanges(session.state)), session);
      const after = snapshot(root);
      // A file that the agent removed and made again is another file than the one that comes back.
      const remade = openChanges(session.state).flatMap((change) =>
        'after' in change && (change.before === null || change.after === null) ? [change.path] : [],
      );
      const lost = chosen.filter(
        (path) => !remade.includes(path) && after.has(path) && !after.get(path)?.startsWith('file 640'),
      );
      expect(lost, story(session)).toEqual([]);
      const isSaid = undone.left.some(({ why }) => why.includes('other permissions since'));
      expect([isSaid, after.get(join(root, 'chosen.txt'))?.slice(0, 8)], story(session)).toEqual([
        true,
        'file 640',
      ]);
    });

/** What an agent does that works on the files as it finds them, as most agents do. */
function sharing(random: Random, root: string): readonly string[] {
  const path = join(root, random.of(['a.txt', 'open.txt', 'crlf.txt', 'empty.txt', 'new.txt']));
  const other = join(root, random.of(['a.txt', 'moved.txt', 'folder/new.txt']));
  const text = JSON.stringify(`agent-${random.below(1_000_000)}\n`);
  const id = `s${random.below(1_000_000)}`;
  const begin = (kind: string) =>
    `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Do', kind, status: 'in_progress', locations: [{ path }] })}`;
  const end = (more: object = {}) =>
    `update ${JSON.stringify({ sessionUpdate: 'tool_call_update', toolCallId: id, status: 'completed', ...more })}`;
  const whole = { content: [{ type: 'diff', path, newText: JSON.parse(text) as string }] };
  const permission = { toolCall: { toolCallId: id, title: 'Do', kind: 'edit', locations: [{ path }] } };
  const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }];
  return random.of<readonly string[]>([
    [`append ${path} ${text}`],
    [`revise ${path} ${text}`],
    [`revise ${path} ${text}`],
    [`through ${path} ${text}`],
    [begin('edit'), `through ${path} ${text}`, end()],
    [
      begin('edit'),
      `through ${path} ${text}`,
      `try append ${path} "user-inside\\n"`,
      `through ${path} ${text}`,
      end(),
    ],
    [
      `call session/request_permission ${JSON.stringify({ ...permission, options })}`,
      `through ${path} ${text}`,
      end(),
    ],
    [begin('edit'), `append ${path} ${text}`, end()],
    [begin('execute'), `append ${path} ${text}`, end()],
    [begin('edit'), `put ${path} ${text}`, end(whole)],
    [`try rename ${path} ${other}`],
    [begin('move'), `try rename ${path} ${other}`, end()],
    [`try remove ${path}`],
    [begin('delete'), `try remove ${path}`, end()],
  ]);
}

/** A user who writes while the agent works, between turns and after them. */
class UserEdits {
  readonly #random: Random;
  readonly #root: string;
  readonly marks: string[] = ['user-inside\n'];
  readonly paths = new Set<string>();

  constructor(random: Random, root: string) {
    this.#random = random;
    this.#root = root;
  }

  /** An edit for the program of the agent to make; the host cannot tell the difference. */
  directive(): string {
    const { path, mark } = this.#next();
    return `append ${path} ${JSON.stringify(mark)}`;
  }

  edit(): void {
    const { path, mark } = this.#next();
    appendFileSync(path, mark);
  }

  #next(): { readonly path: string; readonly mark: string } {
    const files = ['a.txt', 'open.txt', 'crlf.txt', 'empty.txt', 'new.txt', 'moved.txt', 'mine.txt'];
    const path = join(this.#root, this.#random.of(files));
    const mark = `user-${this.marks.length}\n`;
    this.marks.push(mark);
    this.paths.add(path);
    return { path, mark };
  }
}

/** All that is written in the files below a folder. */
function textsIn(root: string): string {
  const files = [...snapshot(root)].filter(([, view]) => view.startsWith('file'));
  return files.map(([path]) => readFileSync(path, 'utf8')).join('\n');
}

function differing(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): readonly string[] {
  return [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path));
}

/** One thing that an agent does, possibly in several steps; it may fail where files are not there. */
function action(random: Random, root: string, now: ReadonlyMap<string, string>): readonly string[] {
  const path = join(root, random.of(names));
  const other = join(root, random.of(names));
  const content = random.of(texts);
  const there = now.get(path);
  const id = `c${random.below(1_000_000)}`;
  const put = `put ${path} ${JSON.stringify(content)}`;
  const begin = (more: object) =>
    `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Do', kind: 'edit', status: 'in_progress', ...more })}`;
  const end = (more: object = {}) =>
    `update ${JSON.stringify({ sessionUpdate: 'tool_call_update', toolCallId: id, status: random.of(['completed', 'failed']), ...more })}`;
  const diff = (oldText?: string | null) => ({
    content: [{ type: 'diff', path, newText: content, ...(oldText === undefined ? {} : { oldText }) }],
  });
  const changes: readonly (() => readonly string[])[] = [
    () => [`call fs/write_text_file ${JSON.stringify({ path, content })}`],
    () => [put],
    () => [begin({ kind: 'execute' }), put, end()],
    () => [begin({ locations: [{ path }] }), put, end(diff())],
    () => [begin(diff(random.of(texts))), put, end()],
    () => [put, begin(diff(null)), end()],
    () => [
      begin({ locations: [{ path }] }),
      `call fs/write_text_file ${JSON.stringify({ path, content })}`,
      end(diff('')),
    ],
    () => [begin(diff('never done')), end()],
    () => (there ? [begin({ kind: 'delete', locations: [{ path }] }), `remove ${path}`, end()] : []),
    () => (there ? [`remove ${path}`] : []),
    () => (there ? [`rename ${path} ${other}`] : []),
    () => (there ? [begin({ kind: 'move', locations: [{ path }] }), `rename ${path} ${other}`, end()] : []),
    () => (there?.startsWith('file') ? [`mode ${path} ${random.of(['755', '644', '600', '400'])}`] : []),
  ];
  // A later action must not depend on a file that an earlier one of the same turn removed.
  return random
    .of(changes)()
    .map((line) => (/^(remove|rename|mode|put)/.test(line) ? `try ${line}` : line));
}

/** What was asked for and what was recorded, for the message of a failure. */
function story({ id, state }: Session): string {
  const turns = state.chats[id]?.turns ?? [];
  return turns
    .flatMap(({ message, items }) => [
      message.text,
      ...items.flatMap((item) => (item.type === 'tool' ? [JSON.stringify([item.title, item.result])] : [])),
    ])
    .join('\n');
}

/** Everything below a folder: its type, permissions and bytes. */
function snapshot(root: string): ReadonlyMap<string, string> {
  const all = new Map<string, string>();
  for (const name of readdirSync(root, { encoding: 'buffer' })) {
    if (name.toString() === '.git') continue;
    const at = Buffer.concat([Buffer.from(`${root}/`), name]);
    const path = `${root}/${isUtf8(name) ? name.toString() : name.toString('latin1').replace('é', '\\xe9')}`;
    const found = lstatSync(at);
    const mode = (found.mode & 0o7777).toString(8);
    if (found.isDirectory()) for (const each of snapshot(path)) all.set(...each);
    if (found.isSymbolicLink()) all.set(path, `link ${readlinkSync(at)}`);
    else
      all.set(
        path,
        found.isDirectory() ? `folder ${mode}` : `file ${mode} ${readFileSync(at).toString('hex')}`,
      );
  }
  return all;
}

/** Some of the files are in the index, the others are unknown to git. */
function commit(root: string, random: Random): void {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  const added = [...Object.keys(given), 'link'].filter(() => random.below(3) > 0);
  if (added.length > 0) git('add', '--', ...added);
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'x', '--allow-empty');
}

interface Random {
  below(limit: number): number;
  of<T>(list: readonly [T, ...T[]] | readonly T[]): T;
}

function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761;
  const below = (limit: number) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e_37_79_b9) >>> 0;
    return state % limit;
  };
  for (let count = 0; count < 8; count += 1) below(2);
  return {
    below,
    of(list) {
      const found = list[below(list.length)];
      if (found === undefined) throw new Error('The list is empty.');
      return found;
    },
  };
}
