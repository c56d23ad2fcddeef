// The answers to an approval: for one call, this session, this folder or everywhere, each with the rule that
// it adds. Pure.
import { below } from '../../base/paths.ts';
import { visibleText } from '../../base/visibleText.ts';
import { matchOf } from '../../model/decideAsk.ts';
import type { AskOption, RuleProposal } from '../../model/event.ts';
import { rememberLine } from '../policy/judgeCommand.ts';
import type { ToolIntent, ToolRequest } from '../policy/toolRequest.ts';
import { rulesInWords } from './ruleWords.ts';

const once: AskOption = { id: 'allow', label: 'Allow once', effect: 'allow' };
const session: AskOption = {
  id: 'allow-session',
  label: 'Allow for this session',
  effect: 'allow-session',
};
const further: readonly AskOption[] = [
  { id: 'allow-folder', label: 'Allow in this folder', effect: 'allow-folder' },
  { id: 'allow-always', label: 'Allow everywhere', effect: 'allow-always' },
];
const deny: AskOption = { id: 'deny', label: 'Deny', effect: 'deny' };

export interface AskedAnswers {
  /** The options of an external agent; absent means ours. */
  readonly given: readonly AskOption[] | undefined;
  /** The rules of a lasting answer; undefined if there can be none. */
  readonly rules: readonly RuleProposal[] | undefined;
  readonly folders: readonly string[];
}

/**
 * The options that people get. An agent that offers "always" gets our scopes beside it: we store the rule,
 * and the agent learns that this call is allowed.
 */
export function answerOptions({ given, rules, folders }: AskedAnswers): readonly AskOption[] {
  if (!rules) return given ? withoutMemory(given) : [once, deny];
  const offered = given ? withScopes(given) : [once, session, ...further, deny];
  const rule = rulesInWords(rules);
  return offered.map((option) => {
    const says = consequence(option.effect, rule, folders);
    return says === undefined ? option : { ...option, rule, says };
  });
}

/** What an agent remembers by itself is nothing that we can promise or prevent. */
function withoutMemory(given: readonly AskOption[]): readonly AskOption[] {
  const short = given.filter(({ effect }) => effect !== 'allow-session');
  if (short.some(({ effect }) => effect === 'allow')) return short;
  return given.map((option) =>
    option.effect === 'allow-session'
      ? { ...option, label: 'Allow, and the agent may remember it', effect: 'allow' }
      : option,
  );
}

function withScopes(given: readonly AskOption[]): readonly AskOption[] {
  const at = given.findIndex(({ effect }) => effect === 'allow-session');
  const isTaken = further.some(({ id }) => given.some((option) => option.id === id));
  return at < 0 || isTaken ? given : [...given.slice(0, at + 1), ...further, ...given.slice(at + 1)];
}

function consequence(
  effect: AskOption['effect'],
  rule: string,
  folders: readonly string[],
): string | undefined {
  if (effect === 'allow-session') return `Not asked again in this session: ${rule}. Nothing is saved.`;
  if (effect === 'allow-folder')
    return `Saves a rule for ${folders.map(visibleText).join(' and ')}. Not asked again there: ${rule}.`;
  if (effect === 'allow-always')
    return `Saves a rule for every folder on this computer. Not asked again anywhere: ${rule}.`;
  return effect === 'deny-always' ? `Saves a rule for every folder. Always denied: ${rule}.` : undefined;
}

/**
 * The rules that a lasting answer adds; undefined if there can be none. A command that is fully parsed is
 * remembered by its pattern, any other literally. Changes of files are remembered by their paths.
 */
export function proposedRules(
  intent: ToolIntent,
  { remember }: Pick<ToolRequest, 'remember'>,
  roots: readonly string[],
): readonly RuleProposal[] | undefined {
  const { name: tool, toolKind, line, command: text, written, definition } = intent;
  if (remember) return [{ tool, ...remember }];
  if (definition !== undefined) return [{ tool, definition }];
  if (written) return [{ tool }];
  if (text !== undefined) {
    const keys = line && rememberLine(line);
    return keys ? keys.map((command) => ({ tool, command })) : [{ tool, match: text }];
  }
  if (toolKind !== 'edit' && toolKind !== 'delete' && toolKind !== 'move')
    return [{ tool, ...matchOf(intent.input) }];
  const paths = [...new Set(intent.paths.map((path) => pathPattern(path, toolKind, roots)))];
  const isPlain = paths.every((path) => !/[*?]/.test(path.replace(/\/\*\*$/, '')));
  return paths.length > 0 && isPlain ? [{ tool: `@${toolKind}`, paths }] : undefined;
}

/**
 * The folder of an edited file, so that its neighbours need no further question; the file itself if it lies
 * directly in the workspace, or if it is deleted or moved.
 */
function pathPattern(path: string, kind: string, roots: readonly string[]): string {
  const inside = roots.flatMap((root) => below(root, path) ?? [])[0] ?? path;
  const folder = inside.replace(/\/[^/]*$/, '');
  return kind === 'edit' && folder !== inside && folder !== '' ? `${folder}/**` : inside;
}
