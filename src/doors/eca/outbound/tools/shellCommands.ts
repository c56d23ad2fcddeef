// Splits a command line into its commands for display. It has no influence on permissions.
import { approvalKey, isWrapper } from '../../../../host/policy/knownPrograms.ts';
import type { ShellCommand } from '../../../../protocols/eca/messages.ts';

/**
 * "Approve and remember" stores each command by its key. A command that runs other programs or writes files
 * has no key, so it always asks. A line with substitutions or open quotes is not split.
 */
export function shellCommands(
  line: string,
  isRemembered: (key: readonly string[]) => boolean = () => false,
): readonly ShellCommand[] {
  const commands = hidesCommands.test(line) ? undefined : split(line);
  if (!commands || commands.length === 0) return [{ command: line, args: [] }];
  return commands.map((words) => {
    const [command = '', ...args] = words;
    if (isWrapper(command) || words.some((word) => writes.test(word))) return { command, args };
    const key = approvalKey(words);
    return {
      command,
      args,
      approvalKey: key.filter((word, at) => word !== '*' || at < key.length - 1).join(' '),
      remembered: isRemembered(key),
    };
  });
}

const writes = /^\d*>(?!\/dev\/null$)/;

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
  return quoted.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, (part) =>
    part.startsWith('\\') ? part.slice(1) : part.slice(1, -1),
  );
}
