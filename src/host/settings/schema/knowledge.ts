// The settings that name further files for agents: instructions, rules, commands, skills and plugins.
import * as z from 'zod';
import { name, optional, setting, word } from './values.ts';

export const rules = z.array(
  z.strictObject({ path: setting(word, 'File or folder with rules.', '~/rules/typescript.md') }),
);

export const commands = z.array(
  z.strictObject({ path: setting(word, 'File or folder with commands.', '~/commands') }),
);

export const skills = z.array(z.strictObject({ path: setting(word, 'Folder with skills.', '~/skills') }));

export const plugins = z.array(
  z.strictObject({
    name: setting(name, 'Name of the plugin.', 'review'),
    path: setting(word, 'Folder of the plugin.', '~/plugins/review'),
  }),
);

export const instructions = z.strictObject({
  parents: optional(
    z.enum(['none', 'repository', 'all']),
    'Which AGENTS.md files in parent folders are read: none, those up to the root of the ' +
      'repository, or all. Default: repository.',
    'all',
  ),
});
