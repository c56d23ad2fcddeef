// Takes a command line apart for display: which commands it chains, with which words. Decides nothing about what may run.
import type { ShellCommand } from '../../protocols/eca/messages.ts';

/**
 * The host remembers a command line word for word, so the whole line is what "approve and remember" remembers, for each
 * command in it. A line with substitutions or open quotes is shown as it is.
 */
export function shellCommands(line: string): readonly ShellCommand[] {
  const commands = hidesCommands.test(line) ? undefined : split(line);
  if (!commands || commands.length === 0) return [{ command: line, args: [], approvalKey: line }];
  return commands.map(([command = '', ...args]) => ({ command, args, approvalKey: line }));
}

const hidesCommands = /`|\$\(|<\(|>\(|<</;
const operators = /^(?:&&|\|\||\|&|[;|&\n])/;
const word = /^(?:[^\s;|&'"\\]+|'[^']*'|"(?:[^"\\]|\\.)*"|\\.)+/s;

function split(line: string): string[][] | undefined {
  const commands: string[][] = [[]];
  let rest = line.trim();
  while (rest !== '') {
    const operator = operators.exec(rest)?.[0];
    const found = operator ?? word.exec(rest)?.[0];
    if (found === undefined) return undefined;
    if (operator === undefined) commands.at(-1)?.push(plain(found));
    else commands.push([]);
    rest = rest.slice(found.length).replace(/^[^\S\n]+/, '');
  }
  return commands.filter((command) => command.length > 0);
}

function plain(quoted: string): string {
  return quoted.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, (part) => (part.startsWith('\\') ? part.slice(1) : part.slice(1, -1)));
}
