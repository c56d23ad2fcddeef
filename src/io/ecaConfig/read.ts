// The ECA configuration for one client: from its `initialize` request, an environment variable, the user's
// file and workspace files.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import { ecaDirectory } from './directory.ts';
import { asConfig, loadEcaFile, mergeConfig, readEcaText } from './file.ts';
import type { EcaConfig, EcaFile } from './file.ts';
import { directories } from '../settings/dataPaths.ts';
import { interpolate } from './interpolate.ts';
import type { InterpolationContext } from './interpolate.ts';
import { pluginConfig, pluginsIn } from './plugins.ts';
import type { PluginSet } from './plugins.ts';

export interface EcaConfigSources {
  readonly env: NodeJS.ProcessEnv;
  readonly roots: readonly string[];
  /** What the client sent with `initialize`. */
  readonly initial?: EcaConfig | undefined;
  /** Stands for the user's file and those of the folders. */
  readonly configFile?: string | undefined;
  /** What the file of a folder says; nothing while the folder is not trusted. */
  readonly folderConfig: (root: string) => EcaConfig;
}

export interface ReadConfig {
  /** What the user has written, wherever the workspace is. */
  readonly own: EcaConfig;
  /**
   * The part of it that counts less than what folders say, and the part that counts more:
   * further files that it names.
   */
  readonly below: EcaConfig;
  readonly above: EcaConfig;
  /** The same with what trusted folders say. */
  readonly config: EcaConfig;
  /** The user's sources that cannot be read; problems of folders are reported by the reader of folders. */
  readonly problems: readonly SettingsProblem[];
  /** The user's files that were looked at. */
  readonly files: readonly string[];
  readonly plugins: PluginSet;
}

/** The file of a folder. */
export function ecaFolderFile(root: string): string {
  return join(root, '.eca', 'config.json');
}

/** Keeps the last valid content of each source. */
export class EcaConfigReader {
  readonly #last = new Map<string, EcaFile>();

  read({ env, roots, initial = {}, configFile, folderConfig }: EcaConfigSources): ReadConfig {
    const given = asConfig(interpolate(initial, { env, own: true }));
    if (given['pureConfig'] === true)
      return {
        own: given,
        below: given,
        above: {},
        config: given,
        problems: [],
        files: [],
        plugins: noPlugins,
      };
    const variable = this.#variable(env['ECA_CONFIG']);
    const mine = this.#load(configFile ?? join(ecaDirectory(env), 'config.json'));
    const netrc = [given, variable.config, mine.config]
      .map(({ netrcFile }) => netrcFile)
      .findLast((file) => typeof file === 'string');
    const fill = (file: EcaFile) =>
      filled(file, { env, own: true, ...(netrc === undefined ? {} : { netrc }) });
    const base = [variable, mine].reduce((below, file) => mergeConfig(below, fill(file)), given);
    const named = extraFiles(base, { from: mine.file, root: roots[0] });
    const extra = named.flatMap(({ file, problem }) => (problem ? [] : [this.#load(file)]));
    const above = extra.reduce((below, file) => mergeConfig(below, fill(file)), {});
    const written = mergeConfig(base, above);
    const plugins = pluginsIn(written, { env, file: mine.file, cache: pluginCache(env) });
    // What the user has written counts more than what comes with a plugin.
    const brought = plugins.installed.map((plugin) => pluginConfig(plugin, env)).reduce(mergeConfig, {});
    const own = mergeConfig(brought, written);
    const inside = configFile === undefined ? roots.map(folderConfig) : [];
    return {
      own,
      below: mergeConfig(brought, base),
      above,
      plugins,
      config: mergeConfig(inside.reduce(mergeConfig, own), above),
      problems: [
        ...[variable, mine, ...extra].flatMap(({ problems }) => problems),
        ...named.flatMap(({ problem }) => problem ?? []),
      ],
      files: [mine, ...extra].map(({ file }) => file),
    };
  }

  #load(file: string): EcaFile {
    const loaded = loadEcaFile(file, { last: this.#last.get(file) });
    this.#last.set(file, loaded);
    return loaded;
  }

  #variable(text: string | undefined): EcaFile {
    const name = 'ECA_CONFIG';
    return {
      ...(text === undefined ? { file: name, config: {}, problems: [] } : readEcaText(text, name)),
      hash: undefined,
    };
  }
}

/** Where collections of plugins from elsewhere are kept. */
export function pluginCache(env: NodeJS.ProcessEnv): string {
  return join(directories(env).data, 'plugins');
}

const noPlugins: PluginSet = { sources: [], known: [], installed: [], problems: [] };

function filled({ config, file }: EcaFile, place: Omit<InterpolationContext, 'file'>): EcaConfig {
  return asConfig(interpolate(config, { ...place, file }));
}

/** Additional files that the user's configuration names. A relative path inside a workspace is untrusted. */
function extraFiles(
  { extraConfigs }: EcaConfig,
  { from, root }: { readonly from: string; readonly root: string | undefined },
): readonly { readonly file: string; readonly problem?: SettingsProblem }[] {
  const named: readonly unknown[] = Array.isArray(extraConfigs) ? extraConfigs : [extraConfigs];
  return named
    .flatMap((each) => (typeof each === 'string' && each !== '' ? [each] : []))
    .map((path) => {
      if (path.startsWith('~/')) return { file: join(homedir(), path.slice(2)) };
      if (isAbsolute(path)) return { file: path };
      const inside = root === undefined ? undefined : join(root, path);
      if (inside === undefined || !existsSync(inside)) return { file: join(dirname(from), path) };
      return {
        file: inside,
        problem: {
          file: inside,
          kind: 'invalid',
          message:
            `${inside} has no effect: it came with the workspace. If you wrote it, name it in ` +
            'extraConfigs by its whole path.',
        },
      };
    });
}
