// How a command is shown to people who decide about it: whole, because clients cut titles.
import { memoPerObject } from '../../../base/memo.ts';
import { visibleText } from '../../../base/visibleText.ts';
import type { Ask, Json } from '../../../model/event.ts';
import type { ToolItem } from '../../../model/state.ts';
import { jsonRecord } from './wireJson.ts';

/**
 * What a command would run, as long as somebody decides about it and after that; undefined where the title
 * of the call says it, or where the client shows all arguments.
 */
export function askedMessage(
  { toolKind, status, approval, input }: ToolItem,
  ask: Pick<Extract<Ask, { kind: 'approval' }>, 'title'> | undefined,
): string | undefined {
  if (toolKind !== 'execute' || (status !== 'asking' && !approval)) return undefined;
  const shown = shownInput(input);
  // The arguments of a command that the user wrote in the settings are only a part of it.
  if (shown === undefined) return ask?.title.startsWith('$ ') ? ask.title : undefined;
  return shown.text;
}

/** Three lines in the side bar of VS Code, which takes the room of a longer title from the box below it. */
const shortTitle = 60;

/**
 * The title of a question, short as AHP has it. A long command is left out because the message below says it,
 * and the end of that message could not be scrolled into sight; the reason to ask stays. Without a title
 * clients show the name of the tool above the message.
 */
export function askedTitle(
  { title, reason }: Pick<Extract<Ask, { kind: 'approval' }>, 'title' | 'reason'>,
  message: string,
): string | undefined {
  if (!title.startsWith('$ ') || !message.startsWith('$ ')) return title === message ? undefined : title;
  if (title.length <= shortTitle && !title.includes('\n')) return title;
  return reason === undefined ? 'Run this command?' : `Run this command? (${reason})`;
}

/**
 * The kind of a call with arguments; a kind that changes replaces the earlier one. With `terminal` VS Code
 * shows a command in a box that scrolls, and not as the title of a question.
 */
export function kindMeta({ toolKind: kind, input }: ToolItem): {
  readonly kind?: ToolItem['toolKind'];
  readonly toolKind?: 'terminal';
  readonly language?: 'shellscript';
} {
  if (input === undefined) return {};
  // In that box nothing but the command is seen.
  if (kind !== 'execute' || !shownInput(input)?.isPlain) return { kind };
  return { kind, toolKind: 'terminal', language: 'shellscript' };
}

interface ShownInput {
  readonly text: string;
  /** Whether the command alone, as it is, shows everything: no other arguments, and nothing that hides. */
  readonly isPlain: boolean;
}

/** A call is shown again with each piece of its output. */
const shownInputs = memoPerObject<object, ShownInput | undefined>();

function shownInput(input: Json | undefined): ShownInput | undefined {
  const show = () => {
    const command = commandIn(input);
    if (command === undefined) return undefined;
    const text = visibleText([`$ ${command}`, ...otherArguments(input)].join('\n'));
    return { text, isPlain: text === `$ ${command}` };
  };
  return typeof input === 'object' && input !== null ? shownInputs(input, show) : show();
}

function commandIn(input: Json | undefined): string | undefined {
  if (typeof input === 'string') return input;
  const { command } = jsonRecord(input);
  return typeof command === 'string' && command !== '' ? command : undefined;
}

/** A client that shows the command leaves out where and how it runs. */
function otherArguments(input: Json | undefined): readonly string[] {
  return Object.entries(jsonRecord(input))
    .filter(([name]) => name !== 'command')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`);
}
