// The tool that gives a task to a subagent, which works in a chat of its own and reports back.
import { isRejection } from '../../../../model/command.ts';
import type { ChatId, Content, Json, Outcome, ToolResult } from '../../../../model/event.ts';
import type { Chat, EndedTurn, Item, Turn } from '../../../../model/state.ts';
import type { AgentDefinition } from '../../../../host/settings/projectKnowledge.ts';
import { clipped } from '../clip.ts';
import { textField } from '../json.ts';
import type { Tool, ToolContext } from '../tool.ts';

export interface SubagentOptions {
  readonly agents: readonly AgentDefinition[];
  /** True if the model exists. */
  readonly hasModel: (id: string) => boolean;
}

export function spawnAgent({ agents, hasModel }: SubagentOptions): Tool {
  const names = agents.map(({ name }) => name);
  return {
    name: 'spawn_agent',
    description:
      'Gives a task to another agent, which works on it by itself in a chat of its own and reports back. ' +
      'It knows nothing of this conversation, so say in the task all it needs. Several can work at the ' +
      'same time when you call this several times at once. The agents:\n' +
      agents.map(({ name, description }) => `- ${name}: ${description}`).join('\n'),
    kind: 'think',
    preparing: 'Spawning agent',
    parameters: parametersFor(names),
    prepare(input, context) {
      const [name, task, model, chat] = [
        textField(input, 'agent'),
        textField(input, 'task'),
        textField(input, 'model'),
        textField(input, 'chat'),
      ];
      const agent = agents.find((each) => each.name === name);
      if (!agent)
        return Promise.resolve({
          refused: `There is no agent named ${name ?? '(none given)'}. The agents are: ${names.join(', ')}.`,
        });
      if (task === undefined)
        return Promise.resolve({ refused: 'INVALID_ARGS: missing or of the wrong type: task (string)' });
      if (model !== undefined && !hasModel(model))
        return Promise.resolve({ refused: `There is no model named ${model}.` });
      const activity = textField(input, 'activity') ?? firstLine(task);
      const wish: SpawnRequest = {
        agent,
        task,
        title: `${agent.name}: ${activity}`,
        activity,
        model: model ?? agent.model,
        chat,
      };
      const begun = chat ?? context.chat?.subagentChat();
      return Promise.resolve({
        title: wish.title,
        paths: [],
        ...(begun === undefined ? {} : { preview: [link(wish, begun)] }),
        run: () => run(wish, context),
      });
    },
  };
}

function parametersFor(names: readonly string[]): Json {
  return {
    type: 'object',
    properties: {
      agent: { type: 'string', enum: names, description: 'Who is to do it.' },
      task: {
        type: 'string',
        description: 'What is to be done and what to report, with everything the agent has to know.',
      },
      activity: { type: 'string', description: 'The task in three or four words, for people who watch.' },
      model: {
        type: 'string',
        description: 'Another model for it, as provider/model. Only where the user asked for one.',
      },
      variant: {
        type: 'string',
        description: 'How hard the model should think. Only where the user asked for it.',
      },
      chat: {
        type: 'string',
        description:
          'The chat of an earlier agent, as its result names it, to go on there instead of beginning anew.',
      },
    },
    required: ['agent', 'task'],
  };
}

interface SpawnRequest {
  readonly agent: AgentDefinition;
  readonly task: string;
  readonly title: string;
  readonly activity: string;
  readonly model: string | undefined;
  readonly chat: string | undefined;
}

/** A link to the subagent's chat. */
function link({ agent, title, activity }: SpawnRequest, chat: ChatId): Content {
  return {
    type: 'chat',
    chat,
    title,
    agent: agent.name,
    description: activity,
    ...(agent.maxSteps === undefined ? {} : { maxSteps: agent.maxSteps }),
  };
}

async function run(wish: SpawnRequest, { tool, chat: parent }: ToolContext): Promise<ToolResult> {
  if (!parent) return { status: 'failed', content: [], error: 'No other agent can be started here.' };
  const { agent, task, title, model, chat } = wish;
  let shown: string | undefined;
  const watch = ({ id, active }: Chat) => {
    const text = progressOf(active).join('\n') || 'Begins.';
    if (!active || text === shown) return;
    parent.show([link(wish, id), { type: 'text', text }]);
    shown = text;
  };
  const ended = await parent.delegate({
    tool,
    title,
    text: task,
    watch,
    ...(model === undefined ? {} : { model }),
    ...(chat === undefined ? {} : { chat }),
  });
  if (isRejection(ended)) return failedBy(agent.name, ended.message, []);
  const said = lastWords(ended.turn.items);
  const problem = problemOf(ended.turn);
  const where = link(wish, ended.chat);
  if (problem !== undefined)
    return failedBy(
      agent.name,
      [problem, ...(said === '' ? [] : ['What it said so far:', said])].join('\n\n'),
      [where],
    );
  return {
    status: 'done',
    content: [
      { type: 'text', text: `## Agent '${agent.name}' Result\n\n${clipped(said)}\n\n(chat: ${ended.chat})` },
      where,
    ],
  };
}

function failedBy(name: string, why: string, more: readonly Content[]): ToolResult {
  return {
    status: 'failed',
    content: [{ type: 'text', text: `## Agent '${name}' Failed\n\n${clipped(why)}` }, ...more],
    error: `The agent ${name} failed.`,
  };
}

function problemOf({ outcome }: EndedTurn): string | undefined {
  switch (outcome.kind) {
    case 'completed':
      return outcome.stop && stops[outcome.stop];
    case 'failed':
      return outcome.problem.message;
    case 'cancelled':
      return 'It was stopped before it was done.';
    case 'interrupted':
      return 'It was interrupted before it was done.';
    default:
      return outcome satisfies never;
  }
}

const stops: { readonly [S in NonNullable<Extract<Outcome, { kind: 'completed' }>['stop']>]: string } = {
  length: 'The answer of its model became too long.',
  steps: 'It has used up its steps.',
  refusal: 'Its model refused to go on.',
};

/** The report of a subagent is the text after its last call. */
function lastWords(items: readonly Item[]): string {
  const words = (from: readonly Item[]) =>
    from
      .flatMap((item) => (item.type === 'text' && item.channel === 'answer' ? [item.text] : []))
      .join('')
      .trim();
  const report = words(items.slice(items.findLastIndex(({ type }) => type === 'tool') + 1));
  return report === '' ? words(items) : report;
}

const shownSteps = 5;

function progressOf(turn: Turn | undefined): readonly string[] {
  const calls = turn?.items.flatMap((item) => (item.type === 'tool' ? [item.title] : [])) ?? [];
  const earlier = calls.length > shownSteps ? [`… ${calls.length - shownSteps} calls before`] : [];
  return [...earlier, ...calls.slice(-shownSteps)];
}

function firstLine(task: string): string {
  const line = task.split('\n')[0] ?? '';
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
