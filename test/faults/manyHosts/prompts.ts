// The prompts of the judge: words that occur once, and a command that must not run twice. What a turn has
// said and done can be told from its prompt.
import { storageGoesOn, storageWaits } from '../../../src/host/session/backlog.ts';

export interface Prompt {
  readonly id: string;
  readonly text: string;
}

export interface PromptForm {
  /** How many pieces of a stream a turn has, and the pause between them in milliseconds. */
  readonly pieces: number;
  readonly pause: number;
  /** The file in which every command leaves its line. */
  readonly ran: string;
}

export function newPrompt(id: string, { pieces, pause, ran }: PromptForm): Prompt {
  const lines = wordsOf(id, pieces).map((word) => `stream 1 ${word}\npause ${pause}`);
  const command = JSON.stringify({ command: `echo ${id} >> ${ran}` });
  lines.splice(Math.floor(pieces / 3), 0, `tool shell_command ${command}`);
  return { id, text: lines.join('\n') };
}

/** What the answer to a prompt says when it is whole, without blanks. */
export function wholeAnswer(text: string): string {
  return [...text.matchAll(/^stream 1 (\S+)$/gm)].map(([, word]) => word).join('');
}

export function idOf(text: string): string | undefined {
  return /echo (\S+) >>/.exec(text)?.[1];
}

function wordsOf(id: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `<${id}.${at}>`);
}

/** What doors of some protocols say in the place of an answer, and what the scripted model says of a tool. */
const notAnswers = [
  storageWaits,
  storageGoesOn,
  'The turn was interrupted.',
  'shell_command: done.',
  // Cut off in the middle of the words above.
  'shell_command:',
];

/** The same, with a number in it. */
const compacted = /Theconversationfills\d+%ofwhatScriptedcanholdandiscompacted\./g;

/** The words of an answer, without blanks. */
export function wordsIn(text: string): string {
  const all = withoutBlanks(text).replaceAll(compacted, '');
  return notAnswers.reduce((left, said) => left.replaceAll(withoutBlanks(said), ''), all);
}

function withoutBlanks(text: string): string {
  return text.replaceAll(/\s+/g, '');
}
