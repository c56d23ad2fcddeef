// Whether an ECA configuration could have a welcome message of its own. Looks for words only: a pipe asks
// before it answers an editor, and must not load what reads configurations.
import { join } from 'node:path';
import { isFolderProblem, readFolderFile } from '../files/folderFile.ts';
import { ecaDirectory } from './directory.ts';

export interface WelcomeSources {
  readonly env: { readonly [name: string]: string | undefined };
  readonly roots: readonly string[];
  /** Stands for the user's file and those of the folders. */
  readonly configFile?: string | undefined;
}

/** Further files and plugins could have it, too. */
const words = /"(?:welcomeMessage|extraConfigs|plugins)"/;

/** A larger file is no configuration. */
const largest = 1_000_000;

export function mayConfigureWelcome({ env, roots, configFile }: WelcomeSources): boolean {
  if (words.test(env['ECA_CONFIG'] ?? '')) return true;
  if (configFile !== undefined) return hasWords(configFile);
  return (
    hasWords(join(ecaDirectory(env), 'config.json')) ||
    roots.some((root) => hasWords(join(root, '.eca', 'config.json'), root))
  );
}

function hasWords(file: string, inside?: string): boolean {
  const found = readFolderFile(file, { inside, largest });
  return !isFolderProblem(found) && words.test(found.text);
}
