// Bundles the client library into dist/client: one module for Node, one for browsers, and their types.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { packageFolders, usedFiles } from './bundledPackages.mjs';

const outdir = 'dist/client';

/** Returns the written files and the folders of the packages in them. */
export async function buildClient() {
  const common = {
    outdir,
    format: 'esm',
    bundle: true,
    minify: true,
    // Node prints the line of an error that no program has caught.
    lineLimit: 100,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    // The library shows nothing, so it needs the signals without their page.
    alias: { '@preact/signals': '@preact/signals-core' },
  };
  const results = [
    await build({
      ...common,
      entryPoints: ['client/node.ts'],
      platform: 'node',
      target: 'node20.19',
      outExtension: { '.js': '.mjs' },
      // Packages in the older module form ask for parts of Node by `require`.
      banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    }),
    await build({ ...common, entryPoints: ['client/browser.ts'], platform: 'browser', target: 'es2022' }),
  ];
  mkdirSync(outdir, { recursive: true });
  const types = readFileSync('client/api.ts', 'utf8');
  writeFileSync(
    `${outdir}/index.d.ts`,
    `${types}\n/** Connects to a host. */\n` +
      'export declare function connect(options?: ConnectOptions): Promise<Parley>;\n',
  );
  return {
    files: [...results.flatMap(({ metafile }) => Object.keys(metafile.outputs)), `${outdir}/index.d.ts`],
    packages: packageFolders(results.flatMap(({ metafile }) => usedFiles(metafile))),
  };
}
