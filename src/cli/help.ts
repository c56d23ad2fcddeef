// Help texts, made from the table of commands. They fit a terminal of 80 columns.
import { cliCommands } from './commands.ts';

const width = 80;

export function overview(): string {
  const rows = Object.entries(cliCommands).map(
    ([name, { summary }]) => [`parley ${name}`.trim(), summary] as const,
  );
  return [
    'Parley: one local host for coding-agent sessions, shared by every editor.',
    '',
    'Usage:',
    ...columns(rows),
    '',
    'Run parley COMMAND --help for details, parley --version for the version.',
    ...exitCodes,
  ].join('\n');
}

export function helpOf(name: string): string {
  const command = cliCommands[name.startsWith('-') ? '' : name] ?? cliCommands[''];
  if (!command) return overview();
  const options = command.options.length > 0 ? ['', 'Options:', ...columns(command.options)] : [];
  const [first, ...more] = wrap(command.usage, width - usageLabel.length);
  return [
    `${usageLabel}${first}`,
    ...more.map((line) => `${' '.repeat(usageLabel.length)}${line}`),
    '',
    `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`,
    ...options,
    '',
    ...exitCodes,
  ].join('\n');
}

const usageLabel = 'Usage: ';

const exitCodes = wrap(
  'Exit codes: 0 success, 1 failure, 2 wrong usage, 3 no host or another host in the way, 4 ' +
    'stopped or denied.',
  width,
);

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

function wrap(text: string, limit: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > limit) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
