// Makes a release on this machine: checks everything, packs the package, commits the version and tags it.
//
//   npm run release -- 0.2.0             needs a clean tree on `main` and a dated section in CHANGELOG.md
//   npm run release -- 0.2.0 --dry-run   does the same, but commits and tags nothing and restores the version
//
// It pushes nothing: it prints the commands to push. The tag then starts .github/workflows/release.yml.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Files that the package must have, and patterns that each of its files must match one of. */
const requiredFiles = [
  'package.json',
  'README.md',
  'LICENSE',
  'bin/parley.js',
  'bin/parley.bat',
  'dist/parley.cjs',
  'dist/web/index.html',
  'dist/third-party-licenses.txt',
  'dist/sbom.cdx.json',
  'docs/settings.schema.json',
];
const allowedFiles = [
  /^(?:package\.json|LICENSE|(?:README|ARCHITECTURE|CHANGELOG|CONTRIBUTING|SECURITY)\.md)$/,
  /^docs\/[\w-]+\.(?:md|png|schema\.json)$/,
  /^bin\/parley\.(?:js|bat)$/,
  /^dist\/(?:[\w.-]+\.cjs|third-party-licenses\.txt|sbom\.cdx\.json)$/,
  /^dist\/web\/(?:[\w-]+\/)*[\w.-]+\.(?:html|js|css|svg|json)$/,
];

class Refusal extends Error {}

process.chdir(join(import.meta.dirname, '..'));
try {
  release(readArguments());
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

function release({ version, dryRun }) {
  checkRepository(version);
  checkChangelog(version);
  const restore = setVersion(version);
  let done = false;
  try {
    for (const script of ['check', 'test']) run('npm', ['run', script]);
    checkPackage(version);
    if (!dryRun) commitAndTag(version);
    done = !dryRun;
  } finally {
    if (!done) restore();
  }
  process.stdout.write(
    dryRun
      ? `${version} can be released. Nothing was committed or tagged.\n`
      : `${version} is tagged. To publish it:\n  git push origin main\n  git push origin v${version}\n`,
  );
}

function readArguments() {
  const usage = 'Usage: npm run release -- MAJOR.MINOR.PATCH [--dry-run]';
  try {
    const { values, positionals } = parseArgs({
      options: { 'dry-run': { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [version = '', ...rest] = positionals;
    if (rest.length > 0 || !/^\d+\.\d+\.\d+$/.test(version)) throw new Refusal(usage);
    return { version, dryRun: values['dry-run'] };
  } catch {
    throw new Refusal(usage);
  }
}

function checkRepository(version) {
  const branch = git('rev-parse', '--abbrev-ref', 'HEAD');
  if (branch !== 'main') throw new Refusal(`Releases are made on main; this is ${branch}.`);
  if (git('status', '--porcelain') !== '') throw new Refusal('The tree has changes. Commit or remove them.');
  if (git('tag', '--list', `v${version}`) !== '') throw new Refusal(`The tag v${version} already exists.`);
}

/** The section needs a date and at least one line of its own. */
function checkChangelog(version) {
  const [, ...sections] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (!section) throw new Refusal(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD".`);
  const [heading, ...lines] = section.split('\n');
  const date = /^\[[\d.]+\] - (\d{4}-\d{2}-\d{2})$/.exec(heading.trim())?.[1] ?? '';
  const time = new Date(date);
  if (Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date)) {
    throw new Refusal(`CHANGELOG.md has no date for ${version}: "## [${version}] - YYYY-MM-DD".`);
  }
  if (!lines.some((line) => line.startsWith('- '))) {
    throw new Refusal(`CHANGELOG.md lists no change for ${version}.`);
  }
}

/** Writes the version into both manifests where it differs. Returns how to write the old texts back. */
function setVersion(version) {
  const texts = ['package.json', 'package-lock.json'].map((file) => [file, readFileSync(file, 'utf8')]);
  const current = JSON.parse(texts[0][1]).version;
  if (isOlder(version, current)) {
    throw new Refusal(`package.json has ${current}, which is newer than ${version}.`);
  }
  for (const [file, text] of texts) {
    const manifest = JSON.parse(text);
    manifest.version = version;
    if (manifest.packages) manifest.packages[''].version = version;
    const changed = `${JSON.stringify(manifest, null, 2)}\n`;
    if (changed !== text) writeFileSync(file, changed);
  }
  return () => texts.forEach(([file, text]) => writeFileSync(file, text));
}

function isOlder(version, other) {
  const [one, two] = [version, other].map((text) => text.split('.').map(Number));
  const at = one.findIndex((number, index) => number !== two[index]);
  return at !== -1 && one[at] < two[at];
}

function checkPackage(version) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-release-'));
  try {
    run('npm', ['pack', '--loglevel=error', '--pack-destination', folder]);
    const [tarball] = readdirSync(folder);
    const options = { cwd: folder, encoding: 'utf8' };
    const listed = execFileSync('tar', ['-tzf', tarball], options).trim().split(/\r?\n/);
    checkFiles(listed.map((path) => path.replace(/^package\//, '')));
    execFileSync('tar', ['-xzf', tarball], options);
    const printed = execFileSync(process.execPath, ['package/bin/parley.js', '--version'], options).trim();
    if (!printed.includes(version)) throw new Refusal(`The packed program says that it is "${printed}".`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkFiles(files) {
  const missing = requiredFiles.filter((file) => !files.includes(file));
  const unexpected = files.filter((file) => !allowedFiles.some((pattern) => pattern.test(file)));
  if (missing.length > 0) throw new Refusal(`The package lacks ${missing.join(', ')}.`);
  if (unexpected.length > 0) throw new Refusal(`The package must not contain ${unexpected.join(', ')}.`);
  process.stdout.write(`The package has ${files.length} files, all of them expected.\n`);
}

function commitAndTag(version) {
  // Where the manifests had the version already, there is nothing to commit.
  if (git('status', '--porcelain') !== '') {
    git('commit', '--quiet', '-m', `Release ${version}`, '--', 'package.json', 'package-lock.json');
  }
  git('tag', '-a', `v${version}`, '-m', `Parley ${version}`);
}

function git(...args) {
  return execFileSync('git', args, { encoding: 'utf8' }).trim();
}

function run(command, args) {
  const shell = process.platform === 'win32';
  const { status } = spawnSync(command, args, { stdio: 'inherit', shell });
  if (status !== 0) throw new Refusal(`\`${[command, ...args].join(' ')}\` failed; nothing was released.`);
}
