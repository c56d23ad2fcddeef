// Says what a user has probably meant by a command, a word or an option that does not exist.
import { didYouMean } from '../base/nearest.ts';
import { cliCommands } from './commands.ts';
import type { CliCommand } from './commands.ts';
import { UsageError } from './say.ts';

export function explainUnknownCommand(name: string): string {
  const names = Object.keys(cliCommands).filter((each) => each !== '');
  return `There is no command "${name}".${didYouMean(name, names)} Try parley --help.`;
}

/** For commands such as `parley mcp`, whose first word says what to do. */
export function unknownWord(command: string, word: string): UsageError {
  const words = subcommandsOf(cliCommands[command]);
  const last = words.at(-1) ?? '';
  return new UsageError(
    `Unknown command "parley ${command} ${word}".${didYouMean(word, words)} ` +
      `Try ${words.slice(0, -1).join(', ')} or ${last}.`,
  );
}

/** The parser's sentence about an option in our words, with the option that was probably meant. */
export function clearer(message: string, command: string): string {
  const help = `See ${`parley ${command}`.trim()} --help.`;
  const [, unknown] = /^Unknown option '([^']+)'/.exec(message) ?? [];
  if (unknown !== undefined)
    return `Unknown option ${unknown}.${didYouMean(unknown, optionsOf(cliCommands[command]))} ${help}`;
  const [, option, problem] =
    /^Option '(?:-\w, )?(--[\w-]+)(?: <value>)?' (argument missing|argument is ambiguous|does not take)/.exec(
      message,
    ) ?? [];
  if (option !== undefined)
    return `Option ${option} ${problem === 'does not take' ? 'takes no value' : 'needs a value'}. ${help}`;
  const [, word] = /^Unexpected argument '(.*?)'\. This command/.exec(message) ?? [];
  return word === undefined ? message : `Unexpected argument "${word}". ${help}`;
}

/** What can stand after the name of a command, as the table or its usage lists it. */
export function subcommandsOf(command: CliCommand | undefined): readonly string[] {
  if (command?.words) return command.words;
  return /\[((?:\w+, )+\w+)\]/.exec(command?.usage ?? '')?.[1]?.split(', ') ?? [];
}

export function optionsOf(command: CliCommand | undefined): readonly string[] {
  if (!command) return [];
  const text = [command.usage, ...command.options.flat()].join(' ');
  return [...new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option)), '--help'];
}
