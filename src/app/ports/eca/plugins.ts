// Lists, installs and uninstalls plugins of the user's ECA configuration. Changes are written to the user's
// file, which the host watches.
import { join } from 'node:path';
import { errorText } from '../../../base/errorText.ts';
import type { EcaPlugins as Port } from '../../../doors/eca/options.ts';
import { readConfig, valueAt, withValue, writeConfig } from '../../../io/settings/editConfigFile.ts';
import { ecaDirectory } from '../../../io/ecaConfig/directory.ts';
import { isStale } from '../../../io/ecaConfig/fetchPlugins.ts';
import { pluginsIn, refOf } from '../../../io/ecaConfig/plugins.ts';
import type { Plugin, PluginSet } from '../../../io/ecaConfig/plugins.ts';
import { EcaConfigReader, pluginCache } from '../../../io/ecaConfig/read.ts';
import type { App } from '../../app.ts';

export function ecaPlugins(
  { env, extensions }: Pick<App, 'env' | 'extensions'>,
  configFile: string | undefined,
): Port {
  const file = configFile ?? join(ecaDirectory(env), 'config.json');
  const readPlugins = () => fetchedPlugins({ env, extensions }, { file, configFile });
  const installedRefs = (): readonly string[] => {
    const value = valueAt(readConfig(file), ['plugins', 'install'], file);
    return Array.isArray(value) ? value.filter((ref): ref is string => typeof ref === 'string') : [];
  };
  const write = (install: readonly string[]) =>
    void writeConfig(
      file,
      withValue(readConfig(file), ['plugins', 'install'], { value: install, file }),
      'nothing',
    );
  const matching = (known: readonly Plugin[], wanted: string) =>
    known.filter((plugin) => plugin.name === wanted || refOf(plugin) === wanted);
  return {
    async list() {
      const { known, installed, missing } = await readPlugins();
      if (known.length === 0 && missing[0] !== undefined) return { refused: missing[0] };
      return known.map((plugin) => ({
        ref: refOf(plugin),
        description: plugin.description,
        installed: installed.includes(plugin),
      }));
    },
    async install(wanted) {
      const { known, missing } = await readPlugins();
      const [plugin, ...others] = matching(known, wanted);
      if (!plugin)
        return {
          refused: [`Unknown plugin "${wanted}". /plugins lists the available ones.`, ...missing].join('\n'),
        };
      if (others.length > 0)
        return {
          refused: `Several collections have ${wanted}. Use one of: ${[plugin, ...others].map(refOf).join(', ')}.`,
        };
      const ref = refOf(plugin);
      if (installedRefs().some((installed) => installed === ref || installed === plugin.name))
        return { refused: `The plugin ${ref} is already installed.` };
      return attempt(() => write([...installedRefs(), ref]), ref);
    },
    async uninstall(wanted) {
      const matches = installedRefs().filter(
        (installed) => installed === wanted || installed.replace(/@.*$/, '') === wanted,
      );
      const [ref] = matches;
      if (ref === undefined) return { refused: `${wanted} is not installed in ${file}.` };
      if (matches.length > 1) return { refused: `Several plugins match. Use one of: ${matches.join(', ')}.` };
      return attempt(() => write(installedRefs().filter((installed) => installed !== ref)), ref);
    },
  };
}

/** Fetches missing collections first, the default one included. */
async function fetchedPlugins(
  { env, extensions: { plugins } }: Pick<App, 'env' | 'extensions'>,
  { file, configFile }: { readonly file: string; readonly configFile: string | undefined },
): Promise<PluginSet & { readonly missing: readonly string[] }> {
  const now = () => {
    const { own } = new EcaConfigReader().read({ env, roots: [], configFile, folderConfig: () => ({}) });
    return pluginsIn(own, { env, file, cache: pluginCache(env), everything: true });
  };
  const stale = now().sources.filter(isStale);
  const problems = await Promise.all(stale.map((source) => plugins.fetch(source)));
  return { ...now(), missing: problems.flatMap((problem) => problem ?? []) };
}

/** Turns an error while writing the file into a refusal. */
function attempt(work: () => void, ref: string): { readonly ref: string } | { readonly refused: string } {
  try {
    work();
    return { ref };
  } catch (error) {
    return { refused: errorText(error, 'The configuration could not be changed.') };
  }
}
