// Prints figures about the structure of the source: folders, lines, functions, names, duplicates, imports.
//
//   npm run structure                 the figures, with the worst places
//   npm run structure -- --names      also every name that more than one file exports
//   npm run structure -- --json       everything, for programs
//   npm run structure -- --depth 2    import arrows between the folders one level deeper
//   npm run structure -- --root DIR   measures another checkout
//   npm run structure -- --check      only the limits; exits with 1 if one is exceeded
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseArgs } from 'node:util';
import { measureSource } from './measureSource.mjs';

const sourceRoots = ['src', 'web', 'client'];
const testRoots = [...sourceRoots, 'test', 'bench'];
/**
 * Folders whose subfolders are versions of one protocol, or shared by them; copies between
 * versions are duplicates.
 */
const versionedFolders = ['src/protocols/ahp', 'src/doors/ahp'];
const versionName = /\d|^newest$/;
const optionsName = /(?:Options|Ports|Setup|Context|Services|Dependencies|Needs)$/;
/** Types in these folders are the vocabulary of logs, wires and settings: data that is stored or sent. */
const vocabularies = ['src/model/', 'src/protocols/', 'src/host/settings/'];
/** Data with many fields elsewhere: a row of a table, a description of one thing, or the state of a log. */
const records = new Set([
  'src/agents/acp/registry.ts AgentSetting',
  'src/agents/native/models/auth/loginWays.ts LoginRow',
  'src/agents/native/models/providers/providers.ts Provider',
  'src/doors/ahp/outbound/offeredAnswers.ts ShownState',
  'src/host/session/summary.ts Summary',
  'src/host/tools/backgroundJobs.ts Job',
]);
/** Objects that live as long as a connection, like a class. They are larger than they should be; add none. */
const connections = new Set(['client/connection/client.ts Client']);
const limits = {
  folderFiles: 20,
  complexity: 15,
  functionLines: 60,
  members: 12,
  run: 6,
  widths: [110, 120],
};

const { values: flags } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    names: { type: 'boolean', default: false },
    depth: { type: 'string', default: '1' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    check: { type: 'boolean', default: false },
  },
});

const depth = Number(flags.depth);
if (!Number.isInteger(depth) || depth < 1) {
  process.stderr.write('--depth takes a number of at least 1.\n');
  process.exit(2);
}
const report = measure();
if (flags.check) check(report);
else
  process.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : `${print(report).join('\n')}\n`);

/** Complexity, long functions and nested ternaries are rules of the linter. */
function check({ folders, optionsTypes, longLines }) {
  const problems = [
    ...fullFolders(folders).map(
      ([folder, { files }]) => `${folder} has ${files} files; a folder has at most ${limits.folderFiles}.`,
    ),
    ...longLines.map((at) => `${at} has more than ${limits.widths[0]} characters; break it.`),
    ...optionsTypes.map(
      ({ at, members }) => `${at} has ${members} members; an options type has at most ${limits.members}.`,
    ),
  ];
  process.stdout.write(problems.map((problem) => `${problem}\n`).join(''));
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function measure() {
  const isTest = (path) => /\.test\.tsx?$/.test(path) || /^(?:test|bench)\//.test(path);
  const paths = testRoots.flatMap(sourceFiles);
  const read = (path) => measureSource(path, readFileSync(join(flags.root, path), 'utf8'), isTest(path));
  const source = paths.filter((path) => !isTest(path)).map(read);
  const tests = paths.filter(isTest).map(read);
  return {
    source: lineFigures(source),
    tests: lineFigures(tests),
    longLines: [...source, ...tests, ...sourceFiles('scripts').map(read)].flatMap(linesToBreak),
    folders: folderFigures(source, tests),
    functions: functionFigures(source),
    nestedTernaries: source.flatMap(({ path, nestedTernaries }) =>
      nestedTernaries.map((line) => `${path}:${String(line)}`),
    ),
    optionsTypes: largeOptionsTypes(source),
    sharedNames: sharedNames(source),
    duplicates: duplicateRuns(source),
    arrows: importArrows(source),
  };
}

function sourceFiles(folder) {
  const place = join(flags.root, folder);
  if (!existsSync(place)) return [];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sourceFiles(path);
    return /\.(?:tsx?|mjs)$/.test(entry.name) ? [path] : [];
  });
}

function lineFigures(files) {
  const lines = files.flatMap((file) =>
    file.lines.map((line, at) => ({ at: `${file.path}:${at + 1}`, width: line.length })),
  );
  const countOver = (limit) => lines.filter(({ width }) => width > limit).length;
  return {
    files: files.length,
    lines: lines.length,
    longestLine: worst(lines, 'width')[0],
    linesOver: Object.fromEntries(limits.widths.map((limit) => [limit, countOver(limit)])),
  };
}

/** The lines over the limit that can be broken: texts, regular expressions and addresses apart. */
function linesToBreak({ path, lines, shortLines }) {
  const isLong = (line) => line.length > limits.widths[0];
  return lines.flatMap((line, at) =>
    isLong(line) && isLong(shortLines[at]) && !/https?:\/\//.test(line) ? [`${path}:${at + 1}`] : [],
  );
}

function folderFigures(source, tests) {
  const folders = {};
  const count = (files, kind) => {
    for (const { path } of files) {
      const folder = posix.dirname(path);
      folders[folder] ??= { files: 0, tests: 0 };
      folders[folder][kind] += 1;
    }
  };
  count(source, 'files');
  count(
    tests.filter(({ path }) => sourceRoots.includes(path.split('/')[0])),
    'tests',
  );
  return sortedByKey(Object.entries(folders));
}

function functionFigures(source) {
  const all = source.flatMap(({ path, functions }) =>
    functions.map(({ line, length, complexity }) => ({ at: `${path}:${line}`, length, complexity })),
  );
  const sorted = all.map(({ complexity }) => complexity).toSorted((one, other) => one - other);
  return {
    count: all.length,
    complexityMax: sorted.at(-1) ?? 0,
    complexityP99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    complex: worst(all, 'complexity').filter(({ complexity }) => complexity > limits.complexity),
    long: worst(all, 'length').filter(({ length }) => length > limits.functionLines),
  };
}

/**
 * Types that are passed to functions, apart from data. Members that a type has by extension count, too,
 * where the name of the base is known.
 */
function largeOptionsTypes(source) {
  const all = source.flatMap(({ path, types }) => types.map((type) => ({ path, ...type })));
  const passed = new Set(source.flatMap((file) => file.passed));
  const isOther = (path, name) =>
    vocabularies.some((folder) => path.startsWith(folder)) ||
    [records, connections].some((names) => names.has(`${path} ${name}`));
  const find = (base, path) => {
    const named = all.filter(({ name }) => name === base);
    // Several files may export the name; the largest of these types is surely not too small.
    return named.find((type) => type.path === path) ?? worst(named, 'members')[0];
  };
  const size = ({ members, bases, path }, seen) =>
    bases
      .filter((base) => !seen.includes(base))
      .map((base) => find(base, path))
      .reduce((sum, base) => (base ? sum + size(base, [...seen, base.name]) : sum), members);
  const sized = all
    .filter(({ name, path }) => optionsName.test(name) || (passed.has(name) && !isOther(path, name)))
    .map((type) => ({ at: `${type.path} ${type.name}`, members: size(type, [type.name]) }));
  return worst(sized, 'members').filter(({ members }) => members > limits.members);
}

function sharedNames(source) {
  const files = new Map();
  for (const { path, exports } of source) {
    for (const name of exports) files.set(name, [...(files.get(name) ?? []), path]);
  }
  return sortedByKey([...files].filter(([, paths]) => paths.length > 1));
}

/** Runs of equal lines, blank lines and indentation apart, that two versions have in common. */
function duplicateRuns(source) {
  const versions = {};
  for (const file of source) {
    const parent = versionedFolders.find((folder) => file.path.startsWith(`${folder}/`));
    const [version, ...rest] = parent ? file.path.slice(parent.length + 1).split('/') : [];
    if (rest.length > 0 && versionName.test(version))
      (versions[`${parent}/${version}`] ??= []).push(...runsOf(file));
  }
  const names = Object.keys(versions);
  const pairs = names.flatMap((one, at) => names.slice(at + 1).map((other) => ({ one, other })));
  const compared = pairs.map(({ one, other }) => {
    const known = new Set(versions[other]);
    return { one, other, runs: new Set(versions[one].filter((run) => known.has(run))).size };
  });
  return compared.filter(({ runs }) => runs > 0);
}

function runsOf({ lines }) {
  const text = lines.map((line) => line.trim()).filter((line) => line !== '');
  const starts = Array.from({ length: Math.max(0, text.length - limits.run + 1) }, (_, at) => at);
  return starts.map((at) => text.slice(at, at + limits.run).join('\n'));
}

/** How many files of one folder import something from another, and how many imports these are. */
function importArrows(source) {
  const arrows = {};
  const folderOf = (path) => {
    const parts = posix.dirname(path).split('/');
    return parts.slice(0, parts[0] === 'src' ? depth + 1 : depth).join('/');
  };
  for (const { path, imports } of source) {
    const ours = imports.filter((name) => name.startsWith('.'));
    const targets = ours.map((name) => folderOf(posix.join(posix.dirname(path), name)));
    const foreign = targets.filter((folder) => folder !== folderOf(path));
    for (const folder of new Set(foreign)) {
      const arrow = (arrows[`${folderOf(path)} -> ${folder}`] ??= { files: 0, imports: 0 });
      arrow.files += 1;
      arrow.imports += foreign.filter((name) => name === folder).length;
    }
  }
  return sortedByKey(Object.entries(arrows));
}

function sortedByKey(entries) {
  return Object.fromEntries(entries.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function worst(items, key) {
  return items.toSorted((one, other) => other[key] - one[key]);
}

function print(figures) {
  const { functions, sharedNames: shared } = figures;
  const names = Object.entries(shared);
  return [
    ...printLines('Source', figures.source),
    ...printLines('Tests', figures.tests),
    '',
    `Functions: ${functions.count}`,
    `Complexity: max ${functions.complexityMax}, p99 ${functions.complexityP99}`,
    ...printList(`Functions of complexity over ${limits.complexity}`, functions.complex, 'complexity'),
    ...printList(`Functions over ${limits.functionLines} lines`, functions.long, 'length'),
    ...printList(
      'Nested ternaries',
      figures.nestedTernaries.map((at) => ({ at })),
      'count',
    ),
    ...printList(`Options types with more than ${limits.members} members`, figures.optionsTypes, 'members'),
    '',
    `Names exported by more than one file: ${names.length}`,
    ...(flags.names ? names.map(([name, paths]) => `  ${name}: ${paths.join(', ')}`) : []),
    '',
    `Equal runs of ${limits.run} lines between versions of AHP:`,
    ...figures.duplicates.map(({ one, other, runs }) => `  ${String(runs).padStart(5)}  ${one} and ${other}`),
    '',
    ...printFolders(figures.folders),
    '',
    'Imports between folders (files, imports):',
    ...Object.entries(figures.arrows).map(([arrow, count]) => `  ${arrow}: ${count.files}, ${count.imports}`),
  ];
}

function printLines(title, { files, lines, longestLine, linesOver }) {
  const over = Object.entries(linesOver).map(([limit, count]) => `${count} over ${limit}`);
  const longest = longestLine ? `longest line ${longestLine.width} (${longestLine.at})` : 'no lines';
  return [`${title}: ${files} files, ${lines} lines; ${over.join(', ')}; ${longest}`];
}

function printList(title, items, key) {
  const shown = items.slice(0, 10).map((item) => `  ${String(item[key] ?? '').padStart(5)}  ${item.at}`);
  const rest = items.length > shown.length ? [`         and ${items.length - shown.length} more`] : [];
  return [`${title}: ${items.length}`, ...shown, ...rest];
}

function fullFolders(folders) {
  return Object.entries(folders).filter(([, { files }]) => files > limits.folderFiles);
}

function printFolders(folders) {
  const entries = Object.entries(folders);
  const full = fullFolders(folders).length;
  return [
    `Folders: ${entries.length}; with more than ${limits.folderFiles} files: ${full} (files, tests):`,
    ...entries.map(([folder, { files, tests }]) => {
      const mark = files > limits.folderFiles ? '!' : ' ';
      return `${mark} ${String(files).padStart(5)} ${String(tests).padStart(5)}  ${folder}`;
    }),
  ];
}
