// A command as one line of text, with its arguments and environment: what policy judges and people approve.
import { isHarmlessVariable } from '../../../host/policy/harmlessVariables.ts';

export interface ProgramStart {
  /** Without arguments it is a line for a shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

/** A line that starts the same program. Variables that cannot change what runs are left out. */
export function commandText({ command, args, env }: ProgramStart): string {
  const line = args.length === 0 ? command : wordsText([command, ...args]);
  const variables = env.filter(({ name, value }) => !isHarmlessVariable(name, value));
  if (variables.length === 0) return line;
  const words = variables.map(({ name, value }) => shellQuoted(`${name}=${value}`)).join(' ');
  // The variables are those of the whole line, not of its first command.
  return `env ${words} ${args.length === 0 ? `sh -c ${shellQuoted(command)}` : line}`;
}

/** A program with its arguments. A shell would read a name such as `A=1` as a variable. */
export function wordsText([program = '', ...args]: readonly string[]): string {
  const name = program.includes('=') ? quoted(program) : shellQuoted(program);
  return [name, ...args.map(shellQuoted)].join(' ');
}

/** A word as a shell must read it to get it back. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quoted(word);
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Whether two lines run the same: agents wrap an approved line into a shell, or take it out of one. */
export function isSameCommand(line: string, other: string): boolean {
  const [a, b] = [line.trim(), other.trim()];
  return a !== '' && b !== '' && (a === b || wrapped(a).has(b) || wrapped(b).has(a));
}

function wrapped(line: string): ReadonlySet<string> {
  return new Set(
    shells.flatMap((shell) => shellOptions.map((options) => `${shell} ${options} ${shellQuoted(line)}`)),
  );
}

/** A shell with another path may be a program of the workspace. */
const shells = ['', '/bin/', '/usr/bin/', '/usr/local/bin/'].flatMap((folder) =>
  ['sh', 'bash', 'zsh', 'dash'].map((name) => `${folder}${name}`),
);
const shellOptions = ['-c', '-lc', '-l -c'];
