// Hands the real files to tests of folders that may not import io themselves.
import { resourceFiles as make } from '../../src/io/files/resourceFiles.ts';
import type { ResourceFiles } from '../../src/host/workspace/resourceFiles.ts';

export function resourceFiles(): ResourceFiles {
  return make();
}
