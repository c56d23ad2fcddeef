// Follows the ECA configuration for one client: reads it soon, and again whenever one of its files changes.
import { basename, dirname } from 'node:path';
import type { EcaDoorOptions } from '../doors/eca/options.ts';
import { clientSettings } from '../io/ecaConfig/map.ts';
import { EcaConfigReader } from '../io/ecaConfig/read.ts';
import { watchFolders } from '../io/settings/watch.ts';

export function ecaConfigure(env: NodeJS.ProcessEnv, configFile: string | undefined): NonNullable<EcaDoorOptions['configure']> {
  return ({ roots, initial }, changed) => {
    const reader = new EcaConfigReader();
    const watch = watchFolders(() => look());
    const look = () => {
      const { config, problems, files } = reader.read({ env, roots, initial, configFile });
      for (const file of files) watch.add(dirname(file), [basename(file)]);
      // A folder that is not there yet is seen by the one above it.
      for (const file of files) watch.add(dirname(dirname(file)), [basename(dirname(file))]);
      changed({ ...clientSettings(config), problems });
    };
    const first = setImmediate(look);
    return () => {
      clearImmediate(first);
      watch.close();
    };
  };
}
