// Bundles web/ into dist/web, with compressed copies. Does nothing if no source of it has changed.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildDiagram } from './buildDiagram.mjs';
import { packageFolders } from './bundledPackages.mjs';
import { isCurrent, markBuilt, sourceStamp } from './stamp.mjs';

const outdir = 'dist/web';
const stampFile = 'dist/.stamp-web';
const resultFile = 'dist/.stamp-web.json';
const sources = [
  'web',
  'client',
  'src/base',
  'src/protocols/ahp',
  'scripts/buildDiagram.mjs',
  'scripts/buildWeb.mjs',
  'scripts/bundledPackages.mjs',
  'scripts/stamp.mjs',
  'package-lock.json',
];

/** Static files with hashed names, without references to other hosts. */
const config = {
  configFile: false,
  root: 'web',
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    write: false,
    target: 'es2023',
    // The content security policy allows no inline script; images and fonts are files, too.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // A part that is loaded later has its styles: one whose style sheet failed would be drawn without it.
    cssCodeSplit: false,
    chunkSizeWarningLimit: 700,
  },
};

/** Returns how many files were written (0 if they were current), all files, and the packages in them. */
export async function buildWeb() {
  const stamp = sourceStamp(sources);
  if ([join(outdir, 'index.html'), resultFile].every(existsSync) && isCurrent(stamp, stampFile)) {
    return { written: 0, ...JSON.parse(readFileSync(resultFile, 'utf8')) };
  }
  const { build } = await import('vite');
  const { output } = await build(config);
  // Tells tools that inspect the package that these files, unlike the program, are ES modules.
  const kind = { name: 'package.json', content: '{ "type": "module" }\n' };
  const diagram = await buildDiagram();
  const files = [
    diagram,
    await bundleWorker(),
    ...readdirSync('web/public').map((name) => ({ name, content: readFileSync(`web/public/${name}`) })),
    ...output.map((file) => ({ name: file.fileName, content: file.code ?? file.source })),
  ];
  const all = [kind, ...files, ...files.flatMap(compressed)];
  replaceOutput(all);
  const result = {
    files: all.map(({ name }) => `${outdir}/${name}`),
    packages: packageFolders([...diagram.used, ...output.flatMap((file) => usedFiles(file))]),
  };
  writeFileSync(resultFile, JSON.stringify(result));
  markBuilt(stamp, stampFile);
  return { written: output.length, ...result };
}

/** A copy for browsers that take it, so that the host need not compress. Small files gain nothing. */
function compressed({ name, content }) {
  if (!/\.(?:js|css|html|svg)$/.test(name) || content.length < 1024) return [];
  return [{ name: `${name}.gz`, content: gzipSync(content, { level: 9 }) }];
}

/** One file with a fixed name: a browser asks for the service worker again by its address. */
async function bundleWorker() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: ['web/worker/worker.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2023',
    // A picture that had to be fetched would hold a notification back until the host answers.
    loader: { '.png': 'dataurl' },
    logLevel: 'warning',
  });
  return { name: 'sw.js', content: outputFiles[0].text };
}

/** The modules of a chunk; the sources of a stylesheet. */
function usedFiles({ moduleIds = [], originalFileNames = [] }) {
  return [...moduleIds, ...originalFileNames];
}

/**
 * Writes the page after what it refers to and removes old files last, so a page loaded
 * meanwhile finds all it needs.
 */
function replaceOutput(files) {
  const pageLast = files.toSorted(
    (a, b) => Number(a.name === 'index.html') - Number(b.name === 'index.html'),
  );
  for (const { name, content } of pageLast) {
    const path = join(outdir, name);
    const fresh = `${path}.${process.pid}.new`;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(fresh, content);
    renameSync(fresh, path);
  }
  const current = new Set(files.map(({ name }) => name));
  for (const name of readdirSync(outdir, { recursive: true }).map((path) => path.replaceAll('\\', '/'))) {
    if (name.includes('.') && !current.has(name)) rmSync(join(outdir, name));
  }
}
