// Reads one ECA configuration file (JSON with comments). A broken file keeps its last valid content and is
// reported. Never throws.
import { isRecord } from '../../base/isRecord.ts';
import { createHash } from 'node:crypto';
import { parse } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import { isFolderProblem, readFolderFile } from '../files/folderFile.ts';
import { emptiedFile } from '../settings/load.ts';

export type EcaConfig = { readonly [key: string]: unknown };

export interface EcaFile {
  readonly file: string;
  /** The raw content, before interpolation. */
  readonly config: EcaConfig;
  readonly problems: readonly SettingsProblem[];
  /** Hash of the content; `undefined` if there is no file. */
  readonly hash: string | undefined;
}

/** A larger file is no configuration. */
const largest = 1_000_000;

/** `inside` is the workspace folder of the file; nothing outside of it is read. */
export function loadEcaFile(
  file: string,
  { last, inside }: { readonly last?: EcaFile | undefined; readonly inside?: string } = {},
): EcaFile {
  const found = readFolderFile(file, { inside, largest });
  if (!isFolderProblem(found))
    return {
      ...readEcaText(found.text, file, last?.config),
      hash: createHash('sha256').update(found.text).digest('hex'),
    };
  if (found.problem === 'missing') return { file, config: {}, problems: [], hash: undefined };
  return {
    file,
    config: last?.config ?? {},
    hash: undefined,
    problems: [{ file, kind: 'unreadable', message: `${file} ${found.message}.` }],
  };
}

export function readEcaText(text: string, file: string, last: EcaConfig = {}): Omit<EcaFile, 'hash'> {
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\uFEFF/, ''), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  if (errors.length === 0 && value === undefined)
    return { file, config: last, problems: emptiedFile(file, last) };
  if (errors.length === 0 && isRecord(value)) return { file, config: value, problems: [] };
  const line = errors[0] ? text.slice(0, errors[0].offset).split('\n').length : 1;
  return {
    file,
    config: last,
    problems: [
      {
        file,
        kind: 'broken',
        line,
        message: `${file} cannot be read as configuration (line ${line}); the last valid settings stay in effect.`,
      },
    ],
  };
}

/** Merges objects by key and replaces everything else. */
export function mergeConfig(below: EcaConfig, above: EcaConfig): EcaConfig {
  const merged: { [key: string]: unknown } = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const old = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = isRecord(old) && isRecord(value) ? mergeConfig(old, value) : value;
  }
  return merged;
}

export function asConfig(value: unknown): EcaConfig {
  return isRecord(value) ? value : {};
}
