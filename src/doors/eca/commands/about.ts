// Commands that only tell: what a chat costs, what is set up, what there is.
import { drawing, tally } from './context.ts';
import type { ConsoleAddress } from '../options.ts';
import type { CommandCall, CommandEffect } from './run.ts';
import { chatPosition, say } from '../outbound/message.ts';
import { usageFacts } from '../outbound/usageFacts.ts';
import { wholeUsage } from '../outbound/usage.ts';

export function costs({ session, chat }: CommandCall): CommandEffect {
  const { input, output, cost } = tally(session.state, chat);
  return {
    say: `Total input tokens: ${input}\nTotal output tokens: ${output}\nTotal cost: ${cost === undefined ? 'unknown' : `$${cost.toFixed(2)}`}`,
  };
}

export function context({ connection, session, chat }: CommandCall): CommandEffect {
  const { state } = session;
  const { host, options, workspace } = connection;
  const usage = wholeUsage(state, chat, usageFacts(host, options, { state, workspace }));
  return {
    first: [say(chatPosition(state, chat), 'system', usage)],
    say: usage.contextBreakdown ? drawing(state, usage.contextBreakdown) : '',
  };
}

export function doctor({ connection, session }: CommandCall): CommandEffect {
  const { options, host, profile, workspace } = connection;
  const agents = host.agents().map((agent) => `${agent.id} (${agent.models.length} models)`);
  const facts: readonly (readonly [string, string])[] = [
    ['Parley', options.version],
    ['Client', profile.name ?? 'unnamed'],
    ['Workspace', workspace.roots.join(', ') || 'none'],
    ['Agents', agents.join(', ') || 'none'],
    ['This chat', `agent ${session.state.agent}, model ${session.state.model ?? 'none'}`],
    ['Sessions', String(host.summaries().length)],
    ...(options.about?.facts?.() ?? []),
  ];
  return { say: facts.map(([what, value]) => `${what}: ${value}`).join('\n\n') };
}

export function config({ connection, session }: CommandCall): CommandEffect {
  const { state } = session;
  const { agent, options, roots } = state;
  const shown = {
    agent,
    model: state.model ?? null,
    mode: state.mode ?? null,
    options,
    roots,
    ...Object.fromEntries(connection.options.about?.facts?.() ?? []),
  };
  const set = (connection.options.about?.settings?.(roots) ?? []).map(
    ({ key, value, source }) => `${key} = ${JSON.stringify(value)}  (${source})`,
  );
  return {
    say: `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\`${set.length === 0 ? '' : `\n\nWhat is set, and where:\n\`\`\`\n${set.join('\n')}\n\`\`\``}`,
  };
}

export function promptShow({ connection, session, chat, rest }: CommandCall): CommandEffect {
  const prompt =
    connection.options.nativeAgent?.systemPrompt(session.state, chat) ??
    'The agent of this chat has its own instructions, which it does not show.';
  const asked = rest === '' ? '' : `\n\n# Chat (User prompt)\n\n${rest}`;
  return { say: `# Instructions (System prompt)\n\n${prompt}\n\nTool schemas are sent separately.${asked}` };
}

export function remote({ connection, chat }: CommandCall): CommandEffect {
  const address = connection.options.about?.consoleAddress?.();
  const server = connection.remote.running?.server;
  const api = server
    ? `\n\nThe remote API for eca-web is at ${server.url} with the password ${server.password}`
    : '\n\nThe remote API for eca-web is off; `"remote": {"enabled": true}` in the ECA configuration turns it on.';
  return { say: `${inConsole(address, chat)}${api}` };
}

function inConsole(address: ConsoleAddress | undefined, chat: string): string {
  if (!address)
    return 'This chat lives in a host that no browser can reach. Leave out --standalone, or start one with `parley serve`, to open it in the console.';
  return `This chat lives in the Parley host at ${address.url}. Open that address in a browser and give it the token from ${address.token}; then choose the session \`${chat}\`. From another device, forward the port first: it is reached on this machine only.`;
}

export function model({ connection, session, args, chat }: CommandCall): CommandEffect {
  const known = connection.host.agents().find(({ id }) => id === session.head.agent)?.models ?? [];
  const [wanted] = args;
  if (wanted === undefined) {
    const current = session.head.model;
    return {
      say:
        known.length === 0
          ? 'There is no model. Sign in to a provider with /login.'
          : `Models, the chosen one marked:\n${known.map(({ id }) => `${id === current ? '*' : '-'} ${id}`).join('\n')}`,
    };
  }
  const found = known.find(({ id }) => id === wanted) ?? known.find(({ id }) => id.endsWith(`/${wanted}`));
  if (!found) return { say: `There is no model ${wanted} here. /model lists those there are.` };
  const refused = session.dispatch(
    { kind: 'changeSession', changes: { model: found.id } },
    connection.profile.origin,
  );
  return { say: refused ? refused.message : `Chat ${chat} uses ${found.id} from now on.` };
}

/** What the repoMap context gives to a model. */
export async function repoMap({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { options, workspace } = connection;
  const roots = session.state.roots.length > 0 ? session.state.roots : connection.workspace.roots;
  return {
    say:
      roots.length === 0
        ? 'There is no folder to show.'
        : ((await options.workspaceFiles?.map?.(roots, workspace.configuration.index)) ?? roots.join('\n')),
  };
}
