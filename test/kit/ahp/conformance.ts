// Runs conformance cases of any known form against the reducers, the codecs and the
// negotiation. It reads no files.
import { diff } from '../../../src/protocols/ahp/difference.ts';
import { chooseVersion } from '../../../src/protocols/ahp/negotiate.ts';
import { reducers as newestReducers } from '../../../src/protocols/ahp/v1_0/reduce.ts';
import { roundTrip } from './v1_0/roundTrip.ts';
import { reducers as v1Reducers } from './integer1/reduce.ts';

/** The ranges that the public negotiation cases assume. */
const publishedBaselines = ['1.0.0', '0.9.0'];

export interface CaseResult {
  readonly name: string;
  /** Empty when the case holds. */
  readonly problems: readonly string[];
}

/**
 * What a file is: cases with their results, something that is not meant as a case, or
 * something nobody can run.
 */
export type FileResult =
  | { readonly kind: 'cases'; readonly results: readonly CaseResult[] }
  | { readonly kind: 'noCases' }
  | { readonly kind: 'unknownForm' };

/** The path only helps where the content of a case fits both dialects. */
export function runFile(content: unknown, path: string): FileResult {
  if (Array.isArray(content)) {
    return { kind: 'cases', results: content.flatMap((entry, index) => runEntry(entry, `${path}#${index}`)) };
  }
  if (!isRecord(content)) return { kind: 'unknownForm' };
  if ('$schema' in content || '$defs' in content) return { kind: 'noCases' };
  if (Array.isArray(content.cases)) {
    const baselines = isTextList(content.baselines) ? content.baselines : publishedBaselines;
    return { kind: 'cases', results: content.cases.map((entry) => runNegotiation(entry, { baselines })) };
  }
  return formOf(content) === undefined
    ? { kind: 'unknownForm' }
    : { kind: 'cases', results: runEntry(content, path) };
}

type Entry = Readonly<Record<string, unknown>>;

function runEntry(entry: unknown, path: string): CaseResult[] {
  const form = isRecord(entry) ? formOf(entry) : undefined;
  if (!isRecord(entry) || form === undefined)
    return [{ name: path, problems: ['not a case of a known form'] }];
  const name = titleOf(entry, path);
  try {
    return [{ ...form(entry, path), name }];
  } catch (error) {
    return [{ name, problems: [`threw ${String(error)}`] }];
  }
}

function formOf(entry: Entry): ((entry: Entry, path: string) => CaseResult) | undefined {
  if (typeof entry.reducer === 'string' && Array.isArray(entry.actions)) return runReducer;
  if (typeof entry.type === 'string' && Array.isArray(entry.acceptableOutputs)) return runRoundTrip;
  if (Array.isArray(entry.offered))
    return (offer) => runNegotiation(offer, { baselines: publishedBaselines });
  return undefined;
}

function titleOf(entry: Entry, path: string): string {
  const title = entry.description ?? entry.name;
  return typeof title === 'string' ? `${path}: ${title}` : path;
}

/** The clock of cases whose reducers read one. */
const fixedNow = 9999;

/**
 * In these files null means absent. States and actions are frozen, so a reducer that writes
 * to them is found out.
 */
function runReducer(entry: Entry, path: string): CaseResult {
  const given = freeze(withoutNulls(entry));
  if (!isRecord(given) || !Array.isArray(given.actions))
    return { name: path, problems: ['not a case of a known form'] };
  const { reducer, initial, actions, expected } = given;
  const dialect = dialectOf({ reducer, initial, actions, expected }, path);
  const reduce: unknown = Reflect.get(dialect === 'v1' ? v1Reducers : newestReducers, String(reducer));
  if (typeof reduce !== 'function')
    return { name: path, problems: [`${dialect} has no reducer called ${String(reducer)}`] };
  let state = initial;
  for (const action of actions) state = Reflect.apply(reduce, undefined, [state, action, fixedNow]);
  return { name: path, problems: diff(expected, JSON.parse(JSON.stringify(state))) };
}

interface ReducerCase {
  readonly reducer: unknown;
  readonly initial: unknown;
  readonly actions: unknown;
  readonly expected: unknown;
}

/** Version 1 names the session or terminal inside every action and keeps a summary inside a session. */
function dialectOf({ reducer, initial, actions, expected }: ReducerCase, path: string): 'v1' | 'newest' {
  const has = (value: unknown, key: string): boolean => isRecord(value) && key in value;
  const inActions = (key: string): boolean =>
    Array.isArray(actions) && actions.some((action) => has(action, key));
  if (reducer === 'session') {
    if (has(initial, 'summary') || has(expected, 'summary')) return 'v1';
    if (has(initial, 'status') || has(initial, 'chats')) return 'newest';
    return inActions('session') ? 'v1' : hintOf(path);
  }
  if (reducer === 'terminal') {
    if (inActions('terminal') || has(initial, 'exitCode') || has(expected, 'exitCode')) return 'v1';
    return has(initial, 'lifecycle') || has(expected, 'lifecycle') ? 'newest' : hintOf(path);
  }
  return reducer === 'root' ? hintOf(path) : 'newest';
}

function hintOf(path: string): 'v1' | 'newest' {
  return path.split(/[/\\]/).includes('v1') ? 'v1' : 'newest';
}

/**
 * Here null and absent differ. A case that allows for codecs which keep unknown fields
 * says what they must emit.
 */
function runRoundTrip(entry: Entry, path: string): CaseResult {
  const result = roundTrip(String(entry.type), freeze(entry.input));
  if ('problem' in result) return { name: path, problems: [result.problem] };
  const listed: readonly unknown[] = Array.isArray(entry.acceptableOutputs) ? entry.acceptableOutputs : [];
  const acceptable = 'preservedOutput' in entry ? [entry.preservedOutput] : listed;
  const output: unknown = JSON.parse(JSON.stringify(result.output));
  const differences = acceptable.map((expected) => diff(expected, output));
  if (differences.some((problems) => problems.length === 0)) return { name: path, problems: [] };
  return { name: path, problems: differences[0] ?? ['no output is acceptable'] };
}

/** Expected is the chosen version, null for a refusal of all versions, and "error" for invalid params. */
function runNegotiation(entry: unknown, options: { readonly baselines: readonly string[] }): CaseResult {
  if (!isRecord(entry) || !Array.isArray(entry.offered)) {
    return { name: 'negotiation', problems: ['not a case of a known form'] };
  }
  const chosen = chooseVersion(entry.offered, options);
  const answers = { invalidParams: 'error', unsupportedVersion: null } as const;
  const actual = 'refused' in chosen ? answers[chosen.refused] : chosen.version;
  return { name: `negotiation: ${String(entry.name)}`, problems: diff(entry.expected, actual) };
}

function isRecord(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutNulls(member)]));
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
