// Bundles src/cli/main.ts into dist/parley.cjs; every `await import()` of ours becomes a chunk
// that loads on first use.
//
// CommonJS starts faster than ES modules on every supported Node, but esbuild splits ES modules only. So
// the first pass bundles and splits, and the second turns each resulting file into CommonJS. No module
// ends up in two files.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { buildWeb } from './buildWeb.mjs';
import { describePackages, packageFolders } from './bundledPackages.mjs';
import { markBuilt, sourceStamp } from './stamp.mjs';

const outdir = 'dist';
const target = 'node20.19';

process.chdir(join(import.meta.dirname, '..'));
const started = performance.now();
const stamp = sourceStamp();
const bundled = await bundle();
const files = await Promise.all(bundled.files.map(toCommonJs));
replaceOutput(files);
const web = await buildWeb();
describePackages([...new Set([...bundled.packages, ...web.packages])]);
markBuilt(stamp);
const size = files.reduce((sum, file) => sum + file.code.length, 0);
process.stderr.write(
  `built ${files.length + web.written} files, ${Math.ceil(size / 1024)} KB without the console, in ` +
    `${Math.round(performance.now() - started)} ms\n`,
);

async function bundle() {
  const { version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
  const result = await build({
    entryPoints: { parley: 'src/cli/main.ts' },
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
    packages: packageFolders(usedFiles(result.metafile)),
  };
}

/** The source files of which at least a byte is in the bundle. */
function usedFiles({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
  );
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
 * Writes chunks before the entry and removes old files last, so a program started
 * meanwhile finds all it needs.
 */
function replaceOutput(output) {
  mkdirSync(outdir, { recursive: true });
  const entryLast = output.toSorted(
    (a, b) => Number(a.name === 'parley.cjs') - Number(b.name === 'parley.cjs'),
  );
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
}
