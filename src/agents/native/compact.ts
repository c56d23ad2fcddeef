// Summarises a conversation so that it can go on in a fresh context: a model call of its own, shown as a call of `compact_chat`, then a mark in the log.
// Nothing is deleted: rolling back to before the mark brings everything back.
import type { TurnContext } from '../../host/agent.ts';
import type { Ids } from '../../host/ports.ts';
import type { Problem } from '../../model/event.ts';
import type { Failure } from './answer.ts';
import { parseInput } from './callTool.ts';
import type { LanguageModel, ModelError, ModelRequest } from './model.ts';
import { planFor } from './patience.ts';
import { shortened } from './shorten.ts';
import { addUsage } from './spend.ts';
import type { Meter } from './spend.ts';
import type { Sleep } from './sleep.ts';
import { compactChat, summaryIn } from './tools/compactChat.ts';
import { untilAborted } from './untilAborted.ts';

export interface CompactOptions {
  readonly model: LanguageModel;
  readonly ids: Ids;
  readonly sleep: Sleep;
  readonly random: () => number;
  readonly meter: Meter;
  /** What the model is told, in place of our words. */
  readonly task?: string | undefined;
  /** What the user wants the summary to heed. */
  readonly wish?: string;
  /** Set where the provider has refused the conversation as too long already. */
  readonly tooLong?: true;
}

/** Summarises everything the request holds; says what went wrong where it could not be done. Reports as part of the running turn. */
export async function compact(turn: TurnContext, request: ModelRequest, options: CompactOptions): Promise<Problem | 'aborted' | undefined> {
  const tool = options.ids.next();
  turn.report({ kind: 'tool.started', tool, name: compactChat.name, title: compactChat.preparing, toolKind: compactChat.kind, source: 'native' });
  const said = await summarise(turn, request, options);
  if (turn.signal.aborted) return 'aborted';
  if (typeof said !== 'string') {
    turn.report({ kind: 'tool.ended', tool, result: { status: 'failed', content: [], error: said.message } });
    return said;
  }
  turn.report({ kind: 'tool.ready', tool, input: { summary: said }, title: 'Compacted the conversation', toolKind: compactChat.kind });
  turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
  turn.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [{ type: 'text', text: 'Compacted successfully!' }] } });
  turn.compact(said, tool);
  return undefined;
}

/** So often a conversation that is too long to be summarised is cut shorter. */
const cuts = 4;

async function summarise(turn: TurnContext, request: ModelRequest, options: CompactOptions): Promise<string | Problem> {
  let cut = options.tooLong ? 0 : -1;
  for (let attempt = 1; ; attempt += 1) {
    const messages = cut < 0 ? request.messages : shortened(request.messages, cut);
    const said = await ask(turn, { ...request, messages: [...messages, instruction(options)] }, options);
    if (typeof said === 'string' || turn.signal.aborted) return typeof said === 'string' ? said : said.problem;
    if (said.problem.code === 'context-overflow' && cut < cuts) {
      cut += 1;
      continue;
    }
    const plan = planFor(said, attempt, { random: options.random, patience: options.model.patience });
    if (!plan || 'giveUp' in plan) return plan?.giveUp.problem ?? said.problem;
    turn.report({ kind: 'notice.added', level: 'warning', text: plan.notice, waits: true });
    await options.sleep(plan.wait, turn.signal);
  }
}

/** One request. A model that writes the summary as its answer instead of calling the tool is as welcome. */
async function ask(turn: TurnContext, request: ModelRequest, { model, meter }: CompactOptions): Promise<string | Failure> {
  let words = '';
  let called = '';
  for await (const part of untilAborted(model.stream(request), turn.signal)) {
    if (part.type === 'text') words += part.text;
    else if (part.type === 'tool-call' && part.name.replace(/^eca__/, '') === compactChat.name) called ||= summaryIn(parseInput(part.input));
    else if (part.type === 'usage') meter.total = addUsage(meter.total, part.usage);
    else if (part.type === 'error') return failureOf(part);
    else if (part.type === 'finish') break;
  }
  const summary = called || words.trim();
  return summary === '' ? { problem: { code: 'invalid', message: 'The model wrote no summary of the conversation.' }, retryable: false } : summary;
}

function failureOf({ code, message, retryable, wait }: ModelError): Failure {
  return { problem: { code, message }, retryable, wait };
}

function instruction({ task = usual, wish }: Pick<CompactOptions, 'task' | 'wish'>): ModelRequest['messages'][number] {
  const heed = wish === undefined || wish === '' ? '' : `\n\nThe user adds: ${wish}`;
  return { role: 'user', content: [{ type: 'text', text: `${task}${heed}` }] };
}

const usual = `The conversation is about to be replaced by a summary because it has become long. Write this summary now and hand it over by calling ${compactChat.name}; call nothing else and do no further work.

Whoever goes on from it knows nothing but the summary. Say in it, exactly and with names, paths and numbers:
- what the user wants, with every wish and limit that still holds, in the user's own words where they matter;
- what was decided, and why;
- which files were read, made or changed, and what in them matters;
- which commands ran and what came of them, which errors came up and how they were solved;
- what is done, what was being done at the end, and what comes next.`;
