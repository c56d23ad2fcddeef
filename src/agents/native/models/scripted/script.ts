// The script of the scripted model: its steps, and how they are parsed from a file or from a message.
import { errorText } from '../../../../base/errorText.ts';
import { isRecord } from '../../../../base/isRecord.ts';
import type { Json } from '../../../../model/event.ts';
import type { ModelPart, ModelUsage } from '../../model.ts';

export interface ScriptRule {
  readonly when?: string;
  readonly steps: readonly ScriptStep[];
}

export type ScriptStep =
  | { readonly text: string; readonly split?: number }
  | { readonly chunks: number; readonly text?: string }
  | { readonly reasoning: string; readonly split?: number }
  | ScriptToolStep
  | { readonly tools: readonly ScriptToolStep[] }
  | { readonly pause: number }
  | { readonly usage: ModelUsage }
  | { readonly fail: { readonly code: string; readonly message: string; readonly retryable?: boolean } }
  | { readonly finish: Extract<ModelPart, { type: 'finish' }>['reason'] }
  | { readonly hang: true };

export interface ScriptToolStep {
  readonly tool: string;
  readonly input?: Json;
  readonly raw?: string;
  readonly deltas?: number;
  readonly id?: string;
}

/** The rules of a script, or what is wrong with it. */
export function parseScript(
  text: string,
): { readonly rules: readonly ScriptRule[] } | { readonly problem: string } {
  try {
    const rules: unknown = JSON.parse(text);
    if (!Array.isArray(rules)) return { problem: 'A script is a list of rules.' };
    const wrong = rules.findIndex((rule) => !isRule(rule));
    return wrong < 0
      ? { rules: rules.filter(isRule) }
      : {
          problem: `Rule ${wrong + 1} of the script is not one: ${JSON.stringify(rules[wrong]).slice(0, 200)}`,
        };
  } catch (error) {
    return { problem: `The script is not JSON: ${errorText(error, '')}` };
  }
}

export function stepsOf(rules: readonly ScriptRule[], message: string): readonly ScriptStep[] {
  return rules.find(({ when }) => when === undefined || occurs(when, message))?.steps ?? directives(message);
}

function occurs(when: string, message: string): boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(when);
  return pattern ? new RegExp(pattern[1] ?? '', pattern[2]).test(message) : message.includes(when);
}

/** A message as a script. */
function directives(message: string): readonly ScriptStep[] {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (!lines.some((line) => directive(line)))
    return [{ text: message === '' ? 'Nothing was said.' : `You said: ${message}` }];
  const steps: ScriptStep[] = [];
  for (const line of lines) {
    const more = /^also (\S+)\s*(.*)$/s.exec(line);
    const last = steps.findLastIndex((step) => 'tools' in step);
    const before = steps[last];
    if (more && before && 'tools' in before)
      steps[last] = { tools: [...before.tools, call(more[1] ?? '', more[2] ?? '')] };
    else steps.push(...(directive(line) ?? [{ text: `${line}\n` }]));
  }
  return steps;
}

const reasons = ['stop', 'calls', 'length', 'refusal'] as const;

/** The arguments of a directive: all of them, the first word, and the rest. */
interface DirectiveArguments {
  readonly all: string;
  readonly first: string;
  readonly rest: string;
  /** The first word as a number, if it is one. */
  readonly count: number | undefined;
}

/** The steps of each directive; undefined if its arguments are wrong. */
const directiveSteps: {
  readonly [verb: string]: (words: DirectiveArguments) => readonly ScriptStep[] | undefined;
} = {
  say: ({ all }) => (all ? [{ text: `${all}\n` }] : undefined),
  reason: ({ all }) => (all ? [{ reasoning: all }] : undefined),
  stream: ({ count, rest }) =>
    count === undefined ? undefined : [{ chunks: count, ...(rest ? { text: `${rest} ` } : {}) }],
  pause: ({ count, rest }) => (count === undefined || rest ? undefined : [{ pause: count }]),
  usage: ({ count, rest }) =>
    count === undefined || !isCount(rest) ? undefined : [{ usage: { input: count, output: Number(rest) } }],
  tool: ({ first, rest }) =>
    first ? [{ tools: [call(first, rest)] }, { text: `${first}: {{status}}.\n` }] : undefined,
  fail: ({ first, rest }) => [
    { fail: { code: first || 'scripted', message: rest || 'The script says so.' } },
  ],
  finish: ({ all }) => {
    const reason = reasons.find((each) => each === all);
    return reason && [{ finish: reason }];
  },
  hang: ({ all }) => (all ? undefined : [{ hang: true }]),
};

/** The steps of a line; undefined if it is not a directive. */
function directive(line: string): readonly ScriptStep[] | undefined {
  const [, verb = '', all = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const [, first = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(all) ?? [];
  if (!Object.hasOwn(directiveSteps, verb)) return undefined;
  return directiveSteps[verb]?.({ all, first, rest, count: isCount(first) ? Number(first) : undefined });
}

function isCount(word: string): boolean {
  return /^\d+$/.test(word);
}

function call(tool: string, input: string): ScriptToolStep {
  return { tool, raw: input === '' ? '{}' : input };
}

function isRule(value: unknown): value is ScriptRule {
  return (
    isRecord(value) &&
    fits(value, { steps: 'list' }, { when: 'string' }) &&
    Array.isArray(value['steps']) &&
    value['steps'].every(isStep) &&
    compiles(value['when'])
  );
}

function compiles(when: unknown): boolean {
  try {
    return when === undefined || (typeof when === 'string' && typeof occurs(when, '') === 'boolean');
  } catch {
    return false;
  }
}

type Kind = 'string' | 'number' | 'boolean' | 'record' | 'list' | 'any';
type Shape = { readonly [key: string]: Kind };

/** The required and optional fields of each kind of step. */
const shapes: readonly (readonly [must: Shape, may: Shape])[] = [
  [{ text: 'string' }, { split: 'number' }],
  [{ chunks: 'number' }, { text: 'string' }],
  [{ reasoning: 'string' }, { split: 'number' }],
  [{ tool: 'string' }, { input: 'any', raw: 'string', deltas: 'number', id: 'string' }],
  [{ tools: 'list' }, {}],
  [{ pause: 'number' }, {}],
  [{ usage: 'record' }, {}],
  [{ fail: 'record' }, {}],
  [{ finish: 'string' }, {}],
  [{ hang: 'boolean' }, {}],
];

function isStep(value: unknown): value is ScriptStep {
  if (!isRecord(value) || !shapes.some(([must, may]) => fits(value, must, may))) return false;
  const { tools, fail, finish, usage } = value;
  if (Array.isArray(tools)) return tools.every((each) => isRecord(each) && isStep(each) && 'tool' in each);
  if (isRecord(fail)) return fits(fail, { code: 'string', message: 'string' }, { retryable: 'boolean' });
  if (isRecord(usage)) return Object.values(usage).every((count) => typeof count === 'number');
  return finish === undefined || reasons.some((reason) => reason === finish);
}

function fits(value: { readonly [key: string]: unknown }, must: Shape, may: Shape): boolean {
  const allowed: Shape = { ...may, ...must };
  return (
    Object.keys(must).every((key) => key in value) &&
    Object.entries(value).every(([key, each]) => isKind(each, allowed[key]))
  );
}

function isKind(value: unknown, kind: Kind | undefined): boolean {
  if (kind === 'any') return true;
  if (kind === 'list') return Array.isArray(value);
  return kind === 'record' ? isRecord(value) : typeof value === kind;
}
