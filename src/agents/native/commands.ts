// The slash commands of the native agent.
import type { AgentInfo } from '../../host/agent.ts';
import { didYouMean } from '../../base/nearest.ts';
import { revertCommands } from '../../host/turns/revertTurn.ts';
import { sessionCommands } from '../../host/turns/sessionCommands.ts';
import { calledText } from '../../host/settings/promptCommands.ts';
import type { ProjectKnowledge } from '../../host/settings/projectKnowledge.ts';
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
  { name: 'sync-system-prompt', description: 'Rebuild the system prompt for the next message' },
  ...revertCommands,
] as const satisfies AgentInfo['commands'];

/**
 * Says that a command does not exist; undefined for any other message. A path is not a command, nor is what
 * begins with a blank.
 */
export function unknownCommand(
  { text, attachments = [] }: UserMessage,
  knowledge: Pick<ProjectKnowledge, 'commands' | 'skills'>,
): string | undefined {
  const [called, name = ''] = /^\/((?:\/?[a-z][\w:.-]*)?)(?=\s|$)/i.exec(text) ?? [];
  const isExplained = attachments.some((attachment) => 'isCommand' in attachment && attachment.isCommand);
  if (called === undefined || isExplained || calledText(knowledge, text) !== undefined) return undefined;
  const known = [...nativeCommands, ...sessionCommands].map((command) => command.name);
  if (known.includes(name)) return undefined;
  const brought = [...knowledge.commands, ...knowledge.skills].map((each) => each.name);
  const all = [...known, ...brought].map((each) => `/${each}`);
  return (
    `There is no command /${name}.${didYouMean(`/${name.replace('/', '')}`, all)} /help lists the commands. ` +
    'To send this as a message, begin it with a blank.'
  );
}

type CommandName = (typeof nativeCommands)[number]['name'];

/** The command of a message, and the text after it. */
export function commandIn({
  text,
}: UserMessage): { readonly name: CommandName; readonly rest: string } | undefined {
  const [, given, rest = ''] = /^\s*\/([\w-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const name = nativeCommands.find((command) => command.name === given)?.name;
  return name && { name, rest: rest.trim() };
}
