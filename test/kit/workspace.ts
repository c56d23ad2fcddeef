// A folder on the real disk with the ports that reach it, gone after the test.
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Programs } from '../../src/host/terminals/programs.ts';
import type { Files, Processes } from '../../src/host/ports.ts';
import { canonical } from '../../src/io/files/canonical.ts';
import { files } from '../../src/io/files/workspace.ts';
import { pipedPrograms } from '../../src/io/processes/pipedPrograms.ts';
import { processes } from '../../src/io/processes/shellCommands.ts';

export type Tree = { readonly [name: string]: string };

export interface Workspace {
  readonly root: string;
  /** A folder beside it, for what programs remember. */
  readonly beside: string;
  readonly files: Files;
  readonly canonical: (path: string) => string;
  readonly processes: Processes;
  readonly programs: Programs;
  put(tree: { readonly [name: string]: string | Uint8Array }): void;
  /** Every file below the root with its text. */
  tree(): Tree;
  close(): void;
}

export function workspace(given: Tree = {}): Workspace {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'parley-workspace-')));
  const [root, beside] = [join(folder, 'work'), join(folder, 'beside')];
  mkdirSync(root);
  const made: Workspace = {
    root,
    beside,
    files: files(),
    canonical,
    processes: processes({ grace: 200 }),
    programs: pipedPrograms({ grace: 200 }),
    put(tree) {
      for (const [name, text] of Object.entries(tree)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      }
    },
    tree() {
      const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
      return Object.fromEntries(
        found.map(({ parentPath, name }) => [
          join(parentPath, name).slice(root.length + 1),
          readFileSync(join(parentPath, name), 'utf8'),
        ]),
      );
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
  made.put(given);
  return made;
}
