// The commands that every ECA server has, in the order that clients show them. Data only.
import type { CommandInfo } from '../../../protocols/eca/messages.ts';

type Argument = NonNullable<CommandInfo['arguments']>[number];

const optional = (name: string): readonly Argument[] => [{ name }];
const required = (name: string, description: string): Argument => ({ name, description, required: true });

const rows = [
  ['init', 'Have an AGENTS.md written or renewed that tells agents about this project'],
  ['login', 'Sign in to a provider, or connect one with a key', optional('provider-id')],
  ['model', 'List the models, or choose one for this chat', optional('full-model')],
  ['skills', 'List the skills found in this workspace'],
  [
    'skill-create',
    'Have a skill composed from what you say about it',
    [required('name', 'The skill name'), required('prompt', 'What to consider as this skill content')],
  ],
  ['costs', 'Tokens and cost of this chat'],
  ['context', 'What fills the context of the model in this chat'],
  ['compact', 'Summarise the conversation to free context', optional('additional-input')],
  ['fork', 'Begin a new chat with all that was said in this one'],
  ['resume', 'List earlier chats, or open one by its number, its id or as latest', optional('chat-id')],
  ['export', 'Write this chat to a file, to import it elsewhere', optional('filepath')],
  ['import', 'Read a chat from a file that was exported', optional('filepath')],
  ['remote', 'How to open this chat in the console, in a browser or on another device'],
  ['config', 'Show the configuration in use'],
  ['doctor', 'Show versions, models, folders and other facts that help to find a problem'],
  ['debug-chat', 'Write the state of this chat to a file, for a report', optional('filepath')],
  ['repo-map-show', 'Show what agents are told about the files of this workspace'],
  ['rules', 'List the rules that decide what may run'],
  ['prompt-show', 'Show what the model is told before your first message', optional('optional-prompt')],
  ['sync-system-prompt', 'Rebuild the system prompt for the next message'],
  ['subagents', 'List the agents that are configured, and those that take tasks of others'],
  ['plugins', 'List the plugins of all collections'],
  ['plugin-install', 'Install a plugin', [required('plugin', 'Plugin name or plugin@marketplace')]],
  ['plugin-uninstall', 'Remove a plugin', [required('plugin', 'Plugin name')]],
  ['hooks', 'List the hooks that run around prompts and tools'],
] as const satisfies readonly (readonly [name: string, description: string, args?: readonly Argument[]])[];

export type NativeName = (typeof rows)[number][0];

export const nativeCommands: readonly CommandInfo[] = rows.map(([name, description, args = []]) => ({
  name,
  description,
  type: 'native',
  arguments: args,
}));

export function isNative(name: string): name is NativeName {
  return nativeCommands.some((command) => command.name === name);
}
