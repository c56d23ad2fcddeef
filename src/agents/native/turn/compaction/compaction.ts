// Summarises a conversation so that it can continue in a fresh context: a separate model request, shown
// as a call of `compact_chat`, then a mark in the log. Nothing is deleted: rolling back to before the
// mark restores everything.
import type { TurnContext } from '../../../../host/agent.ts';
import type { AgentReport } from '../../../../model/command.ts';
import type { Problem } from '../../../../model/event.ts';
import { readAnswer } from '../answer.ts';
import { answerText } from '../answerRecorder.ts';
import type { AnswerFailure, AnswerSetup } from '../answerRecorder.ts';
import { parseInput } from '../calls/callTool.ts';
import { requestName } from '../../prompt/clientConventions.ts';
import type { ModelRequest } from '../../model.ts';
import { planFor } from '../retryPolicy.ts';
import type { TurnProgress } from '../turnProgress.ts';
import type { TurnSetup } from '../turnSetup.ts';
import { shortenConversation } from './shortenConversation.ts';
import { compactChat, summaryIn } from '../../tools/conversation/compactChat.ts';

export interface CompactOptions {
  readonly setup: AnswerSetup & Pick<TurnSetup, 'settings'>;
  readonly progress: TurnProgress;
  /** What the user wants the summary to focus on, if the user asked for it; may be empty. */
  readonly focus?: string;
  /** Set if the provider refused the conversation as too long. */
  readonly tooLong?: true;
}

/**
 * Summarises all messages of the request. Returns the problem if there is no summary. Reports as
 * part of the running turn.
 */
export async function compact(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Problem | 'aborted' | undefined> {
  const made = await summarise(turn, request, options);
  if (turn.signal.aborted) return 'aborted';
  const tool = ('tool' in made ? made.tool : undefined) ?? startCall(turn, options);
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
  turn.log.compact(summary, tool, options.focus === undefined ? 'automatic' : 'command');
  return undefined;
}

interface Summary {
  readonly summary: string;
  /** The call that contains it; absent if the model wrote the summary as text. */
  readonly tool?: string;
}

function startCall(turn: TurnContext, { setup }: CompactOptions): string {
  const tool = setup.ports.ids.next();
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

/** How often a conversation that is too long for a summary is shortened. */
const maxCuts = 4;

async function summarise(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Summary | AnswerFailure> {
  const { model, ports } = options.setup;
  let cut = options.tooLong ? 0 : -1;
  for (let attempt = 1; ; attempt += 1) {
    const messages = cut < 0 ? request.messages : shortenConversation(request.messages, cut);
    const made = await ask(turn, { ...request, messages: [...messages, instruction(options)] }, options);
    if ('summary' in made || turn.signal.aborted) return made;
    if (made.problem.code === 'context-overflow' && cut < maxCuts) {
      cut += 1;
      continue;
    }
    const plan = planFor(made, attempt, {
      random: ports.random,
      patience: model.patience,
    });
    if (!plan || 'giveUp' in plan) return plan?.giveUp ?? made;
    turn.report(plan.notice);
    await ports.sleep(plan.wait, turn.signal);
  }
}

/** One request. The summary may also come as the text of the answer instead of a call. */
async function ask(
  turn: TurnContext,
  request: ModelRequest,
  options: CompactOptions,
): Promise<Summary | AnswerFailure> {
  const tools = new Map([[compactChat.name, compactChat]]);
  const answer = await readAnswer(quiet(turn), request, {
    setup: options.setup,
    progress: { ...options.progress, providerCalls: new Map() },
    tools,
  });
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
  const text = answerText(answer).trim();
  return text === '' ? wroteNothing : { summary: text };
}

const wroteNothing: AnswerFailure = {
  problem: { code: 'invalid', message: 'The model wrote no summary of the conversation.' },
  retryable: false,
};

/** Reports the usage and the calls of `compact_chat`, and drops everything else that the model says. */
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

function instruction({ setup, focus = '' }: CompactOptions): ModelRequest['messages'][number] {
  const task =
    setup.settings.compactPrompt ?? defaultPrompt(requestName(compactChat.name, setup.conventions));
  const text = focus === '' ? task : `${task}\n\nThe user adds: ${focus}`;
  return { role: 'user', content: [{ type: 'text', text }] };
}

const defaultPrompt = (
  tool: string,
) => `The conversation is about to be replaced by a summary because it has become long. Write this summary
now and hand it over by calling ${tool}; call nothing else and do no further work.

Whoever goes on from it knows nothing but the summary. Say in it, exactly and with names, paths and numbers:
- what the user wants, with every wish and limit that still holds, in the user's own words where they matter;
- what was decided, and why;
- which files were read, made or changed, and what in them matters;
- which commands ran and what came of them, which errors came up and how they were solved;
- what is done, what was being done at the end, and what comes next.`;
