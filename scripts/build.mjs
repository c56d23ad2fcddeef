// Bundles src/cli/main.ts into dist/parley.cjs; every `await import()` of ours becomes a chunk
// that loads on first use.
//
// CommonJS starts faster than ES modules on every supported Node, but esbuild splits ES modules only. So
// the first pass bundles and splits, and the second turns each resulting file into CommonJS. No module
// ends up in two files. Then the files that every start loads are joined into one, and so are those that a
// host, the terminal client, or both of them load when they start, because each file costs time to find and
// open.
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
const target = 'node20.19';

/** What must not load the host: pipes to it, and what answers `initialize` while it opens. */
const lightSources = [
  'src/cli/programFiles.ts',
  'src/cli/main.ts',
  'src/cli/stdio/acp.ts',
  'src/cli/stdio/ahp.ts',
  'src/cli/stdio/server.ts',
  'src/cli/stdio/standalone.ts',
  'src/doors/acp/initialize.ts',
  'src/doors/eca/initialize.ts',
];

/** The terminal client, which must not load the host either. */
const chatSources = [
  'src/cli/chat/chat.ts',
  'src/cli/chat/screen/chatScreen.ts',
  'src/cli/chat/screen/sessionChoices.ts',
];

/** A smaller file takes less time to compile than to find its compiled code, in characters. */
const largeFile = 20_000;

/** What a host needs to find out that there is one already. */
const lockSources = ['src/cli/start/serve.ts'];

process.chdir(join(import.meta.dirname, '..'));
const started = performance.now();
const stamp = sourceStamp();
const bundled = await bundle();
const files = joinFiles(await Promise.all(bundled.files.map(toCommonJs)), bundled.metafile);
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

async function toCommonJs({ name, code }) {
  const usesUrl = code.includes('import.meta.url');
  const result = await transform(code, {
    platform: 'node',
    target,
    format: 'cjs',
    minify: true,
    supported: { 'dynamic-import': false },
    legalComments: 'none',
    sourcefile: name,
    logLevel: 'warning',
    ...(usesUrl && {
      banner: 'const parleyFileUrl=require("node:url").pathToFileURL(__filename).href;',
      define: { 'import.meta.url': 'parleyFileUrl' },
    }),
  });
  if (result.warnings.length > 0) throw new Error(`${name} has warnings, see above.`);
  return { name, code: result.code };
}

/**
 * Joins the files that every start loads into one, and the others by who loads them: a host, the terminal
 * client, or both. The entry then runs its part of the first.
 */
function joinFiles(output, { outputs }) {
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
  const light = loadedBy(lightSources);
  const chat = [...loadedBy(chatSources)].filter((path) => !light.has(path));
  const host = [...loadedBy(['src/app/openHost.ts'])].filter((path) => !light.has(path));
  const lock = new Set([...loadedBy(lockSources)].filter((path) => !light.has(path) && !chat.includes(path)));
  const groups = [
    joinGroup('start', light, output),
    joinGroup(
      'shared',
      chat.filter((path) => host.includes(path)),
      output,
    ),
    joinGroup(
      'chat',
      chat.filter((path) => !host.includes(path)),
      output,
    ),
    joinGroup('lock', lock, output),
    joinGroup(
      'host',
      host.filter((path) => !chat.includes(path) && !lock.has(path)),
      output,
    ),
  ];
  const others = output.filter((file) => !groups.some(({ members }) => members.has(file.name)));
  const entry = { name: entryName, code: `require("./${entryName}");` };
  const all = [...groups, ...others, entry];
  const large = new Set(
    all
      .filter(({ name, code }) => name !== groups[0].name && code.length >= largeFile)
      .map(({ name }) => name),
  );
  return all.map((file) => ({
    ...file,
    code: linkFiles(linkParts(file, groups), file, { start: groups[0], large }),
  }));
}

/** One file with a function for each joined file, which runs when the part is first required. */
function joinGroup(title, paths, output) {
  const members = new Set([...paths].map((path) => basename(path)));
  // The brackets around a function make V8 compile it at once instead of reading it twice. They pay where
  // most parts run.
  const [open, close] = title === 'host' ? ['(', ')'] : ['', ''];
  const code = [
    'const made=new Map();const ownPart=exports.part=(name)=>{let module=made.get(name);' +
      'if(!module){made.set(name,module={exports:{}});parts[name](module,module.exports)}' +
      'return module.exports};const parts={',
    ...output
      .filter(({ name }) => members.has(name))
      .map(
        ({ name, code: part }) => `${JSON.stringify(name)}:${open}function(module,exports){${part}}${close},`,
      ),
    '};',
  ].join('\n');
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 8).toUpperCase();
  return { name: `${title}-${hash}.cjs`, members, code };
}

/** The code of a file, which finds joined files where they are now. */
function linkParts({ name, code }, groups) {
  return code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (whole, file) => {
    const group = groups.find(({ members }) => members.has(file));
    if (!group) return whole;
    return group.name === name ? `ownPart("${file}")` : `require("./${group.name}").part("${file}")`;
  });
}

/** The code of a file, which loads large files with `loadFile`, and not with `require`. */
function linkFiles(code, { name }, { start, large }) {
  // `loadFile` reads the files as such.
  if (Buffer.byteLength(code) !== code.length) throw new Error(`${name} has characters that are not ASCII.`);
  const part = name === start.name ? 'ownPart' : `require("./${start.name}").part`;
  return code.replace(/\brequire\("\.\/([\w.-]+)"\)/g, (whole, file) =>
    large.has(file) ? `${part}("programFiles.cjs").loadFile(require.resolve("./${file}"))` : whole,
  );
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
