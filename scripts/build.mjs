// Bundles src/cli/main.ts into dist/parley.cjs; every `await import()` of ours becomes a chunk
// that loads on first use.
//
// CommonJS starts faster than ES modules on every supported Node, but esbuild splits ES modules only. So
// the first pass bundles and splits, and the second turns each resulting file into CommonJS. No module
// ends up in two files. Then the files that every start loads are joined into one, and so are those that a
// host, the terminal client, or both of them load when they start, because each file costs time to find and
// open, and so do the helpers with which CommonJS files get at each other.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { buildClient } from './buildClient.mjs';
import { buildWeb } from './buildWeb.mjs';
import { describePackages, packageFolders, usedFiles } from './bundledPackages.mjs';
import { markBuilt, sourceStamp } from './stamp.mjs';

const outdir = 'dist';
const entryName = 'parley.cjs';
const loaderName = 'programFiles.cjs';
const target = 'node20.19';

/** Declared at the end of a file, where they do not stand before its directives. */
const fileLoaders = {
  smallFile: 'function smallFile(name){return(smallFile.found??={})[name]??=require(name)}',
  largeFile:
    'function largeFile(name){return(largeFile.found??={})[name]??=' +
    `require("./${loaderName}").loadFile(require.resolve(name))}`,
};

/** How the second pass writes a file. */
const commonJs = {
  platform: 'node',
  target,
  format: 'cjs',
  minify: true,
  supported: { 'dynamic-import': false },
  legalComments: 'none',
  logLevel: 'warning',
};

/** What every start loads, and a pipe to a host. */
const startSources = [
  'src/cli/main.ts',
  'src/cli/stdio/acp.ts',
  'src/cli/stdio/ahp.ts',
  'src/cli/stdio/server.ts',
];

/** What answers `initialize` while a host opens. */
const earlySources = [
  'src/cli/stdio/standalone.ts',
  'src/doors/acp/initialize.ts',
  'src/doors/eca/initialize.ts',
  'src/io/ecaConfig/mayConfigureWelcome.ts',
];

/** The terminal client, which must not load the host either. */
const chatSources = [
  'src/cli/chat/chat.ts',
  'src/cli/chat/openChat.ts',
  'src/cli/chat/screen/chatScreen.ts',
  'src/cli/chat/firstInput.ts',
  'src/cli/chat/screen/sessionChoices.ts',
];

/** What a running host loads later. What the terminal client needs of it is not in the client's own file. */
const laterSources = ['src/cli/start/serveLocked.ts', 'src/doors/ahp/door.ts'];

/** Commands that ask the host, and load neither it nor the terminal client. */
const commandSources = [
  'src/cli/accounts/devices.ts',
  'src/cli/accounts/token.ts',
  'src/cli/run/run.ts',
  'src/cli/sessions/sessions.ts',
  'src/cli/setup/permissions.ts',
];

/** A smaller file takes less time to compile than to find its compiled code, in characters. */
const largeFile = 20_000;

/** What a host needs to find out that there is one already. */
const lockSources = ['src/cli/start/serve.ts'];

process.chdir(join(import.meta.dirname, '..'));
const started = performance.now();
const stamp = sourceStamp();
const bundled = await bundle();
const files = await joinFiles(bundled);
replaceOutput(files);
const web = await buildWeb();
const library = await buildClient();
const described = describePackages([...new Set([...bundled.packages, ...web.packages, ...library.packages])]);
// The test of the package compares its files with this list.
writeFileSync(
  `${outdir}/.stamp-files.json`,
  JSON.stringify([
    ...files.map(({ name }) => `${outdir}/${name}`),
    ...web.files,
    ...library.files,
    ...described,
  ]),
);
markBuilt(stamp);
const size = files.reduce((sum, file) => sum + file.code.length, 0);
process.stderr.write(
  `built ${files.length + web.written} files, ${Math.ceil(size / 1024)} KB without the console, in ` +
    `${Math.round(performance.now() - started)} ms\n`,
);

async function bundle() {
  const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const result = await build({
    entryPoints: { parley: 'src/cli/main.ts', programFiles: 'src/cli/programFiles.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    chunkNames: '[name]-[hash]',
    platform: 'node',
    target,
    format: 'esm',
    bundle: true,
    splitting: true,
    // Some packages point 'main' at a form that cannot be bundled and 'module' at their ES modules.
    mainFields: ['module', 'main'],
    minify: true,
    write: false,
    metafile: true,
    // dist/third-party-licenses.txt has the licences of all packages in full.
    legalComments: 'none',
    external: Object.keys(optionalDependencies),
    define: { PARLEY_VERSION: JSON.stringify(version) },
    logLevel: 'warning',
  });
  if (result.warnings.length > 0) throw new Error('The bundle has warnings, see above.');
  return {
    files: result.outputFiles.map((file) => ({ name: basename(file.path), code: file.text })),
    metafile: result.metafile,
    packages: packageFolders(usedFiles(result.metafile)),
  };
}

/** A file knows its own address only if it asks for it. */
function ownUrl(code) {
  if (!code.includes('import.meta.url')) return { banner: '' };
  return {
    banner: 'const parleyFileUrl=require("node:url").pathToFileURL(__filename).href;',
    define: { 'import.meta.url': 'parleyFileUrl' },
  };
}

async function toCommonJs({ name, code }) {
  const result = await transform(code, { ...commonJs, ...ownUrl(code), sourcefile: name });
  if (result.warnings.length > 0) throw new Error(`${name} has warnings, see above.`);
  return { name, code: result.code };
}

/**
 * Joins the files that every start loads into one, and the others by who loads them: a host, the terminal
 * client, commands, or several of them. The entry then runs its part of the first.
 */
async function joinFiles(pass) {
  const { outputs } = pass.metafile;
  const pathOf = (source) => {
    const path = Object.keys(outputs).find((file) => outputs[file].entryPoint === source);
    if (!path) throw new Error(`${source} has no file of its own in the bundle.`);
    return path;
  };
  const addLoaded = (path, loaded) => {
    if (loaded.has(path)) return loaded;
    loaded.add(path);
    for (const { path: next, kind } of outputs[path].imports)
      if (kind === 'import-statement' && outputs[next]) addLoaded(next, loaded);
    return loaded;
  };
  const loadedBy = (sources) =>
    sources.reduce((loaded, source) => addLoaded(pathOf(source), loaded), new Set());
  const start = loadedBy(startSources);
  const light = loadedBy([...startSources, ...earlySources]);
  const chat = [...loadedBy(chatSources)].filter((path) => !light.has(path));
  const host = [...loadedBy(['src/app/openHost.ts'])].filter((path) => !light.has(path));
  const lock = new Set([...loadedBy(lockSources)].filter((path) => !light.has(path) && !chat.includes(path)));
  const ofHost = host.filter((path) => !chat.includes(path) && !lock.has(path));
  const later = loadedBy(['src/app/openHost.ts', ...laterSources]);
  const commands = loadedBy(commandSources);
  const groups = await Promise.all(
    Object.entries({
      start: [...start],
      early: [...light].filter((path) => !start.has(path)),
      shared: chat.filter((path) => later.has(path)),
      commands: chat.filter((path) => !later.has(path) && commands.has(path)),
      chat: chat.filter((path) => !later.has(path) && !commands.has(path)),
      lock: [...lock],
      common: ofHost.filter((path) => commands.has(path)),
      host: ofHost.filter((path) => !commands.has(path)),
    }).map(([title, paths]) => joinGroup(title, paths, pass)),
  );
  const others = await Promise.all(
    pass.files.filter((file) => !groups.some(({ members }) => members.has(file.name))).map(toCommonJs),
  );
  // The first of them is the entry, which runs its own part.
  Object.assign(groups[0], {
    name: entryName,
    code: `${groups[0].code}module.exports.part("${entryName}");`,
  });
  const all = [...groups, ...others];
  const large = new Set(
    all
      .filter(({ name, code }) => name !== groups[0].name && code.length >= largeFile)
      .map(({ name }) => name),
  );
  return all.map((file) => ({ ...file, code: linkFiles(linkParts(file.code, groups), file.name, large) }));
}

/**
 * One file with all that the joined files do. What other files need of it runs when they first need it. Every
 * start needs the first file whole, so it runs at once: functions that wait to be called are parsed twice.
 */
async function joinGroup(title, paths, { files: output, metafile: { outputs } }) {
  const isWhole = title === 'start';
  const members = new Map(
    output.filter(({ name }) => paths.includes(`${outdir}/${name}`)).map(({ name, code }) => [name, code]),
  );
  const needed = Object.keys(outputs)
    .filter((path) => isWhole || !paths.includes(path))
    .flatMap((path) => outputs[path].imports.map((each) => each.path));
  const names = [...members.keys()].filter(
    (name) => name === entryName || needed.includes(`${outdir}/${name}`),
  );
  const { banner, ...url } = ownUrl([...members.values()].join('\n'));
  const result = await build({
    ...commonJs,
    ...url,
    banner: { js: banner },
    stdin: { contents: isWhole ? runWhole(names) : runInParts(names) },
    bundle: true,
    write: false,
    plugins: [{ name: 'members', setup: (pass) => findMembers(pass, { members, isWhole }) }],
  });
  if (result.warnings.length > 0) throw new Error(`The file "${title}" has warnings, see above.`);
  const code = result.outputFiles[0].text;
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 8).toUpperCase();
  return { name: `${title}-${hash}.cjs`, members, code };
}

function runInParts(names) {
  const parts = names.map((name) => `"${name}":()=>require("./${name}")`);
  return `const parts={${parts.join()}},made=new Map();
    export const part=(name)=>made.get(name)??made.set(name,parts[name]()).get(name);`;
}

function runWhole(names) {
  return `${names.map((name, at) => `import * as part${at} from "./${name}";`).join('')}
    const parts={${names.map((name, at) => `"${name}":part${at}`).join()}};
    export const part=(name)=>parts[name];`;
}

/**
 * Files of the first pass are in memory, and those that are not joined stay where they are. A file that runs
 * whole asks itself for what it loads later.
 */
function findMembers(pass, { members, isWhole }) {
  pass.onResolve({ filter: /./ }, ({ path, kind }) =>
    members.has(basename(path)) && !(isWhole && kind === 'dynamic-import')
      ? { path: basename(path), namespace: 'member' }
      : { path, external: true },
  );
  pass.onLoad({ filter: /./, namespace: 'member' }, ({ path }) => ({ contents: members.get(path) }));
}

/** The code of a file, which finds joined files where they are now. */
function linkParts(code, groups) {
  return code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (whole, file) => {
    const group = groups.find(({ members }) => members.has(file));
    if (!group) return whole;
    return `require("./${group.name}").part("${file}")`;
  });
}

/**
 * The code of a file, which loads large files with `loadFile`, and not with `require`. It finds each file
 * once: parts ask for the same few files again and again, and Node would resolve each of these requests.
 */
function linkFiles(code, name, large) {
  // `loadFile` reads the files as such.
  if (Buffer.byteLength(code) !== code.length) throw new Error(`${name} has characters that are not ASCII.`);
  const asked = new Set();
  const linked = code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (_, file) => {
    const loader = large.has(file) ? 'largeFile' : 'smallFile';
    asked.add(loader);
    return `${loader}("./${file}")`;
  });
  return `${linked}${[...asked].map((loader) => fileLoaders[loader]).join('')}`;
}

/**
 * Writes chunks before the entry and removes old files last, so a program started
 * meanwhile finds all it needs.
 */
function replaceOutput(output) {
  mkdirSync(outdir, { recursive: true });
  const entryLast = output.toSorted((a, b) => Number(a.name === entryName) - Number(b.name === entryName));
  for (const { name, code } of entryLast) {
    const path = join(outdir, name);
    const fresh = `${path}.${process.pid}.new`;
    writeFileSync(fresh, code);
    renameSync(fresh, path);
  }
  const current = new Set(output.map((file) => file.name));
  for (const name of readdirSync(outdir)) {
    if (name.endsWith('.cjs') && !current.has(name)) rmSync(join(outdir, name));
  }
  rmSync(join(outdir, '.compiled'), { recursive: true, force: true });
}
