// The settings of this machine: the cascade of files, environment and flags, followed as the files change.
import { join } from 'node:path';
import type { FolderTrust, Settings, SettingsProblem, SettingsValues } from '../../host/settings/settings.ts';
import { canonical } from '../files/canonical.ts';
import type { EcaConfig } from '../ecaConfig/file.ts';
import type { PluginSource } from '../ecaConfig/plugins.ts';
import { directories } from './dataPaths.ts';
import {
  folderLayers,
  folderPlugins,
  folderProblems,
  isUntrusted,
  loadFolder,
  trustedEcaConfig,
  undecidedFolder,
} from './folder.ts';
import type { SettingsFolder, TrustChecks } from './folder.ts';
import { hardExpressions } from './hardExpressions.ts';
import { loadFile } from './load.ts';
import type { LoadedSettings } from './load.ts';
import { builtIn, merge, sourcedValues } from './merge.ts';
import type { Layer, SourcedValue } from './merge.ts';
import type { WrittenSettings } from '../../host/settings/schema/sections.ts';
import { areChanged } from './scripts.ts';
import { trustStore, withPassingTrust } from './trust.ts';
import type { PassingTrust } from './trust.ts';
import { watchFolders } from './watch.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface OpenSettings extends Settings {
  /** Every value that holds for these folders, with its source. */
  sourced(roots: readonly string[]): readonly SourcedValue[];
  /**
   * Adds the settings of a client as a layer below Parley's own files. They apply to all sessions until the
   * same name is set again.
   */
  lend(name: string, layer: ExtraSettings | undefined): void;
  /**
   * Whether the user has trusted a folder or one of its parents; its settings files are judged separately.
   */
  trusts(folder: string): boolean;
  /** What the ECA file of a folder says; nothing unless the user has trusted exactly this content. */
  folderConfig(root: string): EcaConfig;
  /** The collections of plugins that trusted folders name. */
  pluginSources(roots: readonly string[]): readonly PluginSource[];
  /** Reads the files immediately, for a caller that has just written one. */
  reload(): void;
  close(): void;
}

export interface ExtraSettings extends Layer {
  /** What counts above all files. */
  readonly last?: WrittenSettings;
  readonly problems: readonly SettingsProblem[];
  /** Set if it replaces all files, or all files of ECA. */
  readonly alone?: 'everywhere' | 'among ECA files';
}

export interface SettingsOptions {
  readonly env: Environment;
  readonly flags?: WrittenSettings;
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

export function openSettings(options: SettingsOptions): OpenSettings {
  return new SettingsCascade(options);
}

class SettingsCascade implements OpenSettings {
  readonly #env: Environment;
  readonly #flags: WrittenSettings;
  readonly #files: SettingsFiles;
  readonly #trust: PassingTrust;
  readonly #listeners = new Set<() => void>();
  readonly #folders = new Map<string, SettingsFolder>();
  readonly #lent = new Map<string, ExtraSettings>();
  readonly #cached = new Map<string, SettingsValues>();
  readonly #watch = watchFolders(() => this.reload());
  #user: LoadedSettings;

  constructor({ env, flags = {} }: SettingsOptions) {
    this.#env = env;
    this.#flags = flags;
    this.#files = settingsFiles(env);
    this.#trust = withPassingTrust(trustStore(this.#files.trust));
    this.#user = loadFile(this.#files.user);
    this.#watchUserFiles();
  }

  of(roots: readonly string[]): SettingsValues {
    this.#reloadChangedScripts();
    const key = roots.join('\0');
    const values = this.#cached.get(key) ?? merge(this.#layers(roots));
    if (this.#cached.size >= folderLimit) this.#cached.clear();
    this.#cached.set(key, values);
    return values;
  }

  problems(): readonly SettingsProblem[] {
    return [
      ...this.#user.problems,
      ...hardExpressions(this.#user.values, this.#files.user),
      ...[...this.#lent.values()].flatMap(({ problems, values, source }) => [
        ...problems,
        ...hardExpressions(values, source),
      ]),
      ...[...this.#folders.values()].flatMap((folder) => folderProblems(folder, this.#judges)),
    ];
  }

  trusts(folder: string): boolean {
    return this.#trust.said(canonical(folder)) === 'trusted';
  }

  readonly trust: FolderTrust = {
    undecided: (roots) =>
      this.#foldersOf(roots).flatMap((folder) => undecidedFolder(folder, this.#judges) ?? []),
    untrusted: (roots) => this.#foldersOf(roots).find((folder) => isUntrusted(folder, this.#judges))?.root,
    decide: ({ folder, digest }, decision, session) => {
      if (decision === 'trust') this.#trust.trust(folder, digest);
      else if (decision === 'once') this.#trust.trustOnce(folder, digest, session);
      else if (decision === 'not now') this.#trust.decline(folder, digest);
      else this.#trust.untrust(folder);
      this.reload();
    },
    endSession: (session) => {
      if (this.#trust.endSession(session)) this.#notify();
    },
  };

  sourced(roots: readonly string[]): readonly SourcedValue[] {
    return sourcedValues(this.#layers(roots));
  }

  folderConfig(root: string): EcaConfig {
    this.#reloadChangedScripts();
    return trustedEcaConfig(this.#folder(canonical(root)), this.#judges);
  }

  pluginSources(roots: readonly string[]): readonly PluginSource[] {
    return roots.flatMap((root) => folderPlugins(this.#folder(canonical(root)), this.#judges).sources);
  }

  reload(): void {
    this.#user = loadFile(this.#files.user, { last: this.#user });
    for (const [folder, last] of this.#folders) {
      this.#folders.set(folder, loadFolder(folder, last));
      this.#watchFolder(folder);
    }
    this.#watchUserFiles();
    this.#notify();
  }

  lend(name: string, layer: ExtraSettings | undefined): void {
    if (JSON.stringify(this.#lent.get(name)) === JSON.stringify(layer)) return;
    if (layer) this.#lent.set(name, layer);
    else this.#lent.delete(name);
    this.#notify();
  }

  watch(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  }

  close(): void {
    this.#watch.close();
  }

  get #judges(): TrustChecks {
    return { trust: this.#trust, env: this.#env };
  }

  #watchUserFiles(): void {
    this.#watch.add(directories(this.#env).config, ['config.jsonc', 'trust.json']);
  }

  #watchFolder(folder: string): void {
    this.#watch.add(folder, ['.parley', '.eca']);
    this.#watch.add(join(folder, '.parley'), ['config.jsonc']);
    this.#watch.add(join(folder, '.eca'), ['config.json']);
  }

  #notify(): void {
    this.#cached.clear();
    for (const listener of [...this.#listeners]) listener();
  }

  /** A script can change between two calls that run it, before any watcher reports the change. */
  #reloadChangedScripts(): void {
    const changed = [...this.#folders].filter(([, { scripts }]) => areChanged(scripts));
    for (const [root, last] of changed) this.#folders.set(root, loadFolder(root, last));
    if (changed.length > 0) {
      this.#cached.clear();
      setImmediate(() => this.#notify());
    }
  }

  /** As they are now, each once, however its path is written. */
  #foldersOf(roots: readonly string[]): readonly SettingsFolder[] {
    this.#reloadChangedScripts();
    return [...new Set(roots.map((root) => canonical(root)))].map((root) => this.#folder(root));
  }

  #folder(root: string): SettingsFolder {
    const cached = this.#folders.get(root);
    if (cached) return cached;
    const loaded = loadFolder(root);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size >= folderLimit && oldest !== undefined) this.#folders.delete(oldest);
    this.#folders.set(root, loaded);
    this.#watchFolder(root);
    return loaded;
  }

  /** From the weakest to the strongest. */
  #layers(roots: readonly string[]): readonly Layer[] {
    const lent = [...this.#lent.values()];
    const strongest = [
      { source: 'environment', values: fromEnvironment(this.#env) },
      { source: 'flags', values: this.#flags },
    ];
    if (lent.some(({ alone }) => alone === 'everywhere')) return [builtIn, ...lent, ...strongest];
    const replacesEcaFiles = lent.some(({ alone }) => alone === 'among ECA files');
    const folders = roots.flatMap((root) => {
      const { eca, ours } = folderLayers(this.#folder(canonical(root)), this.#judges);
      return replacesEcaFiles ? [ours] : [eca, ours];
    });
    const user = { source: this.#files.user, values: this.#user.values };
    const last = lent.flatMap(({ source, last: values }) => (values ? [{ source, values }] : []));
    return [builtIn, ...lent, user, ...folders, ...last, ...strongest];
  }
}

/** A few single settings can stand in the environment. */
function fromEnvironment(env: Environment): WrittenSettings {
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
