// The slash commands of the native agent.
import type { AgentInfo } from '../../host/agent.ts';
import type { UserMessage } from '../../model/event.ts';

export const nativeCommands = [
  {
    name: 'compact',
    description: 'Summarise the conversation to free context',
    hint: 'what the summary should heed',
  },
  {
    name: 'continue',
    description: 'Go on with work that was stopped or interrupted',
    hint: 'anything to add',
    spare: true,
  },
  { name: 'sync-system-prompt', description: 'Build the system prompt anew for the next message' },
  {
    name: 'undo',
    description: 'Take back what the last turn that changed files has done to them',
    spare: true,
  },
] as const satisfies AgentInfo['commands'];

type CommandName = (typeof nativeCommands)[number]['name'];

/** The command of a message, and the text after it. */
export function commandIn({
  text,
}: UserMessage): { readonly name: CommandName; readonly rest: string } | undefined {
  const [, given, rest = ''] = /^\s*\/([\w-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const name = nativeCommands.find((command) => command.name === given)?.name;
  return name && { name, rest: rest.trim() };
}
