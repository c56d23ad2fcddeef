// Follows the ECA configuration for one client: reads it with the client's first word, and again whenever one of its files changes. What it says becomes a layer of the settings.
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { ClientConfiguration, EcaDoorOptions } from '../../../doors/eca/options.ts';
import { contains } from '../../../host/workspace/paths.ts';
import { canonical } from '../../../io/files/canonical.ts';
import { foldConfig } from '../../../io/ecaConfig/foldConfig.ts';
import { fetchSource, isStale } from '../../../io/ecaConfig/fetchPlugins.ts';
import { clientSettings, mapEcaConfig } from '../../../io/ecaConfig/map.ts';
import { unheeded } from '../../../io/ecaConfig/mapTools.ts';
import { EcaConfigReader } from '../../../io/ecaConfig/read.ts';
import type { ReadConfig } from '../../../io/ecaConfig/read.ts';
import { remoteConfig } from '../../../io/ecaConfig/remote.ts';
import type { OpenSettings } from '../../../io/settings/open.ts';
import { watchFolders } from '../../../io/settings/watch.ts';
import { offered } from '../../app.ts';

export function ecaConfigure(
  env: NodeJS.ProcessEnv,
  configFile: string | undefined,
): NonNullable<EcaDoorOptions['configure']> {
  return ({ roots: first, initial: sent }, changed) => {
    let roots = first;
    const initial = foldConfig(sent);
    const settings = offered()?.settings;
    const reader = new EcaConfigReader();
    const watch = watchFolders(() => look());
    const layer = JSON.stringify([configFile, initial]);
    let read: ReadConfig | undefined;
    const fetched = new Map<string, string | undefined>();
    // Whether chats are trusted and browsers let in is not for a folder to say.
    const tell = () => {
      if (!read) return;
      const said = settings ? problemsFor(roots, settings) : read.problems.map(({ message }) => message);
      // A plugin of a collection that is still on its way is not missed yet.
      const missing = read.plugins.sources.some((source) => isStale(source) && !fetched.has(source.folder))
        ? []
        : read.plugins.problems;
      changed({
        ...clientSettings(read.config),
        ...ownOf(read),
        problems: [...said, ...missing, ...[...fetched.values()].flatMap((problem) => problem ?? [])],
      });
    };
    const look = () => {
      read = reader.read({ env, roots, initial, configFile });
      for (const place of read.files.flatMap(placesToWatch)) watch.add(dirname(place), [basename(place)]);
      settings?.lend(layer, {
        source: read.files[0] ?? 'initializationOptions',
        values: valuesOf(read),
        ...(Object.keys(read.above).length === 0 ? {} : { last: mapEcaConfig(read.above) }),
        problems: [
          ...read.problems,
          ...unheeded(read.own).map((message) => ({
            file: read?.files[0] ?? 'initializationOptions',
            kind: 'invalid' as const,
            message,
          })),
        ],
        ...(initial['pureConfig'] === true
          ? { alone: 'everywhere' }
          : configFile === undefined
            ? {}
            : { alone: 'among ECA files' }),
      });
      tell();
      fetchWanted();
    };
    const fetchWanted = () => {
      const wanted = [...(read?.plugins.sources ?? []), ...(settings?.pluginSources(roots) ?? [])];
      for (const source of wanted)
        if (isStale(source) && !fetched.has(source.folder))
          void fetchSource(source).then((problem) => arrived(source.folder, problem));
    };
    const arrived = (folder: string, problem: string | undefined) => {
      const isNew = !fetched.has(folder);
      fetched.set(folder, problem);
      if (!isNew || left) return;
      look();
      // What a folder has asked for is there now.
      settings?.reload();
    };
    let left = false;
    settings?.of(roots);
    // What was written a moment ago counts from the beginning, however soon its watcher sees it.
    settings?.reload();
    look();
    const hooks = offered()?.hooks;
    void hooks?.run('sessionStart', roots);
    let ended: Promise<unknown> | undefined;
    const end = () => (ended ??= hooks?.run('sessionEnd', roots) ?? Promise.resolve());
    const unwatch = settings?.watch(() => {
      tell();
      fetchWanted();
    });
    const servers = offered()?.models.ask();
    return {
      end,
      ...(servers ? { servers } : {}),
      move(now) {
        roots = now;
        settings?.of(roots);
        look();
      },
      leave() {
        left = true;
        void end();
        unwatch?.();
        watch.close();
        // What a test sent to stand for everything else leaves with it.
        if (initial['pureConfig'] === true) settings?.lend(layer, undefined);
      },
    };
  };
}

/** A file, and its folder; a folder that is not there yet is seen by the one above it. */
function placesToWatch(file: string): readonly string[] {
  const folder = dirname(file);
  const up = (path: string): readonly string[] =>
    existsSync(dirname(path)) || dirname(path) === path ? [path] : [path, ...up(dirname(path))];
  return [file, ...up(folder)];
}

/** The texts of plugins are found in their folders. */
function valuesOf({ below, plugins }: ReadConfig): ReturnType<typeof mapEcaConfig> {
  const { installed } = plugins;
  return {
    ...mapEcaConfig(below),
    ...(installed.length === 0
      ? {}
      : { plugins: installed.map(({ name, folder }) => ({ name, path: folder })) }),
  };
}

function ownOf({ own }: ReadConfig): Pick<ClientConfiguration, 'trust' | 'remote'> {
  const remote = remoteConfig(own);
  return { trust: clientSettings(own).trust ?? false, ...(remote ? { remote } : {}) };
}

/** The problems of other workspaces are no concern of this client. */
function problemsFor(roots: readonly string[], settings: OpenSettings): readonly string[] {
  const real = roots.map((root) => canonical(root));
  return settings
    .problems()
    .filter(({ folder }) => folder === undefined || real.some((root) => contains(root, folder)))
    .map(({ message }) => message);
}
