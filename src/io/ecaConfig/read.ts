// The configuration of ECA users as they have it: what the client sends, an environment variable, the user's file, and one in each folder. A broken file keeps what it last said.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import { ecaDirectory } from './directory.ts';
import { interpolate } from './interpolate.ts';

export type EcaConfig = { readonly [key: string]: unknown };

export interface Sources {
  readonly env: NodeJS.ProcessEnv;
  readonly roots: readonly string[];
  /** What the client sent with `initialize`. */
  readonly initial?: EcaConfig | undefined;
  /** Stands for the user's file and those of the folders. */
  readonly configFile?: string | undefined;
}

export interface ReadConfig {
  readonly config: EcaConfig;
  /** Which sources cannot be read, in words that can be shown. */
  readonly problems: readonly string[];
  /** The files that were looked at. */
  readonly files: readonly string[];
}

/** Remembers what each file last said in good order. */
export class EcaConfigReader {
  readonly #good = new Map<string, EcaConfig>();

  read({ env, roots, initial = {}, configFile }: Sources): ReadConfig {
    const own = { env, own: true } as const;
    const given = asConfig(interpolate(initial, own));
    if (initial['pureConfig'] === true) return { config: given, problems: [], files: [] };
    const problems: string[] = [];
    const variable = env['ECA_CONFIG'];
    const fromVariable = variable === undefined ? {} : this.#parse('ECA_CONFIG', variable, problems);
    const files = configFile === undefined ? [join(ecaDirectory(env), 'config.json'), ...roots.map((root) => join(root, '.eca', 'config.json'))] : [configFile];
    const layers = files.map((file, at) => {
      const mine = configFile !== undefined || at === 0;
      return asConfig(interpolate(this.#file(file, problems), { env, file, own: mine }));
    });
    return { config: [given, asConfig(interpolate(fromVariable, own)), ...layers].reduce(over, {}), problems, files };
  }

  #file(file: string, problems: string[]): EcaConfig {
    try {
      return this.#parse(file, readFileSync(file, 'utf8'), problems);
    } catch {
      // A file that is not there, or not any more, says nothing.
      this.#good.delete(file);
      return {};
    }
  }

  #parse(source: string, text: string, problems: string[]): EcaConfig {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    if (errors.length > 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.push(`${source} cannot be read as configuration; what it said before holds.`);
      return this.#good.get(source) ?? {};
    }
    const config = asConfig(value);
    this.#good.set(source, config);
    return config;
  }
}

/** Maps add up by name, everything else is replaced. */
function over(below: EcaConfig, above: EcaConfig): EcaConfig {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = isMap(old) && isMap(value) ? over(old, value) : value;
  }
  return merged;
}

function asConfig(value: unknown): EcaConfig {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is EcaConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
