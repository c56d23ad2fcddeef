// Reads one settings file. An invalid section keeps its last valid value and the problem is reported; never
// throws.
import { didYouMean } from '../../base/nearest.ts';
import { keysAt } from './knownKeys.ts';
import { createHash } from 'node:crypto';
import { parse, printParseErrorCode } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import { isFolderProblem, readFolderFile } from '../files/folderFile.ts';
import { isSection, sections } from '../../host/settings/schema/sections.ts';
import type { SectionName, WrittenSettings } from '../../host/settings/schema/sections.ts';

export interface LoadedSettings {
  readonly file: string;
  readonly values: WrittenSettings;
  readonly problems: readonly SettingsProblem[];
  /** The hash of the content; undefined if there is no file. */
  readonly hash: string | undefined;
}

/** A larger file is no settings file. */
const largest = 1_000_000;

/** `inside` is the workspace folder of the file; nothing outside it is read. */
export function loadFile(
  file: string,
  { last, inside }: { readonly last?: LoadedSettings | undefined; readonly inside?: string } = {},
): LoadedSettings {
  const values = last?.values ?? {};
  const found = readFolderFile(file, { inside, largest });
  if (!isFolderProblem(found))
    return {
      ...parseSettings(found.text, file, values),
      hash: createHash('sha256').update(found.text).digest('hex'),
    };
  if (found.problem === 'missing') return { file, values: {}, problems: [], hash: undefined };
  return {
    file,
    values,
    problems: [{ file, kind: 'unreadable', message: `${file} ${found.message}.` }],
    hash: undefined,
  };
}

export function parseSettings(
  text: string,
  file: string,
  last: WrittenSettings = {},
): Omit<LoadedSettings, 'hash'> {
  const errors: ParseError[] = [];
  const content: unknown = parse(text.replace(/^\ufeff/, ''), errors, {
    allowTrailingComma: true,
    allowEmptyContent: true,
  });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    return {
      file,
      values: last,
      problems: [
        {
          file,
          kind: 'broken',
          line,
          message:
            `${file} is broken in line ${line} (${printParseErrorCode(first.error)}); the last valid ` +
            'settings stay in effect.',
        },
      ],
    };
  }
  if (content === undefined) return { file, values: last, problems: emptiedFile(file, last) };
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return {
      file,
      values: last,
      problems: [{ file, kind: 'invalid', message: `${file} must contain one object.` }],
    };
  const problems: SettingsProblem[] = [];
  const values: { [K in SectionName]?: unknown } = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema') continue;
    if (!isSection(key)) {
      problems.push({
        file,
        kind: 'invalid',
        message: `${file}: there is no setting named ${key}.${didYouMean(key, Object.keys(sections))}`,
      });
      continue;
    }
    const checked = sections[key].safeParse(value);
    if (checked.success) values[key] = checked.data;
    else {
      problems.push(invalidSection(file, key, checked.error));
      if (last[key] !== undefined) values[key] = last[key];
    }
  }
  // Each value was checked by the section of its own name.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { file, values: values as WrittenSettings, problems };
}

/** Writing a file begins with emptying it, so a file that had settings is not taken to have none. */
export function emptiedFile(file: string, last: object): readonly SettingsProblem[] {
  if (Object.keys(last).length === 0) return [];
  const message = `${file} is empty; the last valid settings stay in effect. For no settings, write {}.`;
  return [{ file, kind: 'broken', line: 1, message }];
}

/** Checks one section for a caller that is about to write it. An absent section is valid. */
export function sectionProblem(
  file: string,
  section: SectionName,
  value: unknown,
): SettingsProblem | undefined {
  const error = value === undefined ? undefined : sections[section].safeParse(value).error;
  return error && invalidSection(file, section, error);
}

interface SchemaError {
  readonly issues: readonly {
    readonly path: readonly PropertyKey[];
    readonly message: string;
    /** The keys that are not known, if that is the problem. */
    readonly keys?: readonly string[];
  }[];
}

function invalidSection(
  file: string,
  section: SectionName,
  { issues: [issue] }: SchemaError,
): SettingsProblem {
  const path = (issue?.path ?? []).map(String);
  const where = [section, ...path].join('.');
  const [unknown] = issue?.keys ?? [];
  const similar = unknown === undefined ? '' : didYouMean(unknown, keysAt(section, path));
  return {
    file,
    kind: 'invalid',
    message: `${file}: ${where} ${issue?.message ?? 'is not valid'}.${similar}`,
  };
}
