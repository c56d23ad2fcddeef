import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from '../../../../test/kit/ahp.ts';
import type { AhpClient } from '../../../../test/kit/ahp.ts';
import { connectV1 } from '../../../../test/kit/ahp/integer1/client.ts';
import { rig } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { resourceFiles } from '../../../../test/kit/realFiles.ts';
import { fileUri } from '../../../base/fileUri.ts';

let dir = '';
let work = '';
let on: Rig;
let client: AhpClient;

beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'parley-resources-')));
  work = join(dir, 'work');
  for (const name of ['work', 'other', 'work/own']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'other', 'secret.txt'), 'secret');
  writeFileSync(join(work, 'own', 'token'), 'token');
  writeFileSync(join(work, 'a.txt'), 'abc');
  symlinkSync(join(dir, 'other'), join(work, 'out'));
  symlinkSync('a.txt', join(work, 'inner'));
  on = await rig();
  client = await connect(on.host, { ports: { files: resourceFiles(), own: [join(work, 'own')] } });
  await client.request('createSession', { channel: 'script:/s', workingDirectories: [fileUri(work)] });
});

afterEach(async () => {
  await client.close();
  await on.close();
  rmSync(dir, { recursive: true, force: true });
});

const uri = (name: string) => fileUri(join(work, name));
const code = (request: Promise<unknown>) =>
  request.then(
    () => 'served',
    (error: { code: number }) => error.code,
  );

test('texts as texts, everything else in base64, and never half a file', async () => {
  const bytes = Buffer.from([0xff, 0, 1, 2, 0xfe]);
  writeFileSync(join(work, 'b.bin'), bytes);
  expect(await client.request('resourceRead', { uri: uri('a.txt') })).toEqual({
    data: 'abc',
    encoding: 'utf-8',
  });
  expect(await client.request('resourceRead', { uri: uri('a.txt'), encoding: 'base64' })).toEqual({
    data: 'YWJj',
    encoding: 'base64',
  });
  expect(await client.request('resourceRead', { uri: uri('b.bin'), encoding: 'utf-8' })).toEqual({
    data: bytes.toString('base64'),
    encoding: 'base64',
  });
  expect(await client.request('resourceRead', { uri: uri('inner') })).toEqual({
    data: 'abc',
    encoding: 'utf-8',
  });
  expect(await code(client.request('resourceRead', { uri: uri('none') }))).toBe(-32008);
  expect(await code(client.request('resourceRead', { uri: fileUri(work) }))).toBe(-32602);
  truncateSync(join(work, 'b.bin'), 64 * 1024 * 1024);
  expect(await code(client.request('resourceRead', { uri: uri('b.bin') }))).toBe(-32009);
  await client.request('resourceWrite', {
    uri: uri('c.bin'),
    data: bytes.toString('base64'),
    encoding: 'base64',
  });
  expect(readFileSync(join(work, 'c.bin'))).toEqual(bytes);
  expect(
    await code(
      client.request('resourceWrite', { uri: uri('c.bin'), data: 'no base64!', encoding: 'base64' }),
    ),
  ).toBe(-32602);
  expect(readFileSync(join(work, 'c.bin'))).toEqual(bytes);
});

test('writing: modes, places and marks, without traces where it fails', async () => {
  const write = (more: object) =>
    client.request('resourceWrite', { uri: uri('a.txt'), data: 'X', encoding: 'utf-8', ...more });
  const text = () => readFileSync(join(work, 'a.txt'), 'utf8');
  await write({ mode: 'append' });
  expect(text()).toBe('abcX');
  await write({ mode: 'insert', position: 1 });
  expect(text()).toBe('aXbcX');
  expect(await code(write({ mode: 'insert', position: 99 }))).toBe(-32602);
  expect(await code(write({ mode: 'shred' }))).toBe(-32602);
  expect(await code(write({ createOnly: true }))).toBe(-32010);
  expect(text()).toBe('aXbcX');
  const { etag } = await client.request('resourceResolve', { uri: uri('a.txt') });
  await write({ ifMatch: etag });
  expect(text()).toBe('X');
  expect(await code(write({ ifMatch: etag, data: 'late' }))).toBe(-32011);
  expect(text()).toBe('X');
  expect(await code(write({ uri: uri('fresh'), ifMatch: etag }))).toBe(-32011);
  expect(await code(client.request('resourceRead', { uri: uri('fresh') }))).toBe(-32008);
});

test('lists, copies, moves, directories and removal', async () => {
  expect(await client.request('resourceList', { uri: fileUri(work) })).toEqual({
    entries: [
      { name: 'a.txt', type: 'file' },
      { name: 'inner', type: 'file' },
      { name: 'out', type: 'directory' },
      { name: 'own', type: 'directory' },
    ],
  });
  expect(await code(client.request('resourceList', { uri: uri('a.txt') }))).toBe(-32602);
  expect(await code(client.request('resourceList', { uri: uri('none') }))).toBe(-32008);
  await client.request('resourceMkdir', { uri: uri('x/y') });
  await client.request('resourceCopy', { source: uri('a.txt'), destination: uri('x/y/b.txt') });
  expect(
    await code(
      client.request('resourceCopy', {
        source: uri('a.txt'),
        destination: uri('x/y/b.txt'),
        failIfExists: true,
      }),
    ),
  ).toBe(-32010);
  await client.request('resourceMove', { source: uri('x/y'), destination: uri('z') });
  expect(readFileSync(join(work, 'z', 'b.txt'), 'utf8')).toBe('abc');
  expect(await code(client.request('resourceMove', { source: uri('z'), destination: uri('z/in') }))).toBe(
    -32602,
  );
  expect(await code(client.request('resourceDelete', { uri: uri('z') }))).toBe(-32602);
  await client.request('resourceDelete', { uri: uri('z'), recursive: true });
  await client.request('resourceDelete', { uri: uri('out') });
  expect(readFileSync(join(dir, 'other', 'secret.txt'), 'utf8')).toBe('secret');
  expect(await code(client.request('resourceDelete', { uri: fileUri(work), recursive: true }))).toBe(-32009);
  expect(await client.request('resourceResolve', { uri: uri('inner'), followSymlinks: false })).toMatchObject(
    { type: 'symlink', uri: uri('inner') },
  );
  expect(await client.request('resourceResolve', { uri: uri('inner') })).toMatchObject({
    type: 'file',
    uri: uri('a.txt'),
    size: 3,
  });
});

test('nothing outside the folders of sessions is served, whatever leads there', async () => {
  const away = [
    fileUri(join(dir, 'other', 'secret.txt')),
    `${fileUri(work)}/../other/secret.txt`,
    `${fileUri(work)}/%2e%2e/other/secret.txt`,
    uri('out/secret.txt'),
    uri('out'),
    'file:///etc/passwd',
    'file:///',
    uri('own/token'),
    uri('own'),
    'http://127.0.0.1/x',
    `file://elsewhere${work}/a.txt`,
    `${uri('a.txt')}%00`,
    'parley-content:/a/b/../../c',
  ];
  for (const one of away) {
    expect([one, await code(client.request('resourceRead', { uri: one }))]).toEqual([one, -32009]);
    expect([
      one,
      await code(client.request('resourceWrite', { uri: one, data: 'x', encoding: 'utf-8' })),
    ]).toEqual([one, -32009]);
    expect([
      one,
      await code(client.request('resourceCopy', { source: one, destination: uri('stolen') })),
    ]).toEqual([one, -32009]);
    expect([
      one,
      await code(client.request('resourceMove', { source: uri('a.txt'), destination: one })),
    ]).toEqual([one, -32009]);
    expect([
      one,
      await code(client.request('resourceRequest', { uri: one, read: true, write: true })),
    ]).toEqual([one, -32009]);
    expect([one, await code(client.request('createResourceWatch', { uri: one }))]).toEqual([one, -32009]);
  }
  await expect(client.request('resourceRequest', { uri: 'file:///etc', read: true })).rejects.toMatchObject({
    code: -32009,
    data: { request: { uri: 'file:///etc', read: true } },
  });
  expect(await client.request('resourceRequest', { uri: uri('a.txt'), read: true })).toEqual({});
  expect(readFileSync(join(work, 'a.txt'), 'utf8')).toBe('abc');
  expect(readFileSync(join(dir, 'other', 'secret.txt'), 'utf8')).toBe('secret');
});

test('outside the folders of sessions a client sees the names of folders and nothing else', async () => {
  for (const name of ['other/inner', 'other/.hidden', 'other/keys']) mkdirSync(join(dir, name));
  symlinkSync(join(work, 'own'), join(dir, 'other', 'link'));
  const looking = await connect(on.host, {
    id: 'looking',
    ports: { files: resourceFiles(), own: [join(work, 'own'), join(dir, 'other', 'keys')] },
  });
  const names = async (at: string) => (await looking.request('resourceList', { uri: at })).entries;
  const folder = (name: string) => ({ name, type: 'directory' });
  expect(await names(fileUri(join(dir, 'other')))).toEqual(['.hidden', 'inner', 'link'].map(folder));
  expect(await names(uri('out'))).toEqual(['.hidden', 'inner', 'link'].map(folder));
  expect(await names('file:///')).toContainEqual(folder('etc'));
  expect(await looking.request('resourceResolve', { uri: fileUri(join(dir, 'other')) })).toMatchObject({
    uri: fileUri(join(dir, 'other')),
    type: 'directory',
  });
  expect(await looking.request('resourceResolve', { uri: 'file:///' })).toMatchObject({ type: 'directory' });
  for (const hidden of ['other/secret.txt', 'other/nowhere', 'other/keys', 'other/link', 'work/own'])
    for (const method of ['resourceList', 'resourceResolve'])
      expect([hidden, await code(looking.request(method, { uri: fileUri(join(dir, hidden)) }))]).toEqual([
        hidden,
        -32009,
      ]);
  await looking.close();
});

test.each(['observe', 'approve'] as const)('a client that may only %s lists no folders', async (role) => {
  const visitor = await connect(on.host, { id: role, role, ports: { files: resourceFiles() } });
  for (const method of ['resourceList', 'resourceResolve'])
    expect(await code(visitor.request(method, { uri: fileUri(dir) }))).toBe(-32009);
  await visitor.close();
});

test('a watch tells of changes to its follower, and ends with it', async () => {
  const { channel } = await client.request('createResourceWatch', {
    uri: fileUri(work),
    recursive: false,
    excludes: { items: ['*.log'] },
  });
  const { snapshot } = await client.subscribe(channel);
  expect(snapshot.state).toEqual({ root: fileUri(work), recursive: false, excludes: { items: ['*.log'] } });
  writeFileSync(join(work, 'x.log'), 'x');
  writeFileSync(join(work, 'new.txt'), 'x');
  const said = await client.wait(
    ({ params }) => params?.channel === channel && JSON.stringify(params).includes('new.txt'),
  );
  expect(said.params.action).toMatchObject({
    type: 'resourceWatch/changed',
    changes: { items: [{ uri: uri('new.txt'), type: 'added' }] },
  });
  expect(JSON.stringify(client.said)).not.toContain('x.log');
  const recorded = 'parley-content:/s/s/t/c/result/0/after/a.txt';
  const still = await client.request('createResourceWatch', { uri: recorded });
  expect((await client.subscribe(still.channel)).snapshot.state).toEqual({
    root: recorded,
    recursive: false,
  });
  client.notify('unsubscribe', { channel: still.channel });
  client.notify('unsubscribe', { channel });
  await expect(client.subscribe(channel)).rejects.toMatchObject({ code: -32008 });
  for (let i = 0; i < 64; i += 1) await client.request('createResourceWatch', { uri: uri('a.txt') });
  expect(await code(client.request('createResourceWatch', { uri: uri('a.txt') }))).toBe(-32009);
});

test('version 1 has the same files with its own codes, and hosts without files have none', async () => {
  const old = await connectV1(on.host, { id: 'old', ports: { files: resourceFiles() } });
  expect(await old.request('resourceRead', { uri: uri('a.txt') })).toEqual({
    data: 'abc',
    encoding: 'utf-8',
  });
  await old.request('resourceWrite', { uri: uri('n'), data: 'n', encoding: 'utf-8', createOnly: true });
  expect(
    await code(
      old.request('resourceWrite', { uri: uri('n'), data: 'n', encoding: 'utf-8', createOnly: true }),
    ),
  ).toBe(-32010);
  expect((await old.request('resourceList', { uri: fileUri(work) })).entries).toContainEqual({
    name: 'n',
    type: 'file',
  });
  expect(await code(old.request('resourceRead', { uri: 'parley-content:/s/s/t/c/result/0/after' }))).toBe(
    -32006,
  );
  expect(await code(client.request('resourceRead', { uri: 'parley-content:/s/s/t/c/result/0/after' }))).toBe(
    -32008,
  );
  for (const method of ['resourceResolve', 'resourceMkdir', 'resourceRequest', 'createResourceWatch'])
    expect(await code(old.request(method, { uri: uri('a.txt') }))).toBe(-32601);
  const bare = await connect(on.host, { id: 'bare' });
  expect(await code(bare.request('resourceList', { uri: fileUri(work) }))).toBe(-32601);
  await old.close();
});
