// Reads one settings file. What is wrong in it keeps its last good value, and the problem is told; never throws.
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { parse, printParseErrorCode } from 'jsonc-parser';
import type { ParseError } from 'jsonc-parser';
import type { SettingsProblem } from '../../host/settings/settings.ts';
import { isSection, sections } from './schema.ts';
import type { SectionName, Written } from './schema.ts';

export interface Loaded {
  readonly file: string;
  readonly values: Written;
  readonly problems: readonly SettingsProblem[];
  /** Of the content as it stands; undefined where there is no file. */
  readonly hash: string | undefined;
}

/** A larger file is no settings file. */
const largest = 1_000_000;

export function loadFile(file: string, last?: Loaded): Loaded {
  const values = last?.values ?? {};
  let text: string;
  try {
    const found = statSync(file);
    if (!found.isFile() || found.size > largest)
      return {
        file,
        values,
        problems: [{ file, kind: 'unreadable', message: `${file} is no ordinary file of reasonable size.` }],
        hash: undefined,
      };
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { file, values: {}, problems: [], hash: undefined };
    return {
      file,
      values,
      problems: [
        {
          file,
          kind: 'unreadable',
          message: `${file} cannot be read: ${error instanceof Error ? error.message : 'unknown cause'}`,
        },
      ],
      hash: undefined,
    };
  }
  return { ...readText(text, file, values), hash: createHash('sha256').update(text).digest('hex') };
}

export function readText(text: string, file: string, last: Written = {}): Omit<Loaded, 'hash'> {
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
          message: `${file} is broken in line ${line} (${printParseErrorCode(first.error)}); the last good settings hold.`,
        },
      ],
    };
  }
  if (content === undefined) return { file, values: {}, problems: [] };
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return {
      file,
      values: last,
      problems: [{ file, kind: 'invalid', message: `${file} must hold one object.` }],
    };
  const problems: SettingsProblem[] = [];
  const values: { [K in SectionName]?: unknown } = {};
  for (const [key, value] of Object.entries(content)) {
    if (key === '$schema') continue;
    if (!isSection(key)) {
      problems.push({ file, kind: 'invalid', message: `${file}: there is no setting named ${key}.` });
      continue;
    }
    const checked = sections[key].safeParse(value);
    if (checked.success) values[key] = checked.data;
    else {
      problems.push({ file, kind: 'invalid', message: `${file}: ${issueOf(key, checked.error)}` });
      if (last[key] !== undefined) values[key] = last[key];
    }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each value was checked by the section of its own name
  return { file, values: values as Written, problems };
}

function issueOf(
  section: string,
  {
    issues,
  }: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] },
): string {
  const [issue] = issues;
  const where = [section, ...(issue?.path ?? []).map(String)].join('.');
  return `${where} ${issue?.message ?? 'is not valid'}.`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
