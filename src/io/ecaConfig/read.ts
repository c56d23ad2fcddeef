// The configuration of ECA users as one client has it: what the client sends, an environment variable, the user's file, and those in the folders.
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { SettingsProblem } from '../../host/settings.ts';
import { ecaDirectory } from './directory.ts';
import { asConfig, loadEcaFile, over, readEcaText } from './file.ts';
import type { EcaConfig, EcaFile } from './file.ts';
import { interpolate } from './interpolate.ts';

export interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly roots: readonly string[];
  /** What the client sent with `initialize`. */
  readonly initial?: EcaConfig | undefined;
  /** Stands for the user's file and those of the folders. */
  readonly configFile?: string | undefined;
}

export interface ReadConfig {
  /** What the user has written, wherever the workspace is. */
  readonly own: EcaConfig;
  /** The same with what the folders say. */
  readonly config: EcaConfig;
  /** Which of the user's sources cannot be read; those of the folders are told by who reads folders. */
  readonly problems: readonly SettingsProblem[];
  /** The files that were looked at. */
  readonly files: readonly string[];
}

/** The file of a folder. */
export function ecaFolderFile(root: string): string {
  return join(root, '.eca', 'config.json');
}

/** Remembers what each source last said in good order. */
export class EcaConfigReader {
  readonly #last = new Map<string, EcaFile>();

  read({ env, roots, initial = {}, configFile }: Sources): ReadConfig {
    const given = asConfig(interpolate(initial, { env, own: true }));
    if (initial['pureConfig'] === true) return { own: given, config: given, problems: [], files: [] };
    const variable = this.#variable(env['ECA_CONFIG']);
    const mine = this.#load(configFile ?? join(ecaDirectory(env), 'config.json'));
    const base = [variable, mine].reduce((below, file) => over(below, filled(file, env, 'own')), given);
    const extra = extraFiles(base, mine.file).map((file) => this.#load(file));
    const own = extra.reduce((below, file) => over(below, filled(file, env, 'own')), base);
    const inside = configFile === undefined ? roots.map((root) => this.#load(ecaFolderFile(root))) : [];
    return {
      own, config: inside.reduce((below, file) => over(below, filled(file, env, 'folder')), own),
      problems: [variable, mine, ...extra].flatMap(({ problems }) => problems), files: [mine, ...extra, ...inside].map(({ file }) => file),
    };
  }

  #load(file: string): EcaFile {
    const loaded = loadEcaFile(file, this.#last.get(file));
    this.#last.set(file, loaded);
    return loaded;
  }

  #variable(text: string | undefined): EcaFile {
    const name = 'ECA_CONFIG';
    return { ...(text === undefined ? { file: name, config: {}, problems: [] } : readEcaText(text, name)), hash: undefined };
  }
}

/** What a folder brings along may name the environment, and neither files nor commands. */
function filled({ config, file }: EcaFile, env: NodeJS.ProcessEnv, whose: 'own' | 'folder'): EcaConfig {
  return asConfig(interpolate(config, { env, file, own: whose === 'own' }));
}

/** Further files that the user's own configuration names. */
function extraFiles({ extraConfigs }: EcaConfig, from: string): readonly string[] {
  const named: readonly unknown[] = Array.isArray(extraConfigs) ? extraConfigs : [];
  return named.flatMap((each) => (typeof each === 'string' ? [each] : [])).map((path) => {
    if (path.startsWith('~/')) return join(homedir(), path.slice(2));
    return isAbsolute(path) ? path : join(dirname(from), path);
  });
}
