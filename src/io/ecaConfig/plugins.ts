// Plugins of an ECA configuration: which are installed, where, and their configuration.
// Reads local folders only.
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { parse } from 'jsonc-parser';
import * as z from 'zod';
import { isFolderProblem, readFolderFile } from '../files/folderFile.ts';
import { asConfig, mergeConfig } from './file.ts';
import type { EcaConfig } from './file.ts';
import { interpolate } from './interpolate.ts';

/** A collection of plugins: a folder of this machine, or an address to fetch one from. */
export interface PluginSource {
  readonly name: string;
  readonly folder: string;
  /** The git URL, if the collection must be fetched first. */
  readonly address?: string;
}

export interface Plugin {
  readonly name: string;
  readonly description: string;
  /** The collection it is in. */
  readonly source: string;
  readonly folder: string;
  readonly needs: readonly string[];
}

export interface PluginPlace {
  readonly env: { readonly [name: string]: string | undefined };
  /** The file that names them; relative paths start beside it. */
  readonly file: string;
  /** Where collections from elsewhere are kept. */
  readonly cache: string;
  /** Set to look at all collections, whether anything is asked of them or not. */
  readonly everything?: true;
}

export interface PluginSet {
  readonly sources: readonly PluginSource[];
  /** All there are. */
  readonly known: readonly Plugin[];
  /** Those that are installed and those they need, in the order in which they count. */
  readonly installed: readonly Plugin[];
  readonly problems: readonly string[];
}

/** The collection that every ECA user has without naming it. */
const usual = { name: 'eca', address: 'https://github.com/editor-code-assistant/eca-plugins.git' };

const section = z.looseObject({ install: z.array(z.string()).optional().catch(undefined) });
const source = z.object({ source: z.string().min(1) });

/** Empty if the configuration asks for no plugin. */
export function pluginsIn(config: EcaConfig, place: PluginPlace): PluginSet {
  const written = section.safeParse(config['plugins']);
  const { install = [], ...named } = written.success ? written.data : {};
  const own = Object.entries(named).flatMap(([name, value]): PluginSource[] => {
    const read = source.safeParse(value);
    return read.success ? [sourceOf(name, read.data.source, place)] : [];
  });
  const found = own.flatMap(pluginsOf);
  const isThere = (ref: string) => found.some((plugin) => fits(plugin, ref));
  // The usual collection is only looked at where something is not found nearer by.
  const further =
    (!place.everything && install.every(isThere)) || own.some(({ name }) => name === usual.name)
      ? []
      : [sourceOf(usual.name, usual.address, place)];
  const known = [...found, ...further.flatMap(pluginsOf)];
  const problems: string[] = [];
  const installed: Plugin[] = [];
  const take = (ref: string, from: string) => {
    const fitting = known.filter((plugin) => fits(plugin, ref));
    const [plugin] = fitting;
    if (fitting.length > 1)
      problems.push(
        `The plugin ${ref} is in several collections; name one of ${fitting.map(refOf).join(', ')}.`,
      );
    else if (!plugin)
      problems.push(
        `The plugin ${ref}${from} is in none of the collections ` +
          `${[...own, ...further].map(({ name }) => name).join(', ')}.`,
      );
    else if (!installed.includes(plugin) && !pending.has(plugin)) {
      pending.add(plugin);
      for (const need of plugin.needs) take(need, `, which ${plugin.name} needs,`);
      installed.push(plugin);
    }
  };
  const pending = new Set<Plugin>();
  for (const ref of install) take(ref, '');
  return { sources: [...own, ...further], known, installed, problems };
}

/** The configuration of a plugin; its texts are read from its folder. */
export function pluginConfig({ folder }: Plugin, env: PluginPlace['env']): EcaConfig {
  const read = (name: string) => asConfig(readJson(folder, name));
  const hooks = read('hooks/hooks.json');
  const { mcpServers } = read('.mcp.json');
  const parts = [
    read('eca.json'),
    mcpServers === undefined ? {} : { mcpServers },
    Object.keys(hooks).length === 0 ? {} : { hooks: 'hooks' in hooks ? hooks['hooks'] : hooks },
  ];
  return asConfig(
    interpolate(parts.reduce(mergeConfig, {}), {
      env,
      file: join(folder, 'eca.json'),
      own: true,
      plugin: folder,
    }),
  );
}

export function refOf({ name, source: from }: Plugin): string {
  return `${name}@${from}`;
}

function fits(plugin: Plugin, ref: string): boolean {
  return ref === plugin.name || ref === refOf(plugin);
}

function sourceOf(name: string, where: string, { file, cache }: PluginPlace): PluginSource {
  if (/^(?:https?|ssh|git):\/\/|^[\w.-]+@[\w.-]+:/.test(where))
    return { name, folder: join(cache, where.replaceAll(/[^\w.-]+/g, '_')), address: where };
  const path = where.replace(/^file:\/\//, '');
  // An absolute path stays as it is.
  const folder = path.startsWith('~/') ? join(homedir(), path.slice(2)) : resolve(dirname(file), path);
  return { name, folder };
}

const marketplace = z.object({ plugins: z.array(z.unknown()) });
const entry = z.object({
  name: z.string().regex(/^[\w.-]+$/),
  description: z.string().catch(''),
  source: z.string().min(1),
  dependencies: z.array(z.string()).catch([]),
});
const manifest = z.object({ dependencies: z.array(z.string()) });

/** Paths outside of the collection are ignored. */
function pluginsOf({ name: from, folder }: PluginSource): readonly Plugin[] {
  const listed = marketplace.safeParse(readJson(folder, '.eca-plugin/marketplace.json'));
  return (listed.success ? listed.data.plugins : []).flatMap((value): Plugin[] => {
    const read = entry.safeParse(value);
    if (!read.success) return [];
    const { name, description, source: path, dependencies } = read.data;
    const inside = resolve(folder, path);
    const way = relative(folder, inside);
    if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return [];
    const own = manifest.safeParse(readJson(inside, '.eca-plugin/plugin.json'));
    return [
      {
        name,
        description,
        source: from,
        folder: inside,
        needs: [...dependencies, ...(own.success ? own.data.dependencies : [])],
      },
    ];
  });
}

const largest = 1_000_000;

function readJson(folder: string, name: string): unknown {
  const found = readFolderFile(join(folder, name), { inside: folder, largest });
  return isFolderProblem(found) ? undefined : parse(found.text);
}
