// Builds the gallery of the console's components into artifacts/gallery, or into the folder that is named. It
// is no part of the package. Run it with npm run gallery, and serve the folder by any web server.
import { join, resolve } from 'node:path';
import { build } from 'vite';

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
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
});
process.stdout.write(`${join(folder, 'index.html')}\n`);
