// Builds the gallery of the console's components into artifacts/gallery, or into the folder that is named. It
// is no part of the package. Run it with npm run gallery, and serve the folder by any web server.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';
import { buildDiagram } from './buildDiagram.mjs';

const root = join(import.meta.dirname, '..');
const folder = resolve(process.argv[2] ?? join(root, 'artifacts', 'gallery'));

await build({
  configFile: false,
  root: join(root, 'web', 'gallery'),
  base: './',
  publicDir: false,
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: 'es2023',
    // A test asks the browser which functions of which file ran.
    minify: false,
    rolldownOptions: { output: { preserveModules: true, entryFileNames: '[name].js' } },
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
process.chdir(root);
const { name, content } = await buildDiagram();
writeFileSync(join(folder, name), content);
process.stdout.write(`${join(folder, 'index.html')}\n`);
