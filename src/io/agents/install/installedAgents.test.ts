import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { newFolder, storeInstalled } from './installedAgents.ts';

test('an installation leaves nothing of those that were broken off', () => {
  const directory = mkdtempSync(join(tmpdir(), 'parley-installed-'));
  try {
    const broken = newFolder(directory, 'made', '1.0.0');
    writeFileSync(`${broken}.download`, 'half');
    const folder = newFolder(directory, 'made', '1.0.0');
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
    expect(readdirSync(join(directory, 'made')).toSorted()).toEqual([basename(folder), 'installed.json']);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
