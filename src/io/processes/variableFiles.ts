// The files by which direnv and mise set variables in a folder.
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export interface VariableTool {
  readonly name: string;
  /** The files that make a folder one of the tool. */
  readonly files: readonly string[];
  readonly args: readonly string[];
}

export const variableTools: readonly VariableTool[] = [
  {
    name: 'mise',
    files: ['mise.toml', '.mise.toml', '.tool-versions', '.config/mise.toml'],
    args: ['env', '--json'],
  },
  { name: 'direnv', files: ['.envrc'], args: ['export', 'json'] },
];

/** The files of these tools that count in a folder, as paths from there. */
export function variableFiles(folder: string): readonly string[] {
  return variableTools
    .flatMap(({ files }) => filesAbove(folder, files))
    .map((path) => relative(folder, path));
}

/** Those of the files that lie in the folder, or in the nearest one above it that has any. */
export function filesAbove(folder: string, files: readonly string[]): readonly string[] {
  for (let at = folder; ; at = dirname(at)) {
    const found = files.map((file) => join(at, file)).filter((path) => existsSync(path));
    if (found.length > 0 || dirname(at) === at) return found;
  }
}
