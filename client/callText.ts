// What the console and the terminal say alike about a call.
import { isRecord } from '../src/base/isRecord.ts';
import type { StringOrMarkdown } from '../src/protocols/ahp/v1_0/content.ts';
import type { ToolCallState } from '../src/protocols/ahp/v1_0/toolCall.ts';

/** Who allowed or denied the call; undefined where the host does not report it. */
export function decisionText({ _meta: ours }: ToolCallState): string | undefined {
  const { decidedBy, decision, effect } = ours ?? {};
  if (typeof decidedBy !== 'string') return undefined;
  return `${effectWords.get(effect) ?? capitalised(decision)} by ${decidedBy}`;
}

const effectWords: ReadonlyMap<unknown, string> = new Map([
  ['allow', 'Allowed once'],
  ['allow-session', 'Allowed for this session'],
  ['allow-folder', 'Allowed in this folder'],
  ['allow-always', 'Allowed everywhere'],
  ['deny', 'Denied'],
  ['deny-always', 'Always denied'],
]);

/** Without an option the host reports a word such as `withdrawn`. */
function capitalised(decision: unknown): string {
  if (typeof decision !== 'string') return 'Decided';
  return decision.charAt(0).toUpperCase() + decision.slice(1);
}

/** The title of a call for clients that say beside it who edited it. */
export function withoutEditor(title: StringOrMarkdown, { _meta: ours }: ToolCallState): StringOrMarkdown {
  const suffix = ` (edited by ${String(ours?.['editedBy'])})`;
  return typeof title === 'string' && title.endsWith(suffix) ? title.slice(0, -suffix.length) : title;
}

/** The limit in milliseconds that has ended the command of the call. */
export function timeLimitOf({ _meta: ours }: ToolCallState): number | undefined {
  const limit = ours?.['timeLimit'];
  return typeof limit === 'number' ? limit : undefined;
}

/** Whether the call ended with its turn, and keeps what it had printed. */
export function isStopped({ status, _meta: ours }: ToolCallState): boolean {
  return status === 'completed' && ours?.['stopped'] === true;
}

/** What went wrong, for people: without the code in capitals that a tool puts before it for the model. */
export function withoutCode(problem: string): string {
  const text = problem.replace(/^[A-Z]+(?:_[A-Z]+)+: (?=\S)/, '');
  return text === problem ? problem : capitalised(text);
}

/** How a call ran that ran a program; undefined where the host does not say so. */
export function sandboxText(told: unknown): string | undefined {
  if (!isRecord(told) || typeof told['confined'] !== 'boolean') return undefined;
  const { confined, network, because, allowedBy } = told;
  if (confined) return `inside the sandbox${networkTexts.get(network) ?? ''}`;
  if (typeof because === 'string') return `outside the sandbox (${reasons.get(because) ?? because})`;
  return `outside the sandbox${typeof allowedBy === 'string' ? `, allowed by ${allowedBy}` : ''}`;
}

const networkTexts: ReadonlyMap<unknown, string> = new Map([
  ['on', ', network on'],
  ['ask', ', network asked'],
]);

const reasons: ReadonlyMap<string, string> = new Map([
  ...['plan', 'ask', 'edits', 'full'].map((mode) => [mode, `permission mode ${mode}`] as const),
  ['unavailable', 'there is none here'],
  ['off', 'it is off for this agent'],
  ['server', 'a tool server'],
]);
