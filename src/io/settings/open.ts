// The settings of this machine: the cascade of files, environment and flags, followed as the files change.
import { join } from 'node:path';
import type { Settings, SettingsProblem, SettingsValues } from '../../host/settings/settings.ts';
import { canonical } from '../files/canonical.ts';
import type { PluginSource } from '../ecaConfig/plugins.ts';
import { directories } from './dataPaths.ts';
import { folderLayers, folderPlugins, folderProblems, loadFolder } from './folder.ts';
import type { Folder } from './folder.ts';
import { hardExpressions } from './hardExpressions.ts';
import { loadFile } from './load.ts';
import { builtIn, merge, sourced } from './merge.ts';
import type { Layer, Sourced } from './merge.ts';
import type { Written } from './schema.ts';
import { isChanged } from './scripts.ts';
import { trustStore } from './trust.ts';
import { watchFolders } from './watch.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface OpenSettings extends Settings {
  /** Every value that holds for these folders, with its source. */
  sourced(roots: readonly string[]): readonly Sourced[];
  /** Takes what a client knows of its user's settings below what our own files say. It holds for all until the same name brings something else. */
  lend(name: string, layer: Lent | undefined): void;
  /** Whether the user has trusted a folder, or one that it lies in; what its settings say is judged apart. */
  trusts(folder: string): boolean;
  /** The collections of plugins that trusted folders name. */
  pluginSources(roots: readonly string[]): readonly PluginSource[];
  /** Looks at the files at once, for whoever has just written one. */
  reload(): void;
  close(): void;
}

export interface Lent extends Layer {
  /** What counts above all files. */
  readonly last?: Written;
  readonly problems: readonly SettingsProblem[];
  /** Set where it is meant to stand for all files, or for all that ECA has. */
  readonly alone?: 'everywhere' | 'among ECA files';
}

export interface SettingsOptions {
  readonly env: Environment;
  readonly flags?: Written;
}

export interface SettingsFiles {
  readonly user: string;
  readonly trust: string;
}

export function settingsFiles(env: Environment): SettingsFiles {
  const { config } = directories(env);
  return { user: join(config, 'config.jsonc'), trust: join(config, 'trust.json') };
}

/** More folders than this are forgotten again, the oldest first. */
const folderLimit = 200;

export function openSettings({ env, flags = {} }: SettingsOptions): OpenSettings {
  const files = settingsFiles(env);
  const trust = trustStore(files.trust);
  const listeners = new Set<() => void>();
  const folders = new Map<string, Folder>();
  const lent = new Map<string, Lent>();
  const cached = new Map<string, SettingsValues>();
  let user = loadFile(files.user);
  const watch = watchFolders(() => reload());
  const { config } = directories(env);
  watch.add(config, ['config.jsonc', 'trust.json']);

  const follow = (folder: string) => {
    watch.add(folder, ['.parley', '.eca']);
    watch.add(join(folder, '.parley'), ['config.jsonc']);
    watch.add(join(folder, '.eca'), ['config.json']);
  };
  const reload = () => {
    user = loadFile(files.user, { last: user });
    for (const [folder, last] of folders) {
      folders.set(folder, loadFolder(folder, last));
      follow(folder);
    }
    watch.add(config, ['config.jsonc', 'trust.json']);
    tell();
  };
  const tell = () => {
    cached.clear();
    for (const listener of [...listeners]) listener();
  };
  /** A script can change between two calls that run it, sooner than any watcher tells. */
  const lookAtScripts = () => {
    const changed = [...folders].filter(([, { scripts }]) => scripts.some(isChanged));
    for (const [root, last] of changed) folders.set(root, loadFolder(root, last));
    if (changed.length > 0) {
      cached.clear();
      setImmediate(tell);
    }
  };
  const folder = (root: string): Folder => {
    const known = folders.get(root);
    if (known) return known;
    const loaded = loadFolder(root);
    const [oldest] = folders.keys();
    if (folders.size >= folderLimit && oldest !== undefined) folders.delete(oldest);
    folders.set(root, loaded);
    follow(root);
    return loaded;
  };
  const layers = (roots: readonly string[]): readonly Layer[] => {
    const given = [...lent.values()];
    const rest = [
      { source: 'environment', values: fromEnvironment(env) },
      { source: 'flags', values: flags },
    ];
    if (given.some(({ alone }) => alone === 'everywhere')) return [builtIn, ...given, ...rest];
    const inside = roots.flatMap((root) => folderLayers(folder(canonical(root)), { trust, env }));
    const own = given.some(({ alone }) => alone === 'among ECA files')
      ? inside.filter(({ source }) => !source.endsWith('.json'))
      : inside;
    const last = given.flatMap(({ source, last: values }) => (values ? [{ source, values }] : []));
    return [builtIn, ...given, { source: files.user, values: user.values }, ...own, ...last, ...rest];
  };

  return {
    of(roots) {
      lookAtScripts();
      const key = roots.join('\0');
      const known = cached.get(key) ?? merge(layers(roots));
      if (cached.size >= folderLimit) cached.clear();
      cached.set(key, known);
      return known;
    },
    problems: () => [
      ...user.problems,
      ...hardExpressions(user.values, files.user),
      ...[...lent.values()].flatMap(({ problems, values, source }) => [
        ...problems,
        ...hardExpressions(values, source),
      ]),
      ...[...folders.values()].flatMap((each) => folderProblems(each, { trust, env })),
    ],
    trusts: (root) => trust.said(canonical(root)) === 'trusted',
    sourced: (roots) => sourced(layers(roots)),
    pluginSources: (roots) =>
      roots.flatMap((root) => folderPlugins(folder(canonical(root)), { trust, env }).sources),
    reload,
    lend(name, layer) {
      if (JSON.stringify(lent.get(name)) === JSON.stringify(layer)) return;
      if (layer) lent.set(name, layer);
      else lent.delete(name);
      tell();
    },
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    close: () => watch.close(),
  };
}

/** A few single settings can stand in the environment. */
function fromEnvironment(env: Environment): Written {
  const port = Number(env['PARLEY_PORT']);
  const server = {
    ...(env['PARLEY_HOST'] ? { host: env['PARLEY_HOST'] } : {}),
    ...(env['PARLEY_PORT'] && Number.isInteger(port) && port >= 0 && port < 65_536 ? { port } : {}),
  };
  return {
    ...(env['PARLEY_MODEL'] ? { defaultModel: env['PARLEY_MODEL'] } : {}),
    ...(env['PARLEY_AGENT'] ? { defaultAgent: env['PARLEY_AGENT'] } : {}),
    ...(Object.keys(server).length > 0 ? { server } : {}),
  };
}
