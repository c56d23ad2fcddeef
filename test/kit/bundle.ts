// Makes one runnable file of a TypeScript program, so that tests can start it as a process of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export interface Bundle {
  readonly path: string;
  dispose(): void;
}

const require = createRequire(import.meta.url);

/**
 * Packages with native code or a choice of it stay outside and are found where this repository has them,
 * wherever the bundle lies.
 */
const native = ['@lydell/node-pty', '@photostructure/sqlite', 'pg'];

export async function bundle(entry: string): Promise<Bundle> {
  const directory = mkdtempSync(join(tmpdir(), 'parley-bundle-'));
  const path = join(directory, 'program.cjs');
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    mainFields: ['module', 'main'],
    supported: { 'dynamic-import': false },
    logLevel: 'warning',
    plugins: [
      {
        name: 'native packages',
        setup(builder) {
          for (const name of native) {
            builder.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({
              path: require.resolve(name),
              external: true,
            }));
          }
        },
      },
    ],
  });
  return { path, dispose: () => rmSync(directory, { recursive: true, force: true }) };
}
