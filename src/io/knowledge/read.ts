// Reads everything there is for one workspace. Loaded with the first question.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { contains } from '../../base/paths.ts';
import type { ProjectKnowledge } from '../../host/settings/projectKnowledge.ts';
import type { SettingsValues } from '../../host/settings/settings.ts';
import { agentsOf } from './agents.ts';
import { instructionsIn } from './instructions.ts';
import { knowledgeFolders } from './places.ts';
import { inPlugins } from './plugins.ts';
import type { KnowledgeKind } from './places.ts';
import { rulesIn } from './rules.ts';
import { commandsIn, firstOfEach, skillsIn } from './skills.ts';
import type { KnowledgeSource, Texts } from './texts.ts';

export interface KnowledgeSources {
  readonly values: SettingsValues;
  readonly env: { readonly [name: string]: string | undefined };
  readonly texts: Texts;
  readonly trusts: (folder: string) => boolean;
}

export async function readAll(
  roots: readonly string[],
  { values, env, texts, trusts: asks }: KnowledgeSources,
): Promise<ProjectKnowledge> {
  const trusted = new Map<string, boolean>();
  // Many places lie in the same few folders.
  const trusts = (folder: string) => {
    const known = trusted.get(folder) ?? asks(folder);
    trusted.set(folder, known);
    return known;
  };
  const places = (kind: KnowledgeKind) => knowledgeFolders(kind, roots, env);
  const markOf = (inside: string | undefined) => (inside === undefined || trusts(inside) ? undefined : true);
  const at: At = { roots, markOf };
  const folders = (kind: KnowledgeKind) =>
    places(kind).map(({ folder, inside }): KnowledgeSource => ({
      path: folder,
      inside,
      untrusted: markOf(inside),
    }));
  const files = (kind: KnowledgeKind) => folders(kind).flatMap((folder) => texts.below(folder));
  const agents = places('agents').flatMap(({ folder, inside, own }) =>
    texts.below({ path: folder, inside, untrusted: markOf(inside) }).map((source) => ({ ...source, own })),
  );
  const [plugged, instructions, rules, skills, commands] = await Promise.all([
    inPlugins(values.plugins, texts),
    instructionsIn({ roots, env, parents: values.instructions.parents, trusts }, texts),
    rulesIn([...files('rules'), ...named(values.rules, at, texts)], texts),
    skillsIn(
      folders('skills'),
      texts,
      values.skills.flatMap(({ path }) => resolved(path, at)),
    ),
    commandsIn([...files('commands'), ...named(values.commands, at, texts)], texts),
  ]);
  const agentTexts = await Promise.all(
    [...agents, ...plugged.agents].map(async ({ own, ...source }) => ({
      path: source.path,
      own,
      untrusted: source.untrusted === true,
      text: (await texts.read(source)) ?? '',
    })),
  );
  return {
    instructions,
    rules: [...rules, ...plugged.rules],
    skills: firstOfEach([...skills, ...plugged.skills]),
    commands: firstOfEach([...commands, ...plugged.commands]),
    agents: agentsOf(
      agentTexts.filter(({ text }) => text !== ''),
      values.modes,
    ),
    problems: [],
  };
}

interface At {
  readonly roots: readonly string[];
  readonly markOf: (folder: string) => true | undefined;
}

/** The files that a setting names, or the Markdown files of the folders it names. */
function named(
  written: readonly { readonly path: string }[],
  at: At,
  texts: Texts,
): readonly KnowledgeSource[] {
  return written
    .flatMap(({ path }) => resolved(path, at))
    .flatMap((source) => {
      const below = texts.below(source);
      return below.length > 0 ? below : [source];
    });
}

/**
 * A relative path is untrusted while it stays inside the workspace; an absolute path or one that leads
 * outside was chosen by the user.
 */
function resolved(path: string, { roots, markOf }: At): readonly KnowledgeSource[] {
  if (path.startsWith('~/')) return [{ path: join(homedir(), path.slice(2)) }];
  if (isAbsolute(path)) return [{ path }];
  return roots.map((root) => ({
    path: join(root, path),
    ...(contains(root, join(root, path)) ? { inside: root, untrusted: markOf(root) } : {}),
  }));
}
