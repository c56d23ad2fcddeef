// Hands the real files to tests of folders that may not import io themselves.
import { resourceFiles as make } from '../../src/io/resourceFiles.ts';
import type { ResourceFiles } from '../../src/host/resources.ts';

export function resourceFiles(): ResourceFiles {
  return make();
}
