// Runs a message that is a command. The output of an informational command goes to this client
// only and is not stored.
import { contentsOf } from '../inbound/flags.ts';
import { calledText, placesIn, parseTypedCommand } from '../../../host/settings/promptCommands.ts';
import type { TypedCommand } from '../../../host/settings/promptCommands.ts';
import type { Session } from '../../../host/session/session.ts';
import type { CommandInfo } from '../../../protocols/eca/messages.ts';
import { choose } from '../outbound/catalogue.ts';
import type { EcaConnection } from '../connection.ts';
import { chatPosition, say, tell } from '../outbound/message.ts';
import type { EcaMessage } from '../outbound/message.ts';
import { finished, progress } from '../outbound/progress.ts';
import { config, context, costs, doctor, model, promptShow, remote, repoMap } from './about.ts';
import { debugChat, exportChat, forkChat, importChat } from './chats.ts';
import { aboutUs, whatWeAre } from './aboutUs.ts';
import { init, promptOverrides } from './init.ts';
import { hooksCommand, rules, skills, subagents } from './knowledge.ts';
import { permissions } from './permissions.ts';
import { isNative, nativeCommands } from './natives.ts';
import type { NativeName } from './natives.ts';
import { pluginInstall, plugins, pluginUninstall } from './plugins.ts';
import { calledPrompt, mcpPrompts } from './prompts.ts';
import { resumeCommand } from './resume.ts';

export interface CommandCall extends TypedCommand {
  readonly connection: EcaConnection;
  readonly session: Session;
  readonly chat: string;
}

export type CommandEffect =
  | { readonly say: string; readonly first?: readonly EcaMessage[] }
  /** The message goes to the agent with this text; with `forgets` the chat is cleared afterwards. */
  | { readonly ask: string; readonly forgets?: true }
  /** The message goes to the agent unchanged. */
  | { readonly pass: true };

/** The effect of a message that starts with a slash; undefined if it is not a command. */
export async function effectOf(
  connection: EcaConnection,
  { session, chat, message }: { session: Session; chat: string; message: string },
): Promise<CommandEffect | undefined> {
  const given = parseTypedCommand(message);
  if (!given) return undefined;
  const call: CommandCall = { ...given, connection, session, chat };
  const agent = connection.host.agents().find(({ id }) => id === session.head.agent);
  const offered = agent?.commands?.find(({ name }) => name === given.name);
  // Clients of this protocol know the host's commands in their own form.
  if (offered?.byHost && given.name === 'permissions') return permissions(call);
  if (offered && !(offered.byHost && isNative(given.name))) return { pass: true };
  if (isNative(given.name)) return natives[given.name](call);
  if (given.name === aboutUs.name) return { ask: whatWeAre(call) };
  const prompted = await calledPrompt(connection, given);
  if (prompted) return prompted;
  const meant = calledText(await connection.host.knowledge.of(connection.workspace.roots), message);
  return meant === undefined ? undefined : { ask: meant };
}

/** All commands of an agent, by default of the chosen one, in the order that clients show. */
export async function commandsFor(
  connection: EcaConnection,
  agent?: string,
): Promise<readonly CommandInfo[]> {
  const { workspace, host, selection } = connection;
  const { skills: found, commands } = await host.knowledge.of(workspace.roots);
  const asSkills = found.map(({ name, description, text }): CommandInfo => ({
    name,
    description,
    type: 'skill',
    arguments: placesIn(text).map((position) => ({ name: position, required: true })),
  }));
  const asPrompts = commands.map(({ name, description, arguments: args }): CommandInfo => ({
    name,
    description,
    type: 'custom-prompt',
    arguments: args,
  }));
  const agents = host.agents();
  const chosen = agent ?? choose(agents, selection.agent)?.agent;
  const own = agents.find(({ id }) => id === chosen)?.commands ?? [];
  // Spare commands are left out, because clients have other ways; they can be typed.
  const extra = own
    .filter(({ name, spare }) => !spare && !isNative(name))
    .map(({ name, description, hint }): CommandInfo => ({
      name,
      description,
      type: 'native',
      arguments: hint === undefined ? [] : [{ name: hint }],
    }));
  return [...mcpPrompts(connection), ...nativeCommands, ...asSkills, aboutUs, ...asPrompts, ...extra];
}

/** Shows the output of a command as a turn that ends immediately; a running turn continues. */
export function showCommand(
  connection: EcaConnection,
  { session, chat }: Pick<CommandCall, 'session' | 'chat'>,
  output: { readonly message: string } & Extract<CommandEffect, { say: string }>,
): void {
  const { state } = session;
  const position = chatPosition(state, chat);
  const after = state.chats[chat]?.active
    ? progress(state, position)
    : [
        tell(position, 'chat/statusChanged', { chatId: chat, status: 'idle' }),
        finished(position),
        ...progress(state, position),
      ];
  const contentId = connection.host.ids.next();
  connection.ownChats.shownCommands.set(contentId, contentsOf(state, chat).at(-1));
  const messages = [
    say(position, 'user', { type: 'text', text: `${output.message.trim()}\n`, contentId }),
    ...(output.first ?? []),
    say(position, 'system', { type: 'text', text: `\n${output.say}` }),
    ...after,
  ];
  for (const message of messages) connection.sender.deliver(message);
}

type Handler = (call: CommandCall) => CommandEffect | Promise<CommandEffect>;

const shows =
  (text: string): Handler =>
  () => ({ say: text });

const natives: { readonly [N in NativeName]: Handler } = {
  login: shows(
    'Sign in on a terminal of this machine with `parley login PROVIDER`; its models appear here at once.',
  ),
  init,
  model,
  skills,
  costs,
  context,
  fork: forkChat,
  resume: resumeCommand,
  remote,
  config,
  doctor,
  rules,
  subagents,
  hooks: hooksCommand,
  'skill-create': createSkill,
  compact: shows(
    'The agent of this chat cannot summarise it yet. /fork a shorter chat from an earlier message, or ' +
      'begin a new one.',
  ),
  export: exportChat,
  import: importChat,
  'debug-chat': debugChat,
  'repo-map-show': repoMap,
  'prompt-show': promptShow,
  'sync-system-prompt': shows(
    'There is nothing to do: the agent of this chat sees to its instructions itself.',
  ),
  plugins,
  'plugin-install': pluginInstall,
  'plugin-uninstall': pluginUninstall,
};

function createSkill(call: CommandCall): CommandEffect {
  const { rest } = call;
  const [name] = call.args;
  if (name === undefined || rest === name)
    return { say: 'Missing name or prompt: /skill-create NAME PROMPT' };
  const prompt = rest.slice(rest.indexOf(name) + name.length).trim();
  const task = [
    `Write a skill named ${name} as .eca/skills/${name}/SKILL.md in the first folder of the workspace.`,
    'It begins with front matter that has name and description, and goes on with instructions for an agent.',
    `What it is about: ${prompt}`,
  ].join(' ');
  return { ask: `${promptOverrides(call).skillCreate ?? ''}\n\n${task}`.trim() };
}
