// One configuration file of ECA: JSON with comments. A broken one keeps what it last said, and says so; never throws.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { SettingsProblem } from '../../host/settings/settings.ts';

export type EcaConfig = { readonly [key: string]: unknown };

export interface EcaFile {
  readonly file: string;
  /** As it is written: nothing in it stands for something else yet. */
  readonly config: EcaConfig;
  readonly problems: readonly SettingsProblem[];
  /** Of the content as it stands; undefined where there is no file. */
  readonly hash: string | undefined;
}

/** A larger file is no configuration. */
const largest = 1_000_000;

export function loadEcaFile(file: string, last?: EcaFile): EcaFile {
  let text: string;
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > largest) throw new Error('is no ordinary file of reasonable size');
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return { file, config: {}, problems: [], hash: undefined };
    return {
      file,
      config: last?.config ?? {},
      hash: undefined,
      problems: [
        {
          file,
          kind: 'unreadable',
          message: `${file} cannot be read: ${error instanceof Error ? error.message : 'unknown cause'}`,
        },
      ],
    };
  }
  return { ...readEcaText(text, file, last?.config), hash: createHash('sha256').update(text).digest('hex') };
}

export function readEcaText(text: string, file: string, last: EcaConfig = {}): Omit<EcaFile, 'hash'> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  if (errors.length === 0 && (value === undefined || isMap(value)))
    return { file, config: value ?? {}, problems: [] };
  const line = errors[0] ? text.slice(0, errors[0].offset).split('\n').length : 1;
  return {
    file,
    config: last,
    problems: [
      {
        file,
        kind: 'broken',
        line,
        message: `${file} cannot be read as configuration (line ${line}); what it said before holds.`,
      },
    ],
  };
}

/** Maps add up by name, everything else is replaced. */
export function over(below: EcaConfig, above: EcaConfig): EcaConfig {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = isMap(old) && isMap(value) ? over(old, value) : value;
  }
  return merged;
}

export function asConfig(value: unknown): EcaConfig {
  return isMap(value) ? value : {};
}

function isMap(value: unknown): value is EcaConfig {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
