import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { listFolders, readNamed, writeNamed } from './userFiles.ts';

let place: Workspace;
afterEach(() => place.close());

const file = { name: 'given.json', text: 'words' };

test('relative paths start in the workspace, and a directory gets a file of the given name', async () => {
  place = workspace({ 'there/x': '' });
  const { root } = place;
  expect(await writeNamed('there', file, [root])).toEqual({ path: join(root, 'there', 'given.json') });
  expect(await writeNamed('new/deep.json', file, [root])).toEqual({ path: join(root, 'new', 'deep.json') });
  expect(await writeNamed('.', file, [root])).toEqual({ path: join(root, 'given.json') });
  expect(await readNamed('new/deep.json', [root])).toEqual({
    path: join(root, 'new', 'deep.json'),
    text: 'words',
  });
});

test('what exists is left alone, and what does not is said', async () => {
  place = workspace({ 'x.json': 'old' });
  expect(await writeNamed('x.json', file, [place.root])).toEqual({
    refused: `${join(place.root, 'x.json')} already exists.`,
  });
  expect(place.tree()).toEqual({ 'x.json': 'old' });
  expect(await readNamed('nothing', [place.root])).toHaveProperty('refused');
});

test('a folder whose files of git are pipes is listed, and nobody waits for a writer', async () => {
  place = workspace({ 'inner/x': '' });
  execFileSync('mkfifo', [join(place.root, '.git'), join(place.root, 'HEAD')]);
  expect(await listFolders(place.root)).toMatchObject({ folders: [{ name: 'inner' }] });
  expect(await readNamed('HEAD', [place.root])).toEqual({
    refused: `${join(place.root, 'HEAD')} is not a regular file.`,
  });
});
