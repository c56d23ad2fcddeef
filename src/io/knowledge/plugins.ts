// What plugins bring along. Their skills and commands are called by the name of the plugin and their own, so
// that no two get in each other's way.
import { join } from 'node:path';
import type { ProjectRule, Skill, WrittenCommand } from '../../host/settings/projectKnowledge.ts';
import type { SettingsValues } from '../../host/settings/settings.ts';
import { rulesIn } from './rules.ts';
import { commandsIn, skillsIn } from './skills.ts';
import type { KnowledgeSource, Texts } from './texts.ts';

interface Plugged {
  readonly rules: readonly ProjectRule[];
  readonly skills: readonly Skill[];
  readonly commands: readonly WrittenCommand[];
  /** The user has chosen the plugin, so its agents are as good as the user's own. */
  readonly agents: readonly (KnowledgeSource & { readonly own: true })[];
}

export async function inPlugins(plugins: SettingsValues['plugins'], texts: Texts): Promise<Plugged> {
  const all = await Promise.all(
    plugins.map(async ({ name: plugin, path }) => {
      const named = <T extends { readonly name: string }>(each: T): T => ({
        ...each,
        name: each.name === plugin ? plugin : `${plugin}:${each.name}`,
      });
      const below = (kind: string) => texts.below({ path: join(path, kind), inside: path });
      return {
        rules: await rulesIn(below('rules'), texts),
        skills: (await skillsIn([{ path: join(path, 'skills'), inside: path }], texts)).map(named),
        commands: (await commandsIn(below('commands'), texts)).map(named),
        agents: below('agents').map((file) => ({ ...file, own: true as const })),
      };
    }),
  );
  return {
    rules: all.flatMap(({ rules }) => rules),
    skills: all.flatMap(({ skills }) => skills),
    commands: all.flatMap(({ commands }) => commands),
    agents: all.flatMap(({ agents }) => agents),
  };
}
