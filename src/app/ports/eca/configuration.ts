// Follows the ECA configuration of one client: reads it on `initialize` and after each change of its files,
// and adds it to the settings as a layer.
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { present } from '../../../base/present.ts';
import type {
  ClientConfiguration,
  ConfigurationSources,
  ConfigurationWatch,
  EcaOptions,
} from '../../../doors/eca/options.ts';
import { contains } from '../../../base/paths.ts';
import { withoutDecided } from '../../../host/settings/withoutDecided.ts';
import { isStale } from '../../../io/ecaConfig/fetchPlugins.ts';
import { foldConfig } from '../../../io/ecaConfig/foldConfig.ts';
import { clientSettings, mapEcaConfig } from '../../../io/ecaConfig/map.ts';
import { ineffectiveOptions } from '../../../io/ecaConfig/mapTools.ts';
import { EcaConfigReader } from '../../../io/ecaConfig/read.ts';
import type { ReadConfig } from '../../../io/ecaConfig/read.ts';
import { mayConfigureWelcome } from '../../../io/ecaConfig/mayConfigureWelcome.ts';
import { remoteConfig } from '../../../io/ecaConfig/remote.ts';
import { canonical } from '../../../io/files/canonical.ts';
import type { ExtraSettings, OpenSettings } from '../../../io/settings/open.ts';
import { watchFolders } from '../../../io/settings/watch.ts';
import type { App } from '../../app.ts';

type ConfigApp = Pick<App, 'env' | 'settings' | 'hooks' | 'models' | 'extensions'>;

export function ecaConfigure(
  app: ConfigApp,
  configFile: string | undefined,
): NonNullable<EcaOptions['configure']> {
  return (sources, changed) => {
    const { hooks, models } = app;
    const follower = new ConfigFollower(app, { ...sources, configFile, changed });
    void hooks.run('sessionStart', follower.roots);
    let ended: Promise<unknown> | undefined;
    const end = () => (ended ??= hooks.run('sessionEnd', follower.roots));
    return {
      end,
      ...present({ servers: models.ask() }),
      move: (roots) => follower.move(roots),
      leave() {
        void end();
        follower.close();
      },
    } satisfies ConfigurationWatch;
  };
}

/** Answers `initialize`, so files are read only if they could have a welcome. */
export function ecaWelcome(
  { env, settings }: Pick<ConfigApp, 'env' | 'settings'>,
  configFile: string | undefined,
): (sources: ConfigurationSources) => string | undefined {
  return ({ roots, initial }) => {
    if (!mayConfigureWelcome({ env, roots, configFile })) return undefined;
    const folderConfig = (root: string) => settings.folderConfig(root);
    const { config } = new EcaConfigReader().read({
      env,
      roots,
      initial: foldConfig(initial),
      configFile,
      folderConfig,
    });
    return clientSettings(config).welcomeMessage;
  };
}

interface FollowerOptions extends ConfigurationSources {
  readonly configFile: string | undefined;
  readonly changed: (now: ClientConfiguration) => void;
}

class ConfigFollower {
  readonly #env: NodeJS.ProcessEnv;
  readonly #plugins: App['extensions']['plugins'];
  readonly #settings: OpenSettings;
  readonly #configFile: string | undefined;
  readonly #changed: (now: ClientConfiguration) => void;
  readonly #initial: ReturnType<typeof foldConfig>;
  readonly #reader = new EcaConfigReader();
  readonly #watch = watchFolders(() => this.#read());
  /** The name of our layer in the settings: clients with the same configuration share one. */
  readonly #layer: string;
  /** The plugin collections that were fetched, by folder, each with its problem if it had one. */
  readonly #fetched = new Map<string, string | undefined>();
  readonly #stopFollowing: () => void;
  #roots: readonly string[];
  #config: ReadConfig | undefined;
  #closed = false;

  constructor(
    { env, settings, extensions }: ConfigApp,
    { roots, initial, configFile, changed }: FollowerOptions,
  ) {
    this.#env = env;
    this.#plugins = extensions.plugins;
    this.#settings = settings;
    this.#configFile = configFile;
    this.#changed = changed;
    this.#roots = roots;
    this.#initial = foldConfig(initial);
    this.#layer = JSON.stringify([configFile, this.#initial]);
    settings.of(roots);
    // A file that was written a moment ago counts, even if its watcher has not noticed it yet.
    settings.reload();
    this.#read();
    this.#stopFollowing = settings.watch(() => {
      // The user may have decided about a folder.
      this.#config = this.#load();
      this.#report();
      this.#fetchPlugins();
    });
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  move(roots: readonly string[]): void {
    this.#roots = roots;
    this.#settings.of(roots);
    this.#read();
  }

  close(): void {
    this.#closed = true;
    this.#stopFollowing();
    this.#watch.close();
    // A pure configuration replaces all others, so it must not outlive its client.
    if (this.#initial['pureConfig'] === true) this.#settings.lend(this.#layer, undefined);
  }

  #load(): ReadConfig {
    return this.#reader.read({
      env: this.#env,
      roots: this.#roots,
      initial: this.#initial,
      configFile: this.#configFile,
      folderConfig: (root) => this.#settings.folderConfig(root),
    });
  }

  #read(): void {
    const config = this.#load();
    this.#config = config;
    for (const path of config.files.flatMap(pathsToWatch)) this.#watch.add(dirname(path), [basename(path)]);
    this.#settings.lend(this.#layer, this.#settingsLayer(config));
    this.#report();
    this.#fetchPlugins();
  }

  #settingsLayer(config: ReadConfig): ExtraSettings {
    const source = config.files[0] ?? 'initializationOptions';
    return {
      source,
      values: valuesOf(config),
      ...(Object.keys(config.above).length === 0 ? {} : { last: mapEcaConfig(config.above) }),
      problems: [
        ...config.problems,
        ...ineffectiveOptions(config.own).map((message) => ({
          file: source,
          kind: 'invalid' as const,
          message,
        })),
      ],
      ...present({ alone: this.#exclusive() }),
    };
  }

  /** Which other configuration files ours replaces. */
  #exclusive(): ExtraSettings['alone'] {
    if (this.#initial['pureConfig'] === true) return 'everywhere';
    return this.#configFile === undefined ? undefined : 'among ECA files';
  }

  #report(): void {
    const config = this.#config;
    if (!config) return;
    const { sources, problems } = config.plugins;
    // A plugin is not missing while its collection is still being fetched.
    const fetching = sources.some((source) => isStale(source) && !this.#fetched.has(source.folder));
    this.#changed({
      ...clientSettings(config.config),
      ...userOnlySettings(config),
      problems: [
        ...problemsFor(this.#roots, this.#settings),
        ...(fetching ? [] : problems).map((message) => ({ message })),
        ...[...this.#fetched.values()].flatMap((message) => (message === undefined ? [] : [{ message }])),
      ],
    });
  }

  #fetchPlugins(): void {
    const sources = [...(this.#config?.plugins.sources ?? []), ...this.#settings.pluginSources(this.#roots)];
    for (const source of sources)
      if (isStale(source) && !this.#fetched.has(source.folder))
        void this.#plugins.fetch(source).then((problem) => this.#pluginsFetched(source.folder, problem));
  }

  #pluginsFetched(folder: string, problem: string | undefined): void {
    const isNew = !this.#fetched.has(folder);
    this.#fetched.set(folder, problem);
    if (!isNew || this.#closed) return;
    this.#read();
    // The settings of a folder may name this collection, too.
    this.#settings.reload();
  }
}

/** The file and its folder; for a folder that does not exist yet, also the folders above it. */
function pathsToWatch(file: string): readonly string[] {
  const missingFolders = (path: string): readonly string[] =>
    existsSync(dirname(path)) || dirname(path) === path ? [path] : [path, ...missingFolders(dirname(path))];
  return [file, ...missingFolders(dirname(file))];
}

/** Plugins become paths, since their texts are read from their folders. */
function valuesOf({ below, plugins }: ReadConfig): ReturnType<typeof mapEcaConfig> {
  const { installed } = plugins;
  return {
    ...mapEcaConfig(below),
    ...(installed.length === 0
      ? {}
      : { plugins: installed.map(({ name, folder }) => ({ name, path: folder })) }),
  };
}

/**
 * Settings that only the user's own files may change: a project folder must not trust chats
 * or open the remote API.
 */
function userOnlySettings({ own }: ReadConfig): Pick<ClientConfiguration, 'trust' | 'remote'> {
  return { trust: clientSettings(own).trust ?? false, ...present({ remote: remoteConfig(own) }) };
}

/** Leaves out the problems of other workspaces, and what the user has decided. */
function problemsFor(roots: readonly string[], settings: OpenSettings): ClientConfiguration['problems'] {
  const real = roots.map((root) => canonical(root));
  return withoutDecided(settings.problems(), roots, settings.trust)
    .filter(({ folder }) => folder === undefined || real.some((root) => contains(root, folder)))
    .map(({ kind, message }) => (kind === 'untrusted' ? { message, untrusted: true } : { message }));
}
