// Reads everything there is for one workspace. Loaded with the first question.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { ProjectKnowledge } from '../../host/settings/projectKnowledge.ts';
import type { SettingsValues } from '../../host/settings/settings.ts';
import { agentsOf } from './agents.ts';
import { hooksOf } from './hooks.ts';
import { instructionsIn } from './instructions.ts';
import { placesOf } from './places.ts';
import { inPlugins } from './plugins.ts';
import type { Kind } from './places.ts';
import { rulesIn } from './rules.ts';
import { commandsIn, firstOfEach, skillsIn } from './skills.ts';
import type { Texts } from './texts.ts';

export interface Sources {
  readonly values: SettingsValues;
  readonly env: { readonly [name: string]: string | undefined };
  readonly texts: Texts;
}

export async function readAll(
  roots: readonly string[],
  { values, env, texts }: Sources,
): Promise<ProjectKnowledge> {
  const places = (kind: Kind) => placesOf(kind, roots, env);
  const folders = (kind: Kind) => places(kind).map(({ folder }) => folder);
  const files = async (kind: Kind) =>
    (await Promise.all(folders(kind).map((folder) => texts.below(folder)))).flat();
  const [plugged, instructions, rules, skills, commands, agents] = await Promise.all([
    inPlugins(values.plugins, texts),
    instructionsIn({ roots, env, parents: values.instructions.parents }, texts),
    Promise.all([files('rules'), named(values.rules, roots, texts)]).then((paths) =>
      rulesIn(paths.flat(), texts),
    ),
    skillsIn(
      folders('skills'),
      texts,
      values.skills.flatMap(({ path }) => resolved(path, roots)),
    ),
    Promise.all([files('commands'), named(values.commands, roots, texts)]).then((paths) =>
      commandsIn(paths.flat(), texts),
    ),
    Promise.all(
      places('agents').map(async ({ folder, own }) =>
        (await texts.below(folder)).map((path) => ({ path, own })),
      ),
    ),
  ]);
  const agentTexts = await Promise.all(
    [...agents.flat(), ...plugged.agents].map(async ({ path, own }) => ({
      path,
      own,
      text: (await texts.read(path)) ?? '',
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
    hooks: hooksOf(values.hooks),
    problems: [],
  };
}

/** The files that a setting names, or the Markdown files of the folders it names. */
async function named(
  written: readonly { readonly path: string }[],
  roots: readonly string[],
  texts: Texts,
): Promise<readonly string[]> {
  const found = await Promise.all(
    written
      .flatMap(({ path }) => resolved(path, roots))
      .map(async (path) => {
        const inside = await texts.below(path);
        return inside.length > 0 ? inside : [path];
      }),
  );
  return found.flat();
}

function resolved(path: string, roots: readonly string[]): readonly string[] {
  if (path.startsWith('~/')) return [join(homedir(), path.slice(2))];
  return isAbsolute(path) ? [path] : roots.map((root) => join(root, path));
}
