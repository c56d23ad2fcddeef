// The release script, in a small repository of its own: what it refuses, and what a refusal leaves behind.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const script = join(import.meta.dirname, '..', 'scripts', 'release.mjs');
const dated = '# Changelog\n\n## [0.2.0] - 2026-11-15\n\n### Added\n\n- A thing.\n';

interface Case {
  readonly args?: readonly string[];
  readonly changelog?: string;
  readonly prepare?: (git: (...args: readonly string[]) => void, root: string) => void;
  readonly says: string;
}

describe('a release', () => {
  check('without a version', { args: [], says: 'Usage: npm run release -- MAJOR.MINOR.PATCH [--dry-run]' });
  check('with a flag that skips the tests', {
    args: ['0.2.0', '--skip-tests'],
    says: 'Usage: npm run release -- MAJOR.MINOR.PATCH [--dry-run]',
  });
  check('on another branch', {
    prepare: (git) => git('switch', '--quiet', '-c', 'other'),
    says: 'Releases are made on main; this is other.',
  });
  check('while the tree has changes', {
    prepare: (_git, root) => writeFileSync(join(root, 'new.txt'), ''),
    says: 'The tree has changes. Commit or remove them.',
  });
  check('for a tag that exists', {
    prepare: (git) => git('tag', 'v0.2.0'),
    says: 'The tag v0.2.0 already exists.',
  });
  check('without a section in the changelog', {
    changelog: '# Changelog\n\n## [Unreleased]\n\n- A thing.\n',
    says: 'CHANGELOG.md has no section "## [0.2.0] - YYYY-MM-DD".',
  });
  check('without a date', {
    changelog: dated.replace('2026-11-15', 'soon'),
    says: 'CHANGELOG.md has no date for 0.2.0: "## [0.2.0] - YYYY-MM-DD".',
  });
  check('with a date that does not exist', {
    changelog: dated.replace('2026-11-15', '2026-02-30'),
    says: 'CHANGELOG.md has no date for 0.2.0: "## [0.2.0] - YYYY-MM-DD".',
  });
  check('without a change', {
    changelog: dated.replace('- A thing.\n', ''),
    says: 'CHANGELOG.md lists no change for 0.2.0.',
  });
  check('of an older version', {
    args: ['0.0.9'],
    changelog: dated.replace('0.2.0', '0.0.9'),
    says: 'package.json has 0.1.0, which is newer than 0.0.9.',
  });
  check('when a check fails, and the version is as before', {
    says: '`npm run check` failed; nothing was released.',
  });
});

function check(title: string, { args = ['0.2.0'], changelog = dated, prepare, says }: Case): void {
  test(`it is refused ${title}`, () => {
    const { root, git, manifest } = makeRepository(changelog);
    prepare?.(git, root);
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/release.mjs'), ...args], {
      cwd: root,
      encoding: 'utf8',
    });
    expect({ status, says: stderr.trim().split('\n').at(-1) }).toEqual({ status: 1, says });
    expect(readFileSync(join(root, 'package.json'), 'utf8')).toBe(manifest);
  });
}

function makeRepository(changelog: string) {
  const root = mkdtempSync(join(tmpdir(), 'release-'));
  const scripts = { check: 'node -e "process.exit(1)"', test: 'node -e ""' };
  const manifest = `${JSON.stringify({ name: 'small', version: '0.1.0', scripts }, null, 2)}\n`;
  mkdirSync(join(root, 'scripts'));
  cpSync(script, join(root, 'scripts', 'release.mjs'));
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  writeFileSync(join(root, 'package.json'), manifest);
  writeFileSync(join(root, 'package-lock.json'), '{ "version": "0.1.0", "packages": { "": {} } }\n');
  const git = (...args: readonly string[]): void => {
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid'];
    execFileSync('git', [...author, ...args], { cwd: root });
  };
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '-m', 'Begin');
  return { root, git, manifest };
}
