// Undo of what an external agent did, through the real program: the file is as before, byte for byte, or it
// is left alone and the answer says why. A file that was there before is never deleted or emptied.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ahpClient } from '../kit/clients.ts';
import type { AhpClient } from '../kit/clients.ts';
import { newHome } from '../kit/parley.ts';
import type { Home } from '../kit/parley.ts';
import { addReference, disposeReference } from '../kit/reference/program.ts';
import type { Loose } from '../kit/wire.ts';

let home: Home;
let ahp: AhpClient;

beforeAll(async () => {
  home = newHome();
  mkdirSync(join(home.dir, 'home'));
  writeFileSync(
    join(home.dir, 'home', 'config.jsonc'),
    JSON.stringify({ approvals: { allow: ['write_file'] } }),
  );
  await addReference(home, { directory: join(home.dir, 'reference') });
  ahp = await ahpClient(await home.serve());
});
afterAll(async () => {
  await ahp.close();
  await home.dispose();
  await disposeReference();
});

const old = '# hi\nsecond line\n';
const update = (more: object) =>
  `update ${JSON.stringify({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more })}`;
const call = (more: object) =>
  `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Write', kind: 'edit', status: 'in_progress', ...more })}`;
const diff = (path: string, newText: string, more: object = {}) => ({
  content: [{ type: 'diff', path, newText, ...more }],
});
const end = { status: 'completed' };

check('written through us and reported without the old text', old, (path) => [
  call({ locations: [{ path }] }),
  `call fs/write_text_file ${JSON.stringify({ path, content: 'new\n' })}`,
  update({ ...end, ...diff(path, 'new\n') }),
]);
check('written through us before its call names the file', old, (path) => [
  call({}),
  `call fs/write_text_file ${JSON.stringify({ path, content: 'new\n' })}`,
  update({ ...end, ...diff(path, 'new\n') }),
]);
check('written without us and reported without the old text', old, (path) => [
  call({ locations: [{ path }] }),
  `put ${path} "new\\n"`,
  update({ ...end, ...diff(path, 'new\n') }),
]);
check('written before it is reported without the old text', old, (path) => [
  `put ${path} "new\\n"`,
  call(diff(path, 'new\n')),
  update(end),
]);
check('reported without the final line ends', old, (path) => [
  call({}),
  `put ${path} "new"`,
  update({ ...end, ...diff(path, 'new', { oldText: old.trimEnd() }) }),
]);
check('reported as empty before', '\uFEFFone\r\ntwo\r\n', (path) => [
  call({ locations: [{ path }] }),
  `put ${path} "new\\n"`,
  update({ ...end, ...diff(path, 'new\n', { oldText: '' }) }),
]);
check('removed', old, (path) => [
  call({ kind: 'delete', locations: [{ path }] }),
  `remove ${path}`,
  update(end),
]);

let count = 0;

function check(name: string, before: string, directives: (path: string) => readonly string[]): void {
  test(`a file that was ${name} is as before after an undo`, async () => {
    count += 1;
    const path = join(home.workspace, `file${count}`);
    writeFileSync(path, before);
    const session = await run(directives(path));
    const edits = session.files.filter(({ edit }: Loose) => JSON.stringify(edit).includes(path));
    expect(edits).toHaveLength(1);
    expect(session.diffs).toBe(1);
    expect(await undo(session.id, path)).toEqual({});
    expect(readFileSync(path, 'utf8')).toBe(before);
  });
}

test('a file whose bytes the host could not keep is left alone, and the answer says so', async () => {
  const path = join(home.workspace, 'picture');
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1]));
  const { id } = await run([
    call({ locations: [{ path }] }),
    `put ${path} "new"`,
    update({ ...end, ...diff(path, 'new') }),
  ]);
  await expect(undo(id, path)).rejects.toThrow(/it is not UTF-8 text/);
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('a file that the agent has made is gone after an undo', async () => {
  const path = join(home.workspace, 'made');
  const rawInput = { path, content: 'new' };
  const { id } = await run([call({ locations: [{ path }], rawInput }), `put ${path} "new"`, update(end)]);
  expect(await undo(id, path)).toEqual({});
  expect(() => readFileSync(path)).toThrow('ENOENT');
});

test('a file of which the agent tells only the name stays, because the user may have made it', async () => {
  const path = join(home.workspace, 'named');
  const { id } = await run([call({ locations: [{ path }] }), `put ${path} "new"`, update(end)]);
  await expect(undo(id, path)).rejects.toThrow('it may be your own');
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test.each([
  ['a private file', 0o600, 0o700],
  ['a program', 0o700, 0o600],
  ['a program of everybody', 0o755, 0o644],
])('%s in a git repository has its permissions again after an undo', async (name, before, after) => {
  const folder = join(home.dir, name.replaceAll(' ', '-'));
  const path = join(folder, 'file');
  mkdirSync(folder);
  writeFileSync(path, old, { mode: before });
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x', ...words], { cwd: folder });
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'x');
  const { id } = await run(
    [
      call({ locations: [{ path }] }),
      `put ${path} "new\\n"`,
      `mode ${path} ${after.toString(8)}`,
      update({ ...end, ...diff(path, 'new\n') }),
    ],
    folder,
  );
  const now = () => [readFileSync(path, 'utf8'), (statSync(path).mode & 0o777).toString(8)];
  expect(now()).toEqual(['new\n', after.toString(8)]);
  expect(await undo(id, path)).toEqual({});
  expect(now()).toEqual([old, before.toString(8)]);
});

let sessions = 0;

async function run(
  directives: readonly string[],
  folder = home.workspace,
): Promise<{ readonly id: string; readonly files: readonly Loose[]; readonly diffs: number }> {
  sessions += 1;
  const id = `s${sessions}`;
  await ahp.request('createSession', {
    channel: `ref:/${id}`,
    provider: 'ref',
    workingDirectories: [`file://${folder}`],
  });
  const { defaultChat } = await ahp.subscribe(`ref:/${id}`);
  await ahp.subscribe(defaultChat);
  ahp.dispatch(defaultChat, {
    type: 'chat/turnStarted',
    turnId: `t-${id}`,
    startedAt: new Date(0).toISOString(),
    message: { text: directives.join('\n'), origin: { kind: 'user' } },
  });
  const { turns } = await ahp.until(defaultChat, (state) => state.turns.length === 1);
  const content: Loose[] = turns[0].responseParts.flatMap(({ toolCall }: Loose) => toolCall?.content ?? []);
  const { files } = await ahp.subscribe(`ahp-changeset:/${id}`);
  return { id, files, diffs: content.filter(({ type }) => type === 'fileEdit').length };
}

function undo(id: string, path: string): Promise<Loose> {
  return ahp.request('invokeChangesetOperation', {
    channel: `ahp-changeset:/${id}`,
    operationId: 'undo',
    target: { kind: 'resource', resource: `file://${path}` },
  });
}
