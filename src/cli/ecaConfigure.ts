// Follows the ECA configuration for one client: reads it with the client's first word, and again whenever one of its files changes. What it says becomes a layer of the settings.
import { basename, dirname } from 'node:path';
import type { Configured, EcaDoorOptions } from '../doors/eca/options.ts';
import { contains } from '../host/paths.ts';
import { canonical } from '../io/canonical.ts';
import { clientSettings, mapEcaConfig } from '../io/ecaConfig/map.ts';
import { EcaConfigReader } from '../io/ecaConfig/read.ts';
import type { ReadConfig } from '../io/ecaConfig/read.ts';
import { remoteConfig } from '../io/ecaConfig/remote.ts';
import type { OpenSettings } from '../io/settings/open.ts';
import { watchFolders } from '../io/settings/watch.ts';
import { offered } from './services.ts';

export function ecaConfigure(env: NodeJS.ProcessEnv, configFile: string | undefined): NonNullable<EcaDoorOptions['configure']> {
  return ({ roots, initial }, changed) => {
    const settings = offered()?.settings;
    const reader = new EcaConfigReader();
    const watch = watchFolders(() => look());
    const layer = JSON.stringify([configFile, initial]);
    let read: ReadConfig = { own: {}, config: {}, problems: [], files: [] };
    // Whether chats are trusted and browsers let in is not for a folder to say.
    const tell = () => changed({ ...clientSettings(read.config), ...ownOf(read), problems: settings ? problemsFor(roots, settings) : read.problems.map(({ message }) => message) });
    const look = () => {
      read = reader.read({ env, roots, initial, configFile });
      for (const file of read.files) watch.add(dirname(file), [basename(file)]);
      // A folder that is not there yet is seen by the one above it.
      for (const file of read.files) watch.add(dirname(dirname(file)), [basename(dirname(file))]);
      settings?.lend(layer, {
        source: read.files[0] ?? 'initializationOptions', values: mapEcaConfig(read.own), problems: read.problems,
        ...(initial['pureConfig'] === true ? { alone: 'everywhere' } : configFile === undefined ? {} : { alone: 'among ECA files' }),
      });
      tell();
    };
    settings?.of(roots);
    look();
    const hooks = offered()?.hooks;
    hooks?.run('sessionStart', roots);
    const unwatch = settings?.watch(tell);
    return () => {
      hooks?.run('sessionEnd', roots);
      unwatch?.();
      watch.close();
      // What a test sent to stand for everything else leaves with it.
      if (initial['pureConfig'] === true) settings?.lend(layer, undefined);
    };
  };
}

function ownOf({ own }: ReadConfig): Pick<Configured, 'trust' | 'remote'> {
  const remote = remoteConfig(own);
  return { trust: clientSettings(own).trust ?? false, ...(remote ? { remote } : {}) };
}

/** The problems of other workspaces are no concern of this client. */
function problemsFor(roots: readonly string[], settings: OpenSettings): readonly string[] {
  const real = roots.map((root) => canonical(root));
  return settings.problems().filter(({ folder }) => folder === undefined || real.some((root) => contains(root, folder))).map(({ message }) => message);
}
