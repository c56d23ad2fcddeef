// Completes the lockfiles, so that `npm ci` accepts them on every platform.
//
// npm writes into a lockfile only those optional packages that it found in the registry at that moment. A
// mirror that lacks the builds for other platforms leaves gaps, and `npm ci` refuses a lockfile with gaps.
//
//   npm run lockfile              adds the missing entries; asks npm's configured registry about them
//   npm run lockfile -- --check   uses no network; names the missing entries and fails if there are any
//
// A version that the registry does not have gets an entry without `integrity`. npm skips it on platforms that
// do not need it, and on the others asks its registry for the checksum. Run the script again with a complete
// registry, and it fills in the checksums. No entry has a `resolved` field, because .npmrc omits them.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const lockfiles = [
  'package-lock.json',
  'test/realAgents/package-lock.json',
  'test/realAgents/goose/package-lock.json',
  'test/realAgents/more/package-lock.json',
];
const parallelRequests = 4;

if (process.argv.includes('--check')) check();
else for (const file of lockfiles) await complete(file);

/** Every dependency without an entry, once for each package that wants it. Optional ones need one, too. */
function missingEntries(packages) {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const wanted = { ...entry.dependencies, ...entry.optionalDependencies };
    return Object.entries(wanted)
      .filter(([name]) => findEntry(packages, path, name) === undefined)
      .map(([name, range]) => ({ parent: path, name, range }));
  });
}

/** Looks where Node would look: in the package's own node_modules, then in those of the folders above it. */
function findEntry(packages, path, name) {
  const place = join(path, 'node_modules', name).replaceAll('\\', '/');
  if (packages[place]) return place;
  return path === '' ? undefined : findEntry(packages, folderAbove(path), name);
}

function folderAbove(path) {
  return path.slice(0, Math.max(0, path.lastIndexOf('node_modules/') - 1));
}

function check() {
  const problems = lockfiles.flatMap((file) => {
    const { packages } = read(file);
    const missing = missingEntries(packages).map(({ name, range }) => `no entry for ${name}@${range}`);
    const resolved = Object.keys(packages).filter((path) => packages[path].resolved !== undefined);
    const found = [...new Set(missing), ...resolved.map((path) => `a registry is named at ${path}`)];
    return found.map((problem) => `${file}: ${problem}`);
  });
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length === 0) return;
  process.stderr.write('`npm ci` refuses such a lockfile. `npm run lockfile` adds the missing entries.\n');
  process.exitCode = 1;
}

/** Writes nothing if the registry fails: a lockfile is changed as a whole or not at all. */
async function complete(file) {
  const lockfile = read(file);
  const { packages } = lockfile;
  const filled = await fillIntegrity(packages);
  const added = [];
  // A package that was added may want packages of its own.
  for (let missing = missingEntries(packages); missing.length > 0; missing = missingEntries(packages)) {
    added.push(...(await addEntries(packages, missing)));
  }
  if (added.length + filled.length === 0) {
    process.stdout.write(`${file}: complete\n`);
    return;
  }
  const sorted = Object.entries(packages).toSorted(([one], [other]) => one.localeCompare(other, 'en'));
  lockfile.packages = Object.fromEntries(sorted);
  writeFileSync(join(root, file), `${JSON.stringify(lockfile, null, 2)}\n`);
  process.stdout.write(
    `${file}: ${added.length} entries added, ${filled.length} checksums filled in, ` +
      `${withoutIntegrity(packages).length} entries still without one (the registry lacks these versions)\n`,
  );
}

async function addEntries(packages, missing) {
  const names = [...new Map(missing.map((want) => [`${want.name}@${want.range}`, want])).values()];
  const described = await eachOf(names, async (want) => [`${want.name}@${want.range}`, await describe(want)]);
  const known = new Map(described);
  const added = [];
  for (const want of missing) {
    // Two packages may want the same build.
    if (findEntry(packages, want.parent, want.name) !== undefined) continue;
    const place = `node_modules/${want.name}`;
    packages[place] = entryOf(known.get(`${want.name}@${want.range}`), packages[want.parent]);
    added.push(place);
  }
  return added;
}

async function fillIntegrity(packages) {
  const filled = await eachOf(withoutIntegrity(packages), async (path) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const manifest = await view(`${name}@${packages[path].version}`);
    if (!manifest) return [];
    packages[path] = entryOf(manifest, packages[path]);
    return [path];
  });
  return filled.flat();
}

function withoutIntegrity(packages) {
  return Object.keys(packages).filter((path) => path !== '' && packages[path].integrity === undefined);
}

/** The fields that npm writes, in its order. `dev` and `devOptional` come from the package that wants it. */
function entryOf(manifest, { dev, devOptional }) {
  const scripts = manifest.scripts ?? {};
  const runs = ['preinstall', 'install', 'postinstall'].some((name) => scripts[name] !== undefined);
  const fields = {
    version: manifest.version,
    integrity: manifest.dist?.integrity,
    cpu: list(manifest.cpu),
    dev,
    devOptional,
    hasInstallScript: runs || undefined,
    libc: list(manifest.libc),
    license: typeof manifest.license === 'string' ? manifest.license : undefined,
    optional: true,
    os: list(manifest.os),
    dependencies: manifest.dependencies,
    bin: manifest.bin,
    engines: manifest.engines,
    optionalDependencies: manifest.optionalDependencies,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function list(value) {
  return value === undefined || Array.isArray(value) ? value : [value];
}

/** The registry's manifest; for a version that it lacks the platform, from the newest version or the name. */
async function describe({ name, range }) {
  const manifest = await view(`${name}@${range}`);
  if (manifest) return manifest;
  if (!/^\d+\.\d+\.\d+/.test(range)) throw new Error(`The registry has no version of ${name} in ${range}.`);
  const newest = await view(name);
  const { cpu, os, libc, license, engines } = newest ?? platformInName(name);
  return { version: range, cpu, os, libc, license, engines };
}

/** Builds are named after their platform: `-darwin-arm64`, `-linux-x64-musl`. */
function platformInName(name) {
  const platform = /[-/](aix|android|darwin|freebsd|linux|win32)-([a-z0-9]+)(?:-(gnu|musl))?/;
  const [, os, cpu, libc] = platform.exec(name) ?? [];
  if (!os) throw new Error(`The registry does not know ${name}, and its name tells no platform.`);
  return { os, cpu, ...(os === 'linux' && libc ? { libc: libc === 'gnu' ? 'glibc' : libc } : {}) };
}

/** Asks npm, which knows the registry; undefined where it has no such package or version. */
function view(spec) {
  const shell = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    const options = { cwd: root, shell, maxBuffer: 2 ** 26 };
    execFile('npm', ['view', spec, '--json'], options, (error, stdout, stderr) => {
      const answer = parse(stdout);
      const problem = answer?.error?.summary ?? stderr;
      if (answer?.error?.code === 'E404') resolve(undefined);
      else if (error || answer?.error) reject(new Error(`\`npm view ${spec}\` failed: ${problem}`));
      // npm answers a range with a list of versions; the last one is the newest.
      else resolve(Array.isArray(answer) ? answer.at(-1) : answer);
    });
  });
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function eachOf(values, work) {
  const results = [];
  const waiting = [...values.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: parallelRequests }, worker));
  return results;
}

function read(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}
