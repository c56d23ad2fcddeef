// The one skill that every ECA server has: what an agent must know to answer questions about the server itself.
import type { CommandInfo } from '../../../protocols/eca/messages.ts';
import { nativeCommands } from './natives.ts';
import type { CommandCall } from './run.ts';

export const aboutUs: CommandInfo = {
  name: 'eca-info',
  description: 'Answer a question about this server and how it is set up',
  type: 'skill',
  arguments: null,
};

export function whatWeAre({ connection, rest }: CommandCall): string {
  const facts = (connection.options.about?.facts?.() ?? []).map(([name, value]) => `- ${name}: ${value}`);
  return [
    'Answer the question about the program that you run in with what follows, and read the files it names where that helps.',
    `The program is Parley ${connection.options.version}. It serves ECA clients, and the same chats to editors of other protocols and to its console in a browser.`,
    'The user configures it in ~/.config/eca/config.json and in .eca/config.json of a folder, as with any ECA server, and in config.jsonc of its own configuration folder; `parley config show` says what holds and why. ' +
      'Rules, skills, commands and agents are Markdown files in the folders rules, skills, commands and agents of .eca and .parley, of a workspace or of the user.',
    ...facts,
    `Commands that users can type:\n${nativeCommands.map(({ name, description }) => `- /${name}: ${description}`).join('\n')}`,
    `The question: ${rest === '' ? 'What can you do here?' : rest}`,
  ].join('\n\n');
}
