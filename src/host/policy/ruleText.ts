// Rules as people write and read them: a tool, `tool(argument)` or `$ command`.
import type { Rule } from '../../model/event.ts';
import { tryExpression, tryWhole } from './expression.ts';

/**
 * Tools of ours and of other agents whose argument is a command line; the argument of all others is a path.
 */
const shells: ReadonlySet<string> = new Set([
  '@execute',
  'shell_command',
  'git',
  'bash',
  'execute',
  'shell',
  'terminal',
  'exec',
  'exec_command',
  'execute_command',
  'local_shell',
  'run_command',
  'run_shell_command',
  'run_terminal_cmd',
  'run_in_terminal',
  'powershell',
]);

/** `shell_command(git log *)`, `write_file(src/**)`, `$ npm test`, `mcp__*`; undefined for any other text. */
export function parseRule(text: string): Pick<Rule, 'tool' | 'command' | 'paths'> | undefined {
  const line = /^\$\s+(.+)$/s.exec(text.trim())?.[1];
  if (line !== undefined) return withCommand('*', line);
  const [, tool, argument] = /^(@?[\w.*-]+)(?:\((.+)\))?$/s.exec(text.trim()) ?? [];
  if (tool === undefined) return undefined;
  if (argument === undefined) return { tool };
  return shells.has(tool.toLowerCase()) ? withCommand(tool, argument) : { tool, paths: [argument] };
}

/** Splits a command pattern into words; only quotes have a special meaning. */
export function patternWords(text: string): readonly string[] {
  return [...text.matchAll(/(?:"([^"]*)"|'([^']*)'|[^\s"']+)+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
}

function withCommand(tool: string, line: string): Pick<Rule, 'tool' | 'command'> | undefined {
  const command = patternWords(line);
  return command.length > 0 ? { tool, command } : undefined;
}

/** The rule as text: people read it in the log, models as the reason for a refusal. */
export function nameOfRule(rule: Omit<Rule, 'id'>): string {
  const narrowed =
    rule.match ??
    rule.command?.join(' ') ??
    rule.paths?.join(', ') ??
    (rule.args && JSON.stringify(rule.args));
  const restriction = narrowed === undefined ? '' : `: ${narrowed}`;
  const source = rule.source === undefined ? '' : ` (${rule.source})`;
  return `${rule.effect} ${rule.tool}${restriction}${source}`;
}

/**
 * A pattern that is too expensive to evaluate matches for a rule that denies and does not
 * for a rule that allows.
 */
export function matchesWhole(pattern: string, value: string | undefined, how: 'forbids' | 'allows'): boolean {
  if (value === undefined) return false;
  const fits = tryWhole(pattern, value);
  return typeof fits === 'boolean' ? fits : how === 'forbids';
}

/** Whether an expression matches any part of a text, or is too expensive to evaluate. */
export function matchesPart(pattern: string, value: string): boolean {
  return tryExpression(pattern, value) !== false;
}
