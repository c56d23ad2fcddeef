// Help texts, made from the table of commands.
import { commands } from './commands.ts';

export function overview(): string {
  const rows = Object.values(commands).map(({ usage, summary }) => [usage, summary] as const);
  return [
    'Parley: one local host for coding-agent sessions, shared by every editor.',
    '',
    'Usage:',
    ...columns(rows),
    '',
    'parley COMMAND --help says more about one command. parley --version prints the version.',
    `Exit codes: ${exitCodes}.`,
  ].join('\n');
}

export function helpOf(name: string): string {
  const command = commands[name.startsWith('-') ? '' : name] ?? commands[''];
  if (!command) return overview();
  const options = command.options.length > 0 ? ['', 'Options:', ...columns(command.options)] : [];
  return [
    `Usage: ${command.usage}`,
    '',
    `${command.summary}.`,
    ...options,
    '',
    `Exit codes: ${exitCodes}.`,
  ].join('\n');
}

const exitCodes =
  '0 success, 1 failure, 2 wrong usage, 3 no host or another host in the way, 4 stopped, or something was refused';

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
}
