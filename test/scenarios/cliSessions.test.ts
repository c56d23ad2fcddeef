// `parley sessions` of the real program: every verb as it succeeds and as it fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';

let home: Home;
beforeEach(() => (home = newHome()));
afterEach(() => home.dispose());

interface Listed {
  readonly id: string;
  readonly title: string;
  readonly archived: boolean;
  readonly status: string;
  readonly roots: readonly string[];
}

const sessions = (...args: readonly string[]) => home.run('sessions', ...args).done;
const ok = async (...args: readonly string[]) => {
  const ran = await sessions(...args);
  expect([ran.code, ran.err]).toEqual([0, '']);
  return ran.out;
};
const listed = async (...flags: readonly string[]) =>
  JSON.parse(await ok('list', '--json', ...flags)) as readonly Listed[];
const prompt = (text: string) => home.run('run', text).done;

/** Two sessions, the newer one about a pelican. */
async function twoSessions(): Promise<readonly [older: Listed, newer: Listed]> {
  await prompt('say The first answer.');
  await prompt('say A pelican flies\nreason hidden thoughts');
  const [newer, older] = await listed();
  if (!newer || !older) throw new Error('There should be two sessions.');
  return [older, newer];
}

test('lists, shows and finds sessions', async () => {
  expect(await ok()).toBe('No sessions yet. Start one with parley chat, or from an editor.\n');
  const [older, newer] = await twoSessions();
  const lines = (await ok('list')).trimEnd().split('\n');
  expect(lines.map((line) => line.split(/\s+/)[0])).toEqual([
    'ID',
    newer.id.slice(0, 8),
    older.id.slice(0, 8),
  ]);
  expect(lines[1]).toMatch(/ idle .+ now$/);
  const shown = await ok('show', newer.id.slice(0, 8));
  expect(shown).toContain('> say A pelican flies');
  expect(shown).toContain('\nA pelican flies\n');
  expect(JSON.parse(await ok('show', newer.id, '--json'))).toMatchObject({ id: newer.id });

  expect(await ok('search', 'PELICAN', 'flies')).toContain(newer.id);
  expect(JSON.parse(await ok('search', 'first', '--json'))).toMatchObject([
    { id: older.id, lines: expect.arrayContaining(['The first answer.']) },
  ]);
  expect(await sessions('search', 'walrus')).toMatchObject({ code: 1, out: 'No results.\n' });
  expect(await ok('verify')).toBe('All sessions verified.\n');
});

test('a short ID is that of no archived session, so that it can be used', async () => {
  const [, one] = await twoSessions();
  const file = join(home.dir, 'one.jsonl');
  expect(await sessions('export', one.id, file)).toMatchObject({ code: 0 });
  const other = `${one.id.slice(0, 12)}${one.id.at(12) === 'a' ? 'b' : 'a'}${one.id.slice(13)}`;
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(one.id, other));
  expect(await ok('import', file)).toContain(`Imported as ${other}.`);
  await ok('archive', other);
  const shown = (await ok('list')).split('\n').map((line) => line.split(/\s+/)[0] ?? '');
  expect(shown).toContain(one.id.slice(0, 13));
  expect(await ok('show', one.id.slice(0, 13))).toContain('A pelican flies');
});

test('renames, archives and deletes', async () => {
  const [older, newer] = await twoSessions();
  await ok('rename', older.id, 'Another', 'title');
  expect((await listed())[0]).toMatchObject({ id: older.id, title: 'Another title' });
  await ok('archive', older.id);
  expect((await listed()).map(({ id }) => id)).toEqual([newer.id]);
  expect((await listed('--all')).find(({ id }) => id === older.id)).toMatchObject({ archived: true });
  await ok('unarchive', older.id);
  expect(await listed()).toHaveLength(2);

  const refused = home.run('sessions', 'delete', older.id);
  refused.child.stdin?.end('n\n');
  expect(await refused.done).toMatchObject({
    code: 4,
    out: '',
    err: expect.stringContaining('Nothing was deleted'),
  });
  const silent = home.run('sessions', 'delete', older.id);
  silent.child.stdin?.end();
  expect(await silent.done).toMatchObject({ code: 4 });
  const agreed = home.run('sessions', 'delete', older.id);
  agreed.child.stdin?.end('y\n');
  expect(await agreed.done).toMatchObject({ code: 0, out: `Deleted ${older.id}.\n` });
  await ok('delete', newer.id, '--yes');
  expect(await listed('--all')).toEqual([]);
});

test('an exported session can be taken in elsewhere, without the power it had', async () => {
  const [, newer] = await twoSessions();
  const file = join(home.dir, 'session.jsonl');
  const written = await sessions('export', newer.id, file);
  expect(written).toMatchObject({ code: 0, out: '', err: expect.stringContaining('entries to') });
  const text = readFileSync(file, 'utf8');
  expect(await ok('export', newer.id)).toBe(text);
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({
    parley: 'session',
    version: 1,
    format: 2,
    id: newer.id,
    entries: text.trimEnd().split('\n').length - 1,
  });
  expect(await sessions('export', newer.id, file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('already exists'),
  });

  const { id } = JSON.parse(await ok('import', file, '--json')) as { id: string };
  expect(id).not.toBe(newer.id);
  expect(await ok('show', id)).toContain('\nA pelican flies\n');
  await ok('delete', newer.id, '--yes');
  await ok('delete', id, '--yes');

  const powerful = withEvent(text, {
    kind: 'session.changed',
    changes: {
      title: 'Trojan',
      rules: [{ id: 'r', effect: 'allow', tool: '*' }],
      options: { trust: true },
      mode: 'wild',
      roots: ['/'],
    },
  });
  writeFileSync(file, powerful);
  expect(await ok('import', file)).toContain(`Imported as ${newer.id}.`);
  expect(JSON.parse(await ok('show', newer.id, '--json'))).toMatchObject({
    title: 'Trojan',
    rules: [],
    options: {},
    roots: [home.dir],
  });
  expect(await ok('verify')).toContain('All sessions verified');
});

test('what is no exported session is refused and changes nothing', async () => {
  await prompt('say Hello.');
  const [only] = await listed();
  const text = await ok('export', only?.id ?? '');
  const lines = text.trimEnd().split('\n');
  const file = join(home.dir, 'bad.jsonl');
  const bad: readonly (readonly [string, string])[] = [
    ['', 'not a session'],
    ['nonsense', 'not a session'],
    ['{"parley":"session"}', 'not a session'],
    [lines.slice(0, -1).join('\n'), 'not complete'],
    [text.replace('"format":2', '"format":99'), 'newer Parley'],
    [text.replace('"kind":"turn.started"', '"kind":"turn.dreamt"'), 'is not a valid entry'],
    [text.replace('"seq":2', '"seq":7'), 'Line 3 is not a valid entry'],
    [text.replace('"kind":"session.created"', '"kind":"chat.removed","chat":"x"'), 'does not begin'],
    [text.replace(/"text":"say Hello\."/, '"text":{"deep":1}'), 'is not a valid entry'],
    [text.replace(/("kind":"chat.created","chat":")[^"]*/, '$1nobody'), 'does not fit the lines before it'],
  ];
  for (const [content, why] of bad) {
    writeFileSync(file, content);
    expect([content.slice(0, 40), await sessions('import', file)]).toEqual([
      content.slice(0, 40),
      { code: 1, out: '', err: expect.stringContaining(why) },
    ]);
  }
  expect(await sessions('import', join(home.dir, 'missing'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('cannot be read'),
  });
  expect((await listed('--all')).map(({ id }) => id)).toEqual([only?.id]);
});

test.each<[readonly string[], number, RegExp]>([
  [['dance'], 2, /Unknown command "parley sessions dance"/],
  [['list', 'more'], 2, /Unexpected argument "more"/],
  [['--nonsense'], 2, /nonsense/],
  [['show'], 2, /Missing session ID/],
  [['search'], 2, /Missing search words/],
  [['search', 'x', '--limit', 'many'], 2, /--limit/],
  [['rename', 'x'], 2, /rename ID TITLE/],
  [['import'], 2, /Missing file/],
  [['show', 'nobody'], 1, /Session "nobody" not found/],
  [['delete', 'nobody', '--yes'], 1, /Session "nobody" not found/],
])('parley sessions %j ends with %i', async (args, code, err) => {
  const ran = await sessions(...args);
  expect([ran.code, ran.out]).toEqual([code, '']);
  expect(ran.err).toMatch(err);
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(code === 1);
});

test('help starts no host', async () => {
  expect(await sessions('--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('import FILE'),
    err: '',
  });
  expect(existsSync(join(home.dir, 'home', 'host.json'))).toBe(false);
});

/** The text of an exported session with one more event at its end. */
function withEvent(text: string, event: object): string {
  const [head = '', ...entries] = text.trimEnd().split('\n');
  const added = JSON.stringify({ seq: entries.length + 1, at: 1, by: { kind: 'host' }, event });
  return [head.replace(/"entries":\d+/, `"entries":${entries.length + 1}`), ...entries, added, ''].join('\n');
}
