// Parses a message that calls a stored command or skill, and fills the arguments into its text.
import type { ProjectKnowledge, WrittenCommand } from './projectKnowledge.ts';

export interface TypedCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly rest: string;
}

/** Introduces the text of a command to the agent. */
export const commandLabel = 'What the command above means';

/** The text of the command or skill that a message calls; undefined if it calls none. */
export function calledText(
  { commands, skills }: Pick<ProjectKnowledge, 'commands' | 'skills'>,
  message: string,
): string | undefined {
  const call = parseTypedCommand(message);
  const command = call && commands.find(({ name }) => name === call.name);
  if (command) return fillPlaceholders(command, call);
  const skill = call && skills.find(({ name }) => name === call.name);
  return (
    skill &&
    `${fillPlaceholders({ text: skill.text, arguments: [] }, call)}\n\nThe files of this skill are in ` +
      `${skill.folder}.`
  );
}

/** Parses a message that begins with a slash and a word; undefined for other messages. */
export function parseTypedCommand(message: string): TypedCommand | undefined {
  const [, name, rest = ''] = /^\/([^\s/]+)(?:\s+(.*))?$/s.exec(message.trim()) ?? [];
  return name === undefined ? undefined : { name, rest: rest.trim(), args: words(rest) };
}

/** Splits at blanks; quotes keep blanks together. */
function words(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/**
 * Fills named placeholders in the order of the arguments, else `$1` and so on, and `$ARGS` with all. Without
 * placeholders the arguments are appended.
 */
export function fillPlaceholders(
  { text: body, arguments: wanted }: Pick<WrittenCommand, 'text' | 'arguments'>,
  { args, rest }: TypedCommand,
): string {
  const names = namedPlaces(body);
  if (names.length > 0) {
    const order = wanted.length > 0 ? wanted.map(({ name }) => name) : names;
    return body.replaceAll(named, (_, name: string) => args[order.indexOf(name)] ?? '');
  }
  if (numbered.test(body))
    return body.replaceAll(new RegExp(numbered, 'g'), (place) =>
      place === '$ARGS' || place === '$ARGUMENTS' ? rest : (args[Number(place.slice(1)) - 1] ?? ''),
    );
  return rest === '' ? body : `${body.trimEnd()}\n\n${rest}`;
}

/** The parameters of a text: its named placeholders, or one for each number. */
export function placesIn(body: string): readonly string[] {
  const names = namedPlaces(body);
  if (names.length > 0) return names;
  const most = Math.max(0, ...[...body.matchAll(/\$([1-9])(?!\d)/g)].map(([, number]) => Number(number)));
  return Array.from({ length: most }, (_, at) => `arg${at + 1}`);
}

const named = /\{\{\s*([\w-]+)\s*\}\}/g;
const numbered = /\$(?:ARGS|ARGUMENTS|[1-9])(?!\w)/;

function namedPlaces(body: string): readonly string[] {
  return [...new Set([...body.matchAll(named)].map(([, name = '']) => name))];
}
