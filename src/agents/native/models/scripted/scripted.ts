// A model that plays a script, for tests and demonstrations. It needs no key and no network, and its
// answers are deterministic.
//
// A script is a list of rules: [{ "when": "text" or "/pattern/flags", "steps": [...] }, ...]. The
// first rule whose `when` occurs in the message that began the turn applies; a rule without `when`
// always matches. Steps:
//   { "text": "Hello", "split": 3 }                     text, in that many pieces (default: one per word)
//   { "chunks": 5000, "text": "x " }                    the same piece that many times, at full speed
//   { "reasoning": "Hm.", "split": 2 }                  reasoning
//   { "tool": "read_file", "input": { "path": "a" } }   a call; "deltas": the number of argument pieces,
//                                                       "raw": arguments that need not be JSON, "id": the
//                                                       id of the call. Later steps follow its result.
//   { "tools": [{ "tool": ... }, ...] }                 several calls in one answer
//   { "pause": 50 }                                     a pause in milliseconds
//   { "usage": { "input": 10, "output": 5 } }           tokens used
//   { "fail": { "code": "auth", "message": "No." } }    the provider fails; "retryable" is optional
//   { "finish": "length" }                              the answer ends here for that reason
//   { "hang": true }                                    nothing more until the turn is stopped
// In every text {{workspace}} is the first folder, {{status}} and {{result}} are those of the last call.
//
// If no rule matches, the message itself is the script, one directive per line; other lines
// are repeated as text:
//   say WORDS          stream COUNT [PIECE]     reason WORDS      pause MILLISECONDS     usage INPUT OUTPUT
//   tool NAME JSON     also NAME JSON           fail [CODE] [WORDS]    finish REASON     hang
// `tool` ends with a sentence about the status of the call; `also` adds a call to the one above it. A
// message without any directive is repeated as the answer. A steering message is acknowledged before
// the script continues. A summary of the conversation says how far the script is, and it continues there.
import { onAbort } from '../../../../base/waiting.ts';
import type { Json } from '../../../../model/event.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../../model.ts';
import { compactChat } from '../../tools/conversation/compactChat.ts';
import type { Sleep } from '../../../../base/waiting.ts';
import { pieces } from './pieces.ts';
import { asksForSummary, progressOf, summaryOf, textOf } from './progress.ts';
import type { ScriptProgress } from './progress.ts';
import { stepsOf } from './script.ts';
import type { ScriptRule, ScriptStep, ScriptToolStep } from './script.ts';

export function scriptedModel({
  rules = [],
  sleep,
}: {
  rules?: readonly ScriptRule[];
  sleep: Sleep;
}): LanguageModel {
  return {
    id: 'scripted/scripted',
    name: 'Scripted',
    context: 100_000,
    output: 10_000,
    stream: (request) => play(request, rules, sleep),
  };
}

async function* play(
  request: ModelRequest,
  rules: readonly ScriptRule[],
  sleep: Sleep,
): AsyncGenerator<ModelPart> {
  const { progress, said } = progressOf(request);
  if (said && asksForSummary(said)) {
    yield* summarise(progress);
    return;
  }
  if (said) yield { type: 'text', text: `Steered: ${textOf(said)}\n` };
  const fill = filler(request, progress);
  for (const step of after(progress.calls, stepsOf(rules, textOf(request.messages[request.start])))) {
    if (request.signal.aborted) return;
    yield* perform(step, fill);
    if ('pause' in step) await sleep(step.pause, request.signal);
    if ('hang' in step) await aborted(request.signal);
    if ('fail' in step || 'finish' in step) return;
    if (!isCall(step)) continue;
    yield { type: 'finish', reason: 'calls' };
    return;
  }
  yield { type: 'finish', reason: 'stop' };
}

function* summarise(progress: ScriptProgress): Generator<ModelPart> {
  yield* call({ tool: compactChat.name, input: { summary: summaryOf(progress) } }, (text) => text);
  yield { type: 'finish', reason: 'calls' };
}

function* perform(step: ScriptStep, fill: (text: string) => string): Generator<ModelPart> {
  if ('chunks' in step)
    for (let count = 0; count < step.chunks; count += 1) yield { type: 'text', text: step.text ?? 'word ' };
  else if ('text' in step)
    for (const text of pieces(fill(step.text), step.split)) yield { type: 'text', text };
  else if ('reasoning' in step)
    for (const text of pieces(fill(step.reasoning), step.split)) yield { type: 'reasoning', text };
  else if ('tool' in step) yield* call(step, fill);
  else if ('tools' in step) for (const each of step.tools) yield* call(each, fill);
  else if ('usage' in step) yield { type: 'usage', usage: step.usage };
  else if ('fail' in step) yield { type: 'error', retryable: false, ...step.fail };
  else if ('finish' in step) yield { type: 'finish', reason: step.finish };
}

function* call(
  { tool: name, input = {}, raw, deltas = 2, id = '' }: ScriptToolStep,
  fill: (text: string) => string,
): Generator<ModelPart> {
  const text = raw === undefined ? JSON.stringify(fillValue(input, fill)) : fill(raw);
  yield { type: 'tool-start', id, name };
  for (const delta of pieces(text, deltas)) yield { type: 'tool-input', id, delta };
  yield { type: 'tool-call', id, name, input: text };
}

function fillValue(value: Json, fill: (text: string) => string): Json {
  if (typeof value === 'string') return fill(value);
  if (typeof value !== 'object' || value === null) return value;
  if (isList(value)) return value.map((each) => fillValue(each, fill));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, fillValue(each, fill)]));
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The steps after that many calls. */
function after(calls: number, steps: readonly ScriptStep[]): readonly ScriptStep[] {
  const ends = steps.flatMap((step, at) => (isCall(step) ? [at + 1] : []));
  return steps.slice(calls === 0 ? 0 : (ends[calls - 1] ?? steps.length));
}

function isCall(step: ScriptStep): boolean {
  return 'tool' in step || 'tools' in step;
}

function filler({ roots }: ModelRequest, { last }: ScriptProgress): (text: string) => string {
  const values: { readonly [name: string]: string | undefined } = {
    workspace: roots[0] ?? '',
    status: last?.status ?? 'none',
    result: last?.text ?? '',
  };
  return (text) => text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => values[name] ?? mark);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve);
  });
}
