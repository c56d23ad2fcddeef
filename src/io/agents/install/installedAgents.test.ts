import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { endInstallation, newFolder, removeFolder, storeInstalled } from './installedAgents.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'parley-installed-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const made = () => readdirSync(join(directory, 'made')).toSorted();

function store(folder: string): void {
  storeInstalled(directory, {
    id: 'made',
    registryId: 'made',
    name: 'Made',
    version: '1.0.0',
    description: '',
    kind: 'binary',
    source: 'x',
    folder,
    command: 'x',
    args: [],
  });
  endInstallation(folder);
}

test('an installation leaves nothing of those that were broken off', () => {
  const broken = newFolder(directory, 'made', '1.0.0');
  writeFileSync(`${broken}.download`, 'half');
  // No process has so large a number.
  renameSync(`${broken}.installing-${process.pid}`, `${broken}.installing-2147483646`);
  const folder = newFolder(directory, 'made', '1.0.0');
  store(folder);
  expect(made()).toEqual([basename(folder), 'installed.json']);
});

test('two installations of one agent do not disturb each other, and the last one is in use', () => {
  const [first, second] = [newFolder(directory, 'made', '1.0.0'), newFolder(directory, 'made', '1.0.0')];
  writeFileSync(`${second}.download`, 'half');
  store(first);
  expect(made()).toEqual(
    expect.arrayContaining([basename(first), basename(second), `${basename(second)}.download`]),
  );
  rmSync(`${second}.download`);
  store(second);
  expect(made()).toEqual([basename(first), basename(second), 'installed.json'].toSorted());
});

test('what a killed installation has left goes when another agent is installed, in use or not', () => {
  const first = newFolder(directory, 'made', '1.0.0');
  store(first);
  for (const id of ['made', 'other']) {
    const broken = newFolder(directory, id, '2.0.0');
    writeFileSync(`${broken}.download`, 'half');
    // No process has so large a number.
    renameSync(`${broken}.installing-${process.pid}`, `${broken}.installing-2147483646`);
  }
  const next = newFolder(directory, 'third', '1.0.0');
  expect(made()).toEqual([basename(first), 'installed.json']);
  expect(readdirSync(directory).toSorted()).toEqual(['made', 'third']);
  expect(readdirSync(join(directory, 'third'))).toContain(basename(next));
});

test('an installation that failed leaves no folder', () => {
  const folder = newFolder(directory, 'made', '1.0.0');
  removeFolder(folder);
  endInstallation(folder);
  expect(readdirSync(directory)).toEqual([]);
});
