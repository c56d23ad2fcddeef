// A rule in words, for people who decide about it or look at what they decided. Pure.
import { visibleText } from '../../base/visibleText.ts';
import type { RuleProposal } from '../../model/event.ts';

/** Several rules of one answer, as a list. */
export function rulesInWords(rules: readonly RuleProposal[]): string {
  const all = [...new Set(rules.map(ruleInWords))];
  const last = all.at(-1) ?? 'this call';
  return all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${last}` : last;
}

/** What a rule is about, as a noun: `commands that begin with "npm test"`. */
export function ruleInWords({
  tool,
  match,
  command,
  paths,
  args,
  host: to,
  definition,
}: RuleProposal): string {
  if (to !== undefined) return `connections of confined programs to ${visibleText(to)}`;
  if (match !== undefined) return `exactly the command ${quoted(match)}`;
  if (command) return commandInWords(command);
  if (paths) return `${doing[tool] ?? `calls of ${visibleText(tool)} on`} ${pathsInWords(paths)}`;
  const host = args && hostIn(args);
  if (host !== undefined) return `requests of ${visibleText(tool)} to ${host}`;
  if (args) return `calls of ${visibleText(tool)} with arguments like ${quoted(JSON.stringify(args))}`;
  if (definition !== undefined)
    return `every call of ${visibleText(tool)}, while its description stays the same`;
  return everything[tool] ?? `every call of ${visibleText(tool)}`;
}

const doing: { readonly [tool: string]: string } = {
  '@edit': 'edits of',
  '@delete': 'deletions of',
  '@move': 'moves of',
};

const everything: { readonly [tool: string]: string } = {
  '*': 'every call of every tool',
  '@edit': 'every edit',
  '@execute': 'every command',
};

function commandInWords(command: readonly string[]): string {
  if (command.at(-1) !== '*') return `the command ${quoted(command.join(' '))}`;
  const fixed = command.slice(0, -1);
  return fixed.length === 0 ? 'every command' : `commands that begin with ${quoted(fixed.join(' '))}`;
}

function pathsInWords(paths: readonly string[]): string {
  return paths.map((path) => visibleText(path.replace(/\/\*\*$/, '/ and below'))).join(', ');
}

/** The host of a rule that a lasting answer about a page makes. */
function hostIn({ url = '' }: { readonly [name: string]: string }): string | undefined {
  const [, host] = /^https\?:\/\/((?:[\w-]|\\\.)+)\(\?::\\d\+\)\?\/\.\*$/.exec(url) ?? [];
  return host?.replaceAll('\\.', '.');
}

function quoted(text: string): string {
  return `"${visibleText(text)}"`;
}
