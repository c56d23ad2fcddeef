// The command line's entry: finds the command and loads nothing else, since editors start this
// program again and again.
import { fstatSync } from 'node:fs';
import { isatty } from 'node:tty';
import { errorText } from '../base/errorText.ts';
import { commandFiles } from './commandFiles.ts';
import type { CommandFile } from './commandFiles.ts';

declare const PARLEY_VERSION: string;

/** How long a failed command may take to exit before it is forced, in milliseconds. */
const exitTime = 500;

const [name = '', ...args] = process.argv.slice(2);

async function main(): Promise<number> {
  if (name === '--version' || name === '-v') return say(`${calledAs()} ${PARLEY_VERSION}`);
  if (name === '--help' || name === '-h' || name === 'help') return help(args[0]);
  const load = commandNamed(name);
  if (!load) return complain((await import('./suggest.ts')).explainUnknownCommand(name));
  const given = name.startsWith('-') ? [name, ...args] : args;
  // What follows two dashes belongs to another program.
  const own = given.includes('--') ? given.slice(0, given.indexOf('--')) : given;
  if (own.includes('--help') || own.includes('-h')) return help(name);
  const command = await load();
  return command.run(given);
}

async function help(topic: string | undefined): Promise<number> {
  const { helpOf, overview } = await import('./help.ts');
  if (topic === undefined) return say(overview());
  if (!commandNamed(topic)) return complain((await import('./suggest.ts')).explainUnknownCommand(topic));
  return say(helpOf(topic));
}

/** Options without a command belong to the command without a name. */
function commandNamed(word: string): (() => Promise<CommandFile>) | undefined {
  const key = word.startsWith('-') ? '' : word;
  return Object.entries(commandFiles).find(([each]) => each === key)?.[1];
}

/** Started through a link named `eca`, the program answers like that server. */
function calledAs(): string {
  return /(?:^|[/\\])eca(?:\.\w+)?$/.test(process.argv[1] ?? '') ? 'eca' : 'parley';
}

// What makes text safe for a terminal takes milliseconds to load, and a pipe rarely says anything.
async function say(text: string): Promise<number> {
  const { print } = await import('./output.ts');
  print(`${text}\n`);
  return 0;
}

async function complain(text: string): Promise<number> {
  const { printError } = await import('./output.ts');
  printError(`parley: ${text}\n`);
  return 2;
}

async function endWithoutOutput(cause: string): Promise<void> {
  await complain(`The output could not be written: ${cause}`);
  process.exit(1);
}

/** Thrown by a command, or by the parser of options. */
function isWrongUsage(error: unknown): boolean {
  return (
    error instanceof Error &&
    (error.name === 'UsageError' || ('code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_')))
  );
}

function codeOf(error: unknown): number {
  const { name: kind } = error instanceof Error ? error : { name: '' };
  return { NoHostError: 3, StoppedError: 4, AwayStoreError: 75 }[kind] ?? 1;
}

/** Commands that do more than print end in their own way if nobody takes their output. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (process.stdout.listenerCount('error') > 1) return;
  // A reader that closes the pipe, such as `head`, has read enough.
  if (error.code === 'EPIPE') process.exit(0);
  void endWithoutOutput(error.message);
});

/** Node crashes when it restores a closed terminal. The signal is the usual end of such a process. */
const terminals = [0, 1, 2].filter((each) => isatty(each));
process.on('exit', () => {
  if (!terminals.some(isClosedTerminal)) return;
  process.removeAllListeners('SIGHUP');
  process.kill(process.pid, 'SIGHUP');
});

/** The descriptor itself is still open. */
function isClosedTerminal(descriptor: number): boolean {
  try {
    return !isatty(descriptor) && fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

void main()
  .catch(async (error: unknown) => {
    // What a failed command has left open must not keep the process alive.
    setTimeout(() => process.exit(), exitTime).unref();
    if (!isWrongUsage(error)) {
      const { fileErrorText } = await import('../io/files/fileProblem.ts');
      await complain(fileErrorText(error));
      return codeOf(error);
    }
    const { clearer } = await import('./suggest.ts');
    return complain(clearer(errorText(error), name.startsWith('-') ? '' : name));
  })
  .then((code) => (process.exitCode = code));
