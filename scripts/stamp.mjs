// Tells whether dist was built from the current sources.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const stampFile = 'dist/.stamp';
const sources = [
  'src',
  'web',
  'client',
  'scripts/build.mjs',
  'scripts/buildWeb.mjs',
  'scripts/buildClient.mjs',
  'scripts/bundledPackages.mjs',
  'scripts/packagesInBundles.json',
  'scripts/stamp.mjs',
  'package.json',
  'package-lock.json',
];

/** One line per source file with its size and time; any edit, addition or removal changes the text. */
export function sourceStamp(paths = sources) {
  return paths.flatMap(describe).join('\n');
}

export function isBuilt() {
  try {
    return statSync('dist/parley.cjs').isFile() && isCurrent(sourceStamp());
  } catch {
    return false;
  }
}

export function isCurrent(stamp, file = stampFile) {
  return existsSync(file) && readFileSync(file, 'utf8') === stamp;
}

/** Takes the stamp read before the build, so an edit made during the build still counts as newer. */
export function markBuilt(stamp, file = stampFile) {
  writeFileSync(file, stamp);
}

function describe(path) {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat || /\.test\.tsx?$/.test(path)) return [];
  if (!stat.isDirectory()) return [`${path} ${stat.size} ${stat.mtimeMs}`];
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => describe(join(path, name)));
}
