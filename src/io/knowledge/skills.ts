// Skills and commands: texts that users or agents call by name. The first one of a name wins.
import { isRecord } from '../../base/isRecord.ts';
import { basename, dirname, join } from 'node:path';
import type { Skill, WrittenCommand } from '../../host/settings/projectKnowledge.ts';
import { placesIn } from '../../host/settings/promptCommands.ts';
import { untrustedLabel } from '../../host/settings/projectKnowledge.ts';
import { frontMatter, nonEmptyText, textsIn } from './frontMatter.ts';
import { untrustedMark } from './texts.ts';
import type { KnowledgeSource, Texts } from './texts.ts';

/** Each folder holds a folder with a SKILL.md for every skill, or is one itself. */
export async function skillsIn(
  folders: readonly KnowledgeSource[],
  texts: Texts,
  named: readonly KnowledgeSource[] = [],
): Promise<readonly Skill[]> {
  const found = folders.map((folder) =>
    ['', ...texts.list(folder)].map((name) => ({ ...folder, path: join(folder.path, name, 'SKILL.md') })),
  );
  // A configured path may be the file itself, or a folder with skills below it.
  const deeper = named.map((source) =>
    /\.md$/i.test(source.path)
      ? [source]
      : texts.below(source).filter(({ path }) => basename(path) === 'SKILL.md'),
  );
  const read = await Promise.all(
    [...found, ...deeper].flat().map(async (source) => skillOf(source, await texts.read(source))),
  );
  return firstOfEach(read.flatMap((skill) => skill ?? []));
}

export async function commandsIn(
  sources: readonly KnowledgeSource[],
  texts: Texts,
): Promise<readonly WrittenCommand[]> {
  const read = await Promise.all(sources.map(async (source) => commandOf(source, await texts.read(source))));
  return firstOfEach(read.flatMap((command) => command ?? []));
}

function skillOf(source: KnowledgeSource, text: string | undefined): Skill | undefined {
  if (text === undefined) return undefined;
  const { fields, body } = frontMatter(text);
  const folder = dirname(source.path);
  return {
    name: nameIn(fields['name']) ?? basename(folder),
    description: described(source, lineIn(fields['description']) ?? firstLine(body)),
    text: body,
    folder,
    ...untrustedMark(source),
  };
}

function commandOf(source: KnowledgeSource, text: string | undefined): WrittenCommand | undefined {
  if (text === undefined) return undefined;
  const { fields, body } = frontMatter(text);
  const { path } = source;
  const name = nameIn(fields['name']) ?? basename(path).replace(/\.\w+$/, '');
  return {
    name,
    description: described(source, lineIn(fields['description']) ?? firstLine(body)),
    text: body,
    path,
    arguments: argumentsOf(fields['arguments'], body),
    ...untrustedMark(source),
  };
}

/** Names, or names with a description; without any, the places in the text. */
function argumentsOf(value: unknown, body: string): WrittenCommand['arguments'] {
  const given = Array.isArray(value)
    ? value.flatMap((each: unknown) => (isRecord(each) ? describedOf(each) : []))
    : [];
  if (given.length > 0) return given;
  const names = textsIn(value);
  return (names.length > 0 ? names : placesIn(body)).map((name) => ({ name, required: true }));
}

function describedOf(field: { readonly [name: string]: unknown }): WrittenCommand['arguments'] {
  const name = nameIn(field['name']);
  const description = lineIn(field['description']);
  return name === undefined
    ? []
    : [
        {
          name,
          ...(description === undefined ? {} : { description }),
          required: field['required'] !== false,
        },
      ];
}

/** Clients show descriptions, so that people see whose text they call. */
function described({ untrusted }: KnowledgeSource, description: string): string {
  return untrusted ? `${untrustedLabel} ${description}` : description;
}

/** Users type the name to call the skill, so it is one word. */
function nameIn(value: unknown): string | undefined {
  const name = nonEmptyText(value);
  return name === undefined || /[\s/]/.test(name) ? undefined : name;
}

function lineIn(value: unknown): string | undefined {
  return nonEmptyText(value)?.replaceAll(/\s+/g, ' ');
}

function firstLine(text: string): string {
  return (
    text
      .split('\n')
      .map((line) => line.replace(/^#+\s*/, '').trim())
      .find((line) => line !== '')
      ?.slice(0, 120) ?? ''
  );
}

/** Untrusted content never replaces trusted content. */
export function firstOfEach<T extends { readonly name: string; readonly untrusted?: true }>(
  all: readonly T[],
): readonly T[] {
  const seen = new Map<string, T>();
  for (const each of [
    ...all.filter(({ untrusted }) => !untrusted),
    ...all.filter(({ untrusted }) => untrusted),
  ])
    if (!seen.has(each.name)) seen.set(each.name, each);
  return [...seen.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
