// The settings of this machine: the cascade of files, environment and flags, followed as the files change.
import { join } from 'node:path';
import type { Settings, SettingsProblem, SettingsValues } from '../../host/settings.ts';
import { canonical } from '../canonical.ts';
import { directories } from '../paths.ts';
import { loadFile } from './load.ts';
import type { Loaded } from './load.ts';
import { builtIn, merge, sourced } from './merge.ts';
import type { Layer, Sourced } from './merge.ts';
import { hostSections, isSection, strictSections } from './schema.ts';
import type { SectionName, Written } from './schema.ts';
import { trustStore } from './trust.ts';
import type { TrustStore } from './trust.ts';
import { watchFolders } from './watch.ts';

type Environment = { readonly [name: string]: string | undefined };

export interface OpenSettings extends Settings {
  /** Every value that holds for these folders, with its source. */
  sourced(roots: readonly string[]): readonly Sourced[];
  /** Looks at the files at once, for whoever has just written one. */
  reload(): void;
  close(): void;
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

/** The settings file that a folder brings along. */
export function folderFile(folder: string): string {
  return join(folder, '.parley', 'config.jsonc');
}

/** More folders than this are forgotten again, the oldest first. */
const folderLimit = 200;

export function openSettings({ env, flags = {} }: SettingsOptions): OpenSettings {
  const files = settingsFiles(env);
  const trust = trustStore(files.trust);
  const listeners = new Set<() => void>();
  const folders = new Map<string, Loaded>();
  const cached = new Map<string, SettingsValues>();
  let user = loadFile(files.user);
  const watch = watchFolders(() => reload());
  const { config } = directories(env);
  watch.add(config, ['config.jsonc', 'trust.json']);

  const follow = (folder: string) => {
    watch.add(folder, ['.parley']);
    watch.add(join(folder, '.parley'), ['config.jsonc']);
  };
  const reload = () => {
    user = loadFile(files.user, user);
    for (const [folder, last] of folders) {
      folders.set(folder, loadFile(last.file, last));
      follow(folder);
    }
    watch.add(config, ['config.jsonc', 'trust.json']);
    cached.clear();
    for (const listener of [...listeners]) listener();
  };
  const folder = (root: string): Loaded => {
    const known = folders.get(root);
    if (known) return known;
    const loaded = loadFile(folderFile(root));
    const [oldest] = folders.keys();
    if (folders.size >= folderLimit && oldest !== undefined) folders.delete(oldest);
    folders.set(root, loaded);
    follow(root);
    return loaded;
  };
  const layers = (roots: readonly string[]): readonly Layer[] => {
    const own = roots.map((root) => canonical(root)).map((root) => ({ source: folderFile(root), values: effective(root, folder(root), trust) }));
    return [builtIn, { source: files.user, values: user.values }, ...own, { source: 'environment', values: fromEnvironment(env) }, { source: 'flags', values: flags }];
  };

  return {
    of(roots) {
      const key = roots.join('\0');
      const known = cached.get(key) ?? merge(layers(roots));
      if (cached.size >= folderLimit) cached.clear();
      cached.set(key, known);
      return known;
    },
    problems: () => [...user.problems, ...[...folders].flatMap(([root, loaded]) => problemsOf(root, loaded, trust))],
    sourced: (roots) => sourced(layers(roots)),
    reload,
    watch(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    close: () => watch.close(),
  };
}

/** What a folder's file says before the user has trusted exactly this content is only listened to where it makes things stricter. */
function effective(root: string, { values, hash }: Loaded, trust: TrustStore): Written {
  if (hash !== undefined && trust.isTrusted(root, hash)) return without(values, hostSections);
  const { ask = [], deny = [] } = values.approvals ?? {};
  return {
    ...(values.approvals ? { approvals: { ask, deny } } : {}),
    ...(values.disabledTools ? { disabledTools: values.disabledTools } : {}),
  };
}

function problemsOf(root: string, { file, values, hash, problems }: Loaded, trust: TrustStore): readonly SettingsProblem[] {
  const misplaced = names(values).filter((name) => hostSections.has(name));
  const held = hash === undefined || trust.isTrusted(root, hash) ? [] : names(values).filter((name) => !strictSections.has(name) || (values.approvals?.allow ?? []).length > 0);
  return [
    ...problems,
    ...misplaced.map((name): SettingsProblem => ({ file, kind: 'invalid', message: `${file}: ${name} belongs into your own settings and has no effect here.` })),
    ...(held.length > 0 ? [{ file, kind: 'untrusted' as const, message: `${file} is not trusted, so it has no effect on ${held.join(', ')}. Read it, then run parley trust ${root}` }] : []),
  ];
}

function names(values: Written): readonly SectionName[] {
  return Object.keys(values).filter(isSection);
}

function without(values: Written, left: ReadonlySet<SectionName>): Written {
  return Object.fromEntries(Object.entries(values).filter(([name]) => isSection(name) && !left.has(name)));
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
