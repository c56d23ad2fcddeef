// Summarises a conversation so that it can go on in a fresh context: a model call of its own, shown as a call of `compact_chat`, then a mark in the log.
// Nothing is deleted: rolling back to before the mark brings everything back.
import type { TurnContext } from '../../../../host/agent.ts';
import type { AgentReport } from '../../../../model/command.ts';
import type { Problem } from '../../../../model/event.ts';
import { readAnswer, wordsOf } from '../answer.ts';
import type { AnswerOptions, Failure } from '../answer.ts';
import { parseInput } from '../callTool.ts';
import { requestName } from '../../prompt/clientConventions.ts';
import type { ModelRequest } from '../../model.ts';
import { planFor } from '../retryPolicy.ts';
import { shortened } from './shortenConversation.ts';
import { compactChat, summaryIn } from '../../tools/conversation/compactChat.ts';

export interface CompactOptions extends Pick<
  AnswerOptions,
  'model' | 'conventions' | 'ids' | 'sleep' | 'used' | 'meter'
> {
  readonly random: () => number;
  /** What the model is told, in place of our words. */
  readonly task?: string | undefined;
  /** What the user wants the summary to heed. */
  readonly wish?: string;
  /** Set where the provider has refused the conversation as too long already. */
  readonly tooLong?: true;
}

/** Summarises everything the request holds; says what went wrong where it could not be done. Reports as part of the running turn. */
export async function compact(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Problem | 'aborted' | undefined> {
  const made = await summarise(turn, request, options);
  if (turn.signal.aborted) return 'aborted';
  const tool = ('tool' in made ? made.tool : undefined) ?? begin(turn, options);
  if ('problem' in made) {
    turn.report({
      kind: 'tool.ended',
      tool,
      result: { status: 'failed', content: [], error: made.problem.message },
    });
    return made.problem;
  }
  const { summary } = made;
  turn.report({
    kind: 'tool.ready',
    tool,
    input: { summary },
    title: 'Compacted the conversation',
    toolKind: compactChat.kind,
  });
  turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
  turn.report({
    kind: 'tool.ended',
    tool,
    result: { status: 'done', content: [{ type: 'text', text: 'Compacted successfully!' }] },
  });
  turn.log.compact(summary, tool);
  return undefined;
}

interface Summary {
  readonly summary: string;
  /** The call that brought it; absent where the model only wrote it. */
  readonly tool?: string;
}

function begin(turn: TurnContext, { ids }: CompactOptions): string {
  const tool = ids.next();
  turn.report({
    kind: 'tool.started',
    tool,
    name: compactChat.name,
    title: compactChat.preparing,
    toolKind: compactChat.kind,
    source: 'native',
  });
  return tool;
}

/** So often a conversation that is too long to be summarised is cut shorter. */
const cuts = 4;

async function summarise(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Summary | Failure> {
  let cut = options.tooLong ? 0 : -1;
  for (let attempt = 1; ; attempt += 1) {
    const messages = cut < 0 ? request.messages : shortened(request.messages, cut);
    const made = await ask(turn, { ...request, messages: [...messages, instruction(options)] }, options);
    if ('summary' in made || turn.signal.aborted) return made;
    if (made.problem.code === 'context-overflow' && cut < cuts) {
      cut += 1;
      continue;
    }
    const plan = planFor(made, attempt, { random: options.random, patience: options.model.patience });
    if (!plan || 'giveUp' in plan) return plan?.giveUp ?? made;
    turn.report(plan.notice);
    await options.sleep(plan.wait, turn.signal);
  }
}

/** One request. A model that writes the summary as its answer instead of calling the tool is as welcome. */
async function ask(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Summary | Failure> {
  const tools = new Map([[compactChat.name, compactChat]]);
  const answer = await readAnswer(quiet(turn), request, { ...options, tools, serving: new Map() });
  if (answer.end === 'aborted' || 'problem' in answer.end)
    return answer.end === 'aborted' ? wroteNothing : answer.end;
  const called = answer.calls
    .filter(({ name }) => name === compactChat.name)
    .map(({ id, input }) => ({ tool: id, summary: summaryIn(parseInput(input)) }));
  const found = called.find(({ summary }) => summary !== '');
  for (const { tool } of called)
    if (tool !== found?.tool)
      turn.report({
        kind: 'tool.ended',
        tool,
        result: { status: 'failed', content: [], error: wroteNothing.problem.message },
      });
  if (found) return found;
  const words = wordsOf(answer).trim();
  return words === '' ? wroteNothing : { summary: words };
}

const wroteNothing: Failure = {
  problem: { code: 'invalid', message: 'The model wrote no summary of the conversation.' },
  retryable: false,
};

/** Of what a model says besides the summary nobody is told, and nothing else that it calls is shown or run. */
function quiet(turn: TurnContext): TurnContext {
  const shown = new Set<string>();
  const report = (event: AgentReport) => {
    if (event.kind === 'tool.started' && event.name === compactChat.name) shown.add(event.tool);
    if (
      event.kind === 'usage.reported' ||
      ('tool' in event && event.tool !== undefined && shown.has(event.tool))
    )
      turn.report(event);
  };
  return { ...turn, report };
}

function instruction({
  conventions,
  task = usual(requestName(compactChat.name, conventions)),
  wish,
}: Pick<CompactOptions, 'task' | 'wish' | 'conventions'>): ModelRequest['messages'][number] {
  const heed = wish === undefined || wish === '' ? '' : `\n\nThe user adds: ${wish}`;
  return { role: 'user', content: [{ type: 'text', text: `${task}${heed}` }] };
}

const usual = (
  tool: string,
) => `The conversation is about to be replaced by a summary because it has become long. Write this summary now and hand it over by calling ${tool}; call nothing else and do no further work.

Whoever goes on from it knows nothing but the summary. Say in it, exactly and with names, paths and numbers:
- what the user wants, with every wish and limit that still holds, in the user's own words where they matter;
- what was decided, and why;
- which files were read, made or changed, and what in them matters;
- which commands ran and what came of them, which errors came up and how they were solved;
- what is done, what was being done at the end, and what comes next.`;
