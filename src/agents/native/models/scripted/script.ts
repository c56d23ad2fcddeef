// The script of the scripted model: its steps, how they are read from a file, and how a message is read as one. Plays nothing.
import { errorText } from '../../../../base/errorText.ts';
import { isRecord } from '../../../../base/isRecord.ts';
import type { Json } from '../../../../model/event.ts';
import type { ModelPart, ModelUsage } from '../../model.ts';

export interface Rule {
  readonly when?: string;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly text: string; readonly split?: number }
  | { readonly chunks: number; readonly text?: string }
  | { readonly reasoning: string; readonly split?: number }
  | ToolStep
  | { readonly tools: readonly ToolStep[] }
  | { readonly pause: number }
  | { readonly usage: ModelUsage }
  | { readonly fail: { readonly code: string; readonly message: string; readonly retryable?: boolean } }
  | { readonly finish: Extract<ModelPart, { type: 'finish' }>['reason'] }
  | { readonly hang: true };

export interface ToolStep {
  readonly tool: string;
  readonly input?: Json;
  readonly raw?: string;
  readonly deltas?: number;
  readonly id?: string;
}

/** The rules in the text of a script, or what is wrong with it in words for whoever wrote it. */
export function parseScript(
  text: string,
): { readonly rules: readonly Rule[] } | { readonly problem: string } {
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

export function stepsOf(rules: readonly Rule[], message: string): readonly Step[] {
  return rules.find(({ when }) => when === undefined || occurs(when, message))?.steps ?? directives(message);
}

function occurs(when: string, message: string): boolean {
  const pattern = /^\/(.+)\/([a-z]*)$/s.exec(when);
  return pattern ? new RegExp(pattern[1] ?? '', pattern[2]).test(message) : message.includes(when);
}

/** A message as a script. */
function directives(message: string): readonly Step[] {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  if (!lines.some((line) => directive(line)))
    return [{ text: message === '' ? 'Nothing was said.' : `You said: ${message}` }];
  const steps: Step[] = [];
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

function directive(line: string): readonly Step[] | undefined {
  const [, verb = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line) ?? [];
  const [, first = '', more = ''] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
  const number = /^\d+$/.test(first) ? Number(first) : undefined;
  if (verb === 'say' && rest) return [{ text: `${rest}\n` }];
  if (verb === 'reason' && rest) return [{ reasoning: rest }];
  if (verb === 'stream' && number !== undefined)
    return [{ chunks: number, ...(more ? { text: `${more} ` } : {}) }];
  if (verb === 'pause' && number !== undefined && !more) return [{ pause: number }];
  if (verb === 'usage' && number !== undefined && /^\d+$/.test(more))
    return [{ usage: { input: number, output: Number(more) } }];
  if (verb === 'tool' && first) return [{ tools: [call(first, more)] }, { text: `${first}: {{status}}.\n` }];
  if (verb === 'fail')
    return [{ fail: { code: first || 'scripted', message: more || 'The script says so.' } }];
  const reason = reasons.find((known) => known === rest);
  if (verb === 'finish' && reason) return [{ finish: reason }];
  return verb === 'hang' && !rest ? [{ hang: true }] : undefined;
}

function call(tool: string, input: string): ToolStep {
  return { tool, raw: input === '' ? '{}' : input };
}

function isRule(value: unknown): value is Rule {
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

/** What each kind of step must hold, and what it may. */
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

function isStep(value: unknown): value is Step {
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
