// The commands about a session that the host carries out itself, in one table for every client. No model sees
// them.
import { present } from '../../base/present.ts';
import { didYouMean } from '../../base/nearest.ts';
import { autonomyLevels } from '../../model/event.ts';
import type { SessionChanges } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import { spentIn } from '../../model/usage.ts';
import type { AgentInfo } from '../agent.ts';
import { modeChooser } from '../../model/howItRan.ts';
import { autonomyTexts, isAutonomy } from '../settings/autonomy.ts';
import { parseTypedCommand } from '../settings/promptCommands.ts';
import type { Summary } from '../session/summary.ts';

/** What a command may look at and change. */
export interface CommandCall {
  readonly state: State;
  readonly chat: string;
  readonly agent: AgentInfo;
  readonly args: readonly string[];
  readonly summaries: () => readonly Summary[];
  /** Returns why the change is refused. */
  readonly change: (changes: SessionChanges) => string | undefined;
  /** Copies the chat to a session of its own; returns what to say about it. */
  readonly fork: () => Promise<string>;
  /** Writes the session to a file; returns what to say about it. */
  readonly save: (file: string | undefined) => Promise<string>;
  /** Shows what the folders bring, or decides about them; returns what to say about it. */
  readonly trust: (word: string | undefined) => string;
}

type Row = NonNullable<AgentInfo['commands']>[number] & {
  /** The answer, as Markdown. */
  readonly run: (call: CommandCall) => string | Promise<string>;
};

const rows = [
  { name: 'help', description: 'List the commands', run: help },
  { name: 'context', description: 'How full the context of the model is', run: context },
  { name: 'cost', description: 'Tokens and cost of this chat', spare: true, run: cost },
  { name: 'model', description: 'List the models, or choose one', hint: 'model', run: model },
  { name: 'mode', description: 'List the modes, or choose one', hint: 'mode', run: mode },
  {
    name: 'permissions',
    description: 'Show what runs without asking, or choose a permission mode',
    hint: 'mode',
    run: permissions,
  },
  { name: 'effort', description: 'List the levels of effort, or choose one', hint: 'level', run: effort },
  { name: 'resume', description: 'List the latest sessions and how to open them', run: resume },
  {
    name: 'fork',
    description: 'Begin a new session with all that was said in this one',
    run: ({ fork }: CommandCall) => fork(),
  },
  {
    name: 'export',
    description: 'Write this session to a file, to import it elsewhere',
    hint: 'file',
    run: ({ save, args: [file] }: CommandCall) => save(file),
  },
  {
    name: 'trust',
    description: "Show what this folder's settings would do, and trust them",
    hint: 'yes|never',
    run: ({ trust, args: [word] }: CommandCall) => trust(word),
  },
] as const satisfies readonly Row[];

/** As agents offer them. */
export const sessionCommands: NonNullable<AgentInfo['commands']> = rows.map(
  ({ name, description, hint, spare }: Row) => ({
    name,
    description,
    ...present({ hint, spare }),
    byHost: true,
  }),
);

/** Whether the host answers this message if the agent of its session offers the commands of the host. */
export function isSessionCommand(message: string): boolean {
  const name = parseTypedCommand(message)?.name;
  return rows.some((row) => row.name === name);
}

/** The host's answer to a message; undefined if the message is for the agent. */
export async function sessionAnswer(
  message: string,
  call: Omit<CommandCall, 'args'>,
): Promise<string | undefined> {
  const typed = parseTypedCommand(message);
  const row = typed && rows.find(({ name }) => name === typed.name);
  const isOffered = call.agent.commands?.some(({ name, byHost }) => byHost && name === row?.name);
  return row && isOffered ? row.run({ ...call, args: typed.args }) : undefined;
}

function help({ agent }: CommandCall): string {
  const lines = (agent.commands ?? []).map(
    ({ name, description, hint }) =>
      `- \`/${name}${hint === undefined ? '' : ` [${hint}]`}\`: ${description}`,
  );
  return ['Commands:', '', ...lines].join('\n');
}

function cost({ state, chat }: CommandCall): string {
  const found = state.chats[chat];
  const { input = 0, output = 0, cost: money } = found ? spentIn(found) : {};
  const price = money === undefined ? 'The cost is not known.' : `Cost: $${money.toFixed(4)}`;
  return `${input} tokens in, ${output} tokens out. ${price}`;
}

function context({ state, chat }: CommandCall): string {
  const turns = state.chats[chat]?.turns ?? [];
  const last = turns.findLast(({ usage }) => usage?.context !== undefined)?.usage?.context;
  if (!last) return 'Nothing is known about the context yet.';
  const percent = Math.round((last.used / Math.max(1, last.size)) * 100);
  return `${last.used} of ${last.size} tokens are used (${percent} %). \`/compact\` summarises the chat.`;
}

function model({ state, agent, args: [wanted], change }: CommandCall): string {
  const ids = agent.models.map(({ id }) => id);
  if (wanted === undefined) return list('Models', ids, state.model);
  const found = ids.find((id) => id === wanted) ?? ids.find((id) => id.endsWith(`/${wanted}`));
  if (found === undefined) return unknown('model', wanted, ids);
  return change({ model: found }) ?? `The model is ${found}.`;
}

function mode({ state, agent, args: [wanted], change }: CommandCall): string {
  const ids = (agent.modes ?? []).map(({ id }) => id);
  if (wanted === undefined) return list('Modes', ids, state.mode);
  return ids.includes(wanted)
    ? (change({ mode: wanted }) ?? `The mode is ${wanted}.`)
    : unknown('mode', wanted, ids);
}

function permissions({ state, args: [wanted], change }: CommandCall): string {
  const { autonomy } = state;
  const level = autonomy?.level ?? 'ask';
  const use = autonomy ? ` (in use, chosen by ${modeChooser(autonomy)})` : ' (in use)';
  if (wanted === undefined)
    return autonomyLevels
      .map((each) => {
        const mark = each === 'full' ? '🔴 ' : '';
        return `- ${mark}\`${each}\`${each === level ? use : ''} ${autonomyTexts[each].meaning}`;
      })
      .join('\n');
  if (!isAutonomy(wanted)) return unknown('permission mode', wanted, autonomyLevels);
  const refused = change({ autonomy: wanted });
  const mark = wanted === 'full' ? '🔴 ' : '';
  return refused ?? `${mark}The permission mode is ${wanted}. ${autonomyTexts[wanted].meaning}`;
}

function effort({ state, agent, args: [wanted], change }: CommandCall): string {
  const used = agent.models.find(({ id }) => id === state.model) ?? agent.models[0];
  const levels = used?.variants ?? [];
  const { variant } = state.options;
  if (wanted === undefined) return list('Levels', levels, typeof variant === 'string' ? variant : undefined);
  if (!levels.includes(wanted)) return unknown('level', wanted, levels);
  return change({ options: { ...state.options, variant: wanted } }) ?? `The effort is ${wanted}.`;
}

/** How many sessions are listed. */
const shown = 10;

function resume({ state, summaries }: CommandCall): string {
  const found = summaries()
    .filter((each) => each.started && !each.archived && each.id !== state.id)
    .toSorted((a, b) => b.modifiedAt - a.modifiedAt)
    .slice(0, shown);
  if (found.length === 0) return 'There are no other sessions.';
  const lines = found.map(({ id, title, roots }) => `- \`${id}\` ${title || 'Untitled'} (${roots[0] ?? ''})`);
  return [...lines, '', 'Open one from the list of your client, or with `parley chat ID`.'].join('\n');
}

function list(title: string, ids: readonly string[], chosen: string | undefined): string {
  if (ids.length === 0) return `${title}: none to choose from.`;
  return [`${title}:`, '', ...ids.map((id) => `- \`${id}\`${id === chosen ? ' (in use)' : ''}`)].join('\n');
}

const lists = { model: 'model', mode: 'mode', 'permission mode': 'permissions', level: 'effort' } as const;

function unknown(what: keyof typeof lists, word: string, ids: readonly string[]): string {
  const cure = didYouMean(word, ids) || ` \`/${lists[what]}\` lists what there is.`;
  return `There is no ${what} named ${word}.${cure}`;
}
