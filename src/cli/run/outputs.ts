// What `parley run` prints: the answer as text, one JSON result, or a JSON line for each thing that happens.
import type { DoorResult, RunStarted } from '../../app/run/runDoor.ts';
import { jsonText } from '../../base/jsonText.ts';
import { wholeLength } from '../../base/visibleText.ts';
import type { Entry, Event } from '../../model/event.ts';
import { pictureFolder } from '../chat/pictures.ts';
import { print, printError } from '../output.ts';
import { endingOf, exitCodes } from './ending.ts';
import type { RunFailure } from './ending.ts';
import { RunLines } from './lines.ts';
import type { RunLine } from './lines.ts';

export interface RunOutput {
  started(facts: RunStarted): void;
  entry(entry: Entry): void;
  /** Returns the exit code. */
  ended(result: DoorResult): number;
  /** The run could not begin, or lost its host. */
  failed(message: string, why: RunFailure): number;
}

export const outputs = {
  text: textOutput,
  json: () => jsonOutput('result'),
  'stream-json': () => jsonOutput('lines'),
} as const;

export type OutputName = keyof typeof outputs;

function jsonOutput(form: 'result' | 'lines'): RunOutput {
  const lines = new RunLines(() => performance.now());
  const write = (line: unknown) => print(`${jsonText(line)}\n`);
  const show = (line: RunLine | undefined) => {
    if (form === 'lines' && line !== undefined) write(line);
    // Whoever watches sees why nothing comes.
    if (form === 'result' && line?.type === 'notice') printError(`${line.text}\n`);
  };
  return {
    started: (facts) => show(lines.started(facts)),
    entry: (entry) => show(lines.entry(entry)),
    ended(result) {
      const line = lines.ended(result);
      write(line);
      if (line.error) printError(`parley: ${line.error.message}\n`);
      return line.exitCode;
    },
    failed(message, why) {
      const line = lines.failed(message, why);
      write(line);
      printError(`parley: ${message}\n`);
      return line.exitCode;
    },
  };
}

/**
 * Prints the answer to standard output, and everything else to standard error. The texts of subagents are
 * not part of the answer.
 */
function textOutput(): RunOutput {
  let lineIsOpen = false;
  /** The last sign, to which the next piece may belong. */
  let held = '';
  let turn: string | undefined;
  let chat: string | undefined;
  const shownCalls = new Map<string, string>();
  const save = pictureFolder();
  const endLine = () => {
    if (lineIsOpen) print(`${held}\n`);
    lineIsOpen = false;
    held = '';
  };
  const showAnswer = (event: Event) => {
    if (event.kind === 'text.added' && event.channel === 'answer') {
      const text = held + event.text;
      const whole = wholeLength(text);
      print(text.slice(0, whole));
      held = text.slice(whole);
      lineIsOpen = !text.endsWith('\n');
    } else if (event.kind === 'image.added') {
      endLine();
      print(`${save(event)}\n`);
    } else if (event.kind === 'turn.ended') endLine();
  };
  return {
    started(facts) {
      turn = facts.turn;
      chat = facts.session;
    },
    entry({ event }) {
      if ('turn' in event && event.turn === turn) showAnswer(event);
      const step = stepText(event);
      if (step === undefined || (event.kind === 'chat.changed' && event.chat !== chat)) return;
      if (event.kind === 'tool.ready') {
        // External agents tell of a call and then ask about it.
        if (shownCalls.get(event.tool) === step) return;
        shownCalls.set(event.tool, step);
      }
      endLine();
      printError(`${step}\n`);
    },
    ended(result) {
      endLine();
      const { status, error } = endingOf(result);
      if (error) printError(`parley: ${error.message}\n`);
      return exitCodes[status];
    },
    failed(message, why) {
      endLine();
      printError(`parley: ${message}\n`);
      return exitCodes[why];
    },
  };
}

/** What standard error shows of an event. */
function stepText(event: Event): string | undefined {
  if (event.kind === 'tool.ready') return `> ${event.title}`;
  if (event.kind === 'notice.added') return event.text;
  if (event.kind === 'chat.changed') return event.stopping ?? undefined;
  if (event.kind !== 'tool.ended') return undefined;
  if (event.result.status === 'denied') return `  refused: ${event.result.reason}`;
  return event.result.status === 'failed' ? `  failed: ${event.result.error}` : undefined;
}
