// The plugins of the user's ECA configuration for people to choose from; what is chosen is written into the user's own file, where it is followed at once.
import { join } from 'node:path';
import type { Plugins as Port } from '../../../doors/eca/options.ts';
import { readConfig, valueAt, withValue, writeConfig } from '../../../io/settings/editConfigFile.ts';
import { ecaDirectory } from '../../../io/ecaConfig/directory.ts';
import { fetchSource, isStale } from '../../../io/ecaConfig/fetchPlugins.ts';
import { pluginsIn, refOf } from '../../../io/ecaConfig/plugins.ts';
import type { Plugin, Plugins } from '../../../io/ecaConfig/plugins.ts';
import { EcaConfigReader, pluginCache } from '../../../io/ecaConfig/read.ts';

export function ecaPlugins(env: NodeJS.ProcessEnv, configFile: string | undefined): Port {
  const file = configFile ?? join(ecaDirectory(env), 'config.json');
  /** Collections that are not here yet are fetched first, the usual one among them. */
  const look = async (): Promise<Plugins & { readonly missing: readonly string[] }> => {
    const now = () => {
      const { own } = new EcaConfigReader().read({ env, roots: [], configFile });
      return pluginsIn(own, { env, file, cache: pluginCache(env), everything: true });
    };
    const problems = await Promise.all(now().sources.filter(isStale).map(fetchSource));
    return { ...now(), missing: problems.flatMap((problem) => problem ?? []) };
  };
  const written = (): readonly string[] => {
    const value = valueAt(readConfig(file), ['plugins', 'install'], file);
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  };
  const write = (install: readonly string[]) =>
    void writeConfig(
      file,
      withValue(readConfig(file), ['plugins', 'install'], { value: install, file }),
      'nothing',
    );
  const named = (known: readonly Plugin[], wanted: string) =>
    known.filter((plugin) => plugin.name === wanted || refOf(plugin) === wanted);
  return {
    async list() {
      const { known, installed, missing } = await look();
      if (known.length === 0 && missing[0] !== undefined) return { refused: missing[0] };
      return known.map((plugin) => ({
        ref: refOf(plugin),
        description: plugin.description,
        installed: installed.includes(plugin),
      }));
    },
    async install(wanted) {
      const { known, missing } = await look();
      const [plugin, ...others] = named(known, wanted);
      if (!plugin)
        return {
          refused: [`There is no plugin ${wanted}. /plugins lists those there are.`, ...missing].join('\n'),
        };
      if (others.length > 0)
        return {
          refused: `Several collections have ${wanted}; name one of ${[plugin, ...others].map(refOf).join(', ')}.`,
        };
      const ref = refOf(plugin);
      if (written().some((each) => each === ref || each === plugin.name))
        return { refused: `The plugin ${ref} is in use already.` };
      return attempt(() => write([...written(), ref]), ref);
    },
    async uninstall(wanted) {
      const fitting = written().filter((each) => each === wanted || each.replace(/@.*$/, '') === wanted);
      const [ref] = fitting;
      if (ref === undefined) return { refused: `${file} does not install a plugin ${wanted}.` };
      if (fitting.length > 1) return { refused: `Several are installed; name one of ${fitting.join(', ')}.` };
      return attempt(() => write(written().filter((each) => each !== ref)), ref);
    },
  };
}

/** A file that cannot be changed says why. */
function attempt(work: () => void, ref: string): { readonly ref: string } | { readonly refused: string } {
  try {
    work();
    return { ref };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : 'The configuration could not be changed.' };
  }
}
