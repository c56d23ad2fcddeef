import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tarGzOf, tarOf, zipOf } from '../../../../test/kit/archives.ts';
import type { ArchiveEntry } from '../../../../test/kit/archives.ts';
import { unpackArchive } from './unpackArchive.ts';

let folder: string;
let into: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-unpack-'));
  into = join(folder, 'into');
  mkdirSync(into);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const limits = { bytes: 100_000, entries: 20 };

async function unpack(archive: Buffer): Promise<void> {
  writeFileSync(join(folder, 'archive'), archive);
  await unpackArchive(join(folder, 'archive'), { into, limits, program: 'it', env: process.env });
}
const text = (name: string) => readFileSync(join(into, name), 'utf8');

const good: readonly ArchiveEntry[] = [
  { name: 'bin/agent', text: '#!/bin/sh\n', mode: 0o100_755 },
  { name: 'readme', text: 'x'.repeat(3_000) },
];

describe('an archive is unpacked', () => {
  check('tar', tarOf(...good));
  check('tar.gz', tarGzOf(...good));
  check('zip', zipOf(...good));

  function check(name: string, archive: Buffer): void {
    test(`as ${name}`, async () => {
      await unpack(archive);
      expect([text('bin/agent'), text('readme').length]).toEqual(['#!/bin/sh\n', 3_000]);
      const modes = ['bin/agent', 'readme'].map((file) => statSync(join(into, file)).mode & 0o111);
      expect(modes).toEqual([0o111, 0]);
    });
  }

  test('as the tools of the system write it, with links and long names', async () => {
    const long = `${'deep-folder/'.repeat(12)}file`;
    const source = join(folder, 'source');
    mkdirSync(join(source, 'deep-folder/'.repeat(12)), { recursive: true });
    writeFileSync(join(source, long), 'long');
    execFileSync('ln', ['-s', long, join(source, 'link')]);
    for (const format of ['gnu', 'pax']) {
      rmSync(into, { recursive: true });
      mkdirSync(into);
      await unpack(execFileSync('tar', ['-c', `--format=${format}`, '-C', source, '.']));
      expect([text(long), text('link')]).toEqual(['long', 'long']);
    }
  });

  test('a file that is no archive is the program', async () => {
    await unpack(Buffer.from('\u007fELF and so on'));
    expect([text('it'), statSync(join(into, 'it')).mode & 0o111]).toEqual(['\u007fELF and so on', 0o111]);
  });
});

describe('an archive is refused', () => {
  const link = (target: string): ArchiveEntry => ({ name: 'link', type: '2', target });
  check('that leaves its folder', [{ name: '../evil', text: 'x' }], /outside its folder: \.\.\/evil/);
  check('that leaves its folder on the way', [{ name: 'a/../../evil', text: 'x' }], /outside its folder/);
  check('with a full path', [{ name: '/tmp/parley-evil', text: 'x' }], /outside its folder/);
  check('with a link to the outside', [link('../evil')], /link to a place outside/);
  check('with a link to a full path', [link('/etc')], /link to a place outside/);
  check(
    'with a link that leaves through another',
    [{ name: 'sub/up', type: '2', target: '..' }, { ...link('sub/up/../evil') }],
    /link to a place outside/,
  );
  check(
    'that writes through a link',
    [{ name: 'sub/x', text: '' }, link('sub'), { name: 'link/evil', text: 'x' }],
    /writes through link/,
  );
  check('that links to what is not there', [{ name: 'a', type: '1', target: 'b' }], /ENOENT/);
  check('with a device', [{ name: 'dev', type: '3' }], /no file: dev/);
  check('that unpacks to too much', [{ name: 'a', text: 'x'.repeat(100_001) }], /more than 0.1 MB/);
  check(
    'with too many entries',
    Array.from({ length: 21 }, (_, at) => ({ name: `f${at}` })),
    /more than 20 entries/,
  );
  check('with a file twice', [{ name: 'a' }, { name: 'a' }], /cannot write a/);

  function check(name: string, entries: readonly ArchiveEntry[], problem: RegExp): void {
    test(`one ${name}`, async () => {
      await expect(unpack(tarGzOf(...entries))).rejects.toThrow(problem);
      expect(existsSync(join(folder, 'evil'))).toBe(false);
      const zipped = entries.map(({ type, ...entry }) =>
        type === '2' ? entry : { ...entry, target: undefined },
      );
      if (entries.some(({ type }) => type === '1' || type === '3')) return;
      rmSync(into, { recursive: true });
      mkdirSync(into);
      await expect(unpack(zipOf(...(zipped as ArchiveEntry[])))).rejects.toThrow(problem);
      expect(existsSync(join(folder, 'evil'))).toBe(false);
    });
  }

  test.each([
    ['tar that was cut', tarOf({ name: 'a', text: 'x'.repeat(600) }).subarray(0, 900)],
    ['zip that was cut', zipOf(...good).subarray(0, 60)],
    [
      'tar whose header is wrong',
      Buffer.from(
        tarOf(...good)
          .toString('latin1')
          .replace('bin/a', 'bon/a'),
        'latin1',
      ),
    ],
    ['tar.gz that ends too early', tarGzOf(...good).subarray(0, -20)],
    ['zip whose content is wrong', damaged(zipOf({ name: 'a', text: 'abc' }))],
    ['tar whose size is no number', tarOf({ name: 'x', type: 'x', text: '10 size=-7\n' }, { name: 'a' })],
  ])('a %s', async (_, archive) => {
    await expect(unpack(archive)).rejects.toThrow('The archive is damaged.');
  });

  test('a tar of nothing but headers for long names', async () => {
    const header = { name: 'x', type: 'g', text: '' };
    await expect(unpack(tarGzOf(...Array.from({ length: 9 }, () => header), ...good))).rejects.toThrow(
      'The archive has a name that is too long.',
    );
  });

  function damaged(archive: Buffer): Buffer {
    archive.writeUInt32LE(7, archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 16);
    return archive;
  }
});
