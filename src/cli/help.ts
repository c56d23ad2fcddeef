// Help texts, made from the table of commands. They fit a terminal of 80 columns.
import { cliCommands, commandGroups } from './commands.ts';
import { examples } from './examples.ts';

const width = 80;

export function overview(): string {
  const nameWidth = Math.max(...Object.keys(cliCommands).map((name) => name.length)) + 2;
  const groups = Object.entries(commandGroups).flatMap(([group, title]) => [
    '',
    `${title}:`,
    ...Object.entries(cliCommands)
      .filter(([, command]) => command.group === group)
      .map(([name, { summary }]) => `  ${(name || '(none)').padEnd(nameWidth)}${summary}`),
  ]);
  return [
    'Parley: one local host for coding-agent sessions, shared by every editor.',
    '',
    'Usage: parley [COMMAND]',
    ...groups,
    '',
    'Run parley COMMAND --help for details, parley --version for the version.',
    ...exitCodes,
  ].join('\n');
}

export function helpOf(name: string): string {
  const key = name.startsWith('-') ? '' : name;
  const command = cliCommands[key];
  if (!command) return overview();
  const room = width - usageLabel.length;
  const [first, ...more] = wrap(command.usage, room, usageParts(command.usage, room));
  return [
    `${usageLabel}${first}`,
    ...more.map((line) => `${' '.repeat(usageLabel.length)}${line}`),
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    ...section('Options:', columns(command.options)),
    ...section('Examples:', (examples[key] ?? []).flatMap(exampleLines)),
    '',
    ...exitCodes,
  ].join('\n');
}

const usageLabel = 'Usage: ';

/** What is in brackets stays on one line, where it fits on one. */
function usageParts(usage: string, limit: number): readonly string[] {
  const parts = usage.match(/\[[^\]]*\]\S*|\S+/g) ?? [];
  return parts.flatMap((part) => (part.length > limit ? part.split(' ') : [part]));
}

const exitCodes = wrap(
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no host or another host in the way, 4 ' +
    'stopped or denied. A run also ends with 5 steps, 6 budget, 7 refusal, 8 time, 9 length.',
  width,
);

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}

function exampleLines([command, meaning]: readonly [string, string]): readonly string[] {
  return [`  ${command}`, `      ${meaning}`];
}

/** Two columns. A long left cell stands on its own line. */
function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const left = Math.min(Math.max(...rows.map(([cell]) => cell.length)), 24) + 2;
  return rows.flatMap(([cell, text]) => {
    const lines = wrap(text, width - left - 2);
    const indented = lines.map((line) => `  ${' '.repeat(left)}${line}`);
    return cell.length > left - 2
      ? [`  ${cell}`, ...indented]
      : [`  ${cell.padEnd(left)}${lines[0] ?? ''}`, ...indented.slice(1)];
  });
}

function wrap(text: string, limit: number, words: readonly string[] = text.split(' ')): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    if (line !== '' && line.length + 1 + word.length > limit) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
