// The skill `eca-info`, which every ECA server has: facts for questions about the server itself.
import type { CommandInfo } from '../../../protocols/eca/messages.ts';
import { nativeCommands } from './natives.ts';
import type { CommandCall } from './run.ts';

export const aboutUs: CommandInfo = {
  name: 'eca-info',
  description: 'Answer a question about this server and its setup',
  type: 'skill',
  arguments: null,
};

export function whatWeAre({ connection, rest }: CommandCall): string {
  const facts = (connection.options.about?.facts?.() ?? []).map(([name, value]) => `- ${name}: ${value}`);
  return [
    'Answer the question about the program that you run in with these facts. Read the files that they ' +
      'name if necessary.',
    `The program is Parley ${connection.options.version}. It serves the same chats to ECA clients, to ` +
      'editors of other protocols and to a browser console.',
    'The user configures it in ~/.config/eca/config.json and .eca/config.json, as with any ECA server, ' +
      'and in config.jsonc of its own configuration folder. ' +
      '`parley config show` prints the effective settings and their sources. ' +
      'Rules, skills, commands and agents are Markdown files in the folders rules, skills, commands and ' +
      'agents below .eca and .parley, in a workspace or in the home of the user.',
    ...facts,
    'Commands that users can type:\n' +
      nativeCommands.map(({ name, description }) => `- /${name}: ${description}`).join('\n'),
    `The question: ${rest === '' ? 'What can you do here?' : rest}`,
  ].join('\n\n');
}
