// Informational commands: costs, context, configuration, models and versions.
import { didYouMean } from '../../../base/nearest.ts';
import { spentIn } from '../../../model/usage.ts';
import { drawing } from './context.ts';
import type { ConsoleAddress } from '../options.ts';
import type { CommandCall, CommandEffect } from './run.ts';
import { chatPosition, say } from '../outbound/message.ts';
import { usageFacts } from '../outbound/usageFacts.ts';
import { wholeUsage } from '../outbound/usage.ts';

export function costs({ session, chat }: CommandCall): CommandEffect {
  const found = session.state.chats[chat];
  const { input = 0, output = 0, cost } = found ? spentIn(found) : {};
  const total = cost === undefined ? 'unknown' : `$${cost.toFixed(2)}`;
  return { say: `Total input tokens: ${input}\nTotal output tokens: ${output}\nTotal cost: ${total}` };
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
  const json = `\`\`\`json\n${JSON.stringify(shown, null, 2)}\n\`\`\``;
  const settings =
    set.length === 0 ? '' : `\n\nSettings and their sources:\n\`\`\`\n${set.join('\n')}\n\`\`\``;
  return { say: `${json}${settings}` };
}

export function promptShow({ connection, session, chat, rest }: CommandCall): CommandEffect {
  const prompt =
    connection.options.nativeAgent?.systemPrompt(session.state, chat) ??
    'The agent of this chat does not show its system prompt.';
  const userPrompt = rest === '' ? '' : `\n\n# Chat (User prompt)\n\n${rest}`;
  return {
    say: `# Instructions (System prompt)\n\n${prompt}\n\nTool schemas are sent separately.${userPrompt}`,
  };
}

export function remote({ connection, chat }: CommandCall): CommandEffect {
  const address = connection.options.about?.consoleAddress?.();
  const server = connection.remote.running?.server;
  const api = server
    ? `\n\nThe remote API for eca-web is at ${server.url} with the password ${server.password}`
    : '\n\nThe remote API for eca-web is disabled. ' +
      'Enable it with `"remote": {"enabled": true}` in the ECA configuration.';
  return { say: `${inConsole(address, chat)}${api}` };
}

function inConsole(address: ConsoleAddress | undefined, chat: string): string {
  if (!address)
    return [
      'This host has no console: it runs with --standalone.',
      'Leave out --standalone, or run `parley serve`, to open chats in a browser.',
    ].join(' ');
  return [
    `Open ${address.url} in a browser, sign in with the token from ${address.token},`,
    `and choose the session \`${chat}\`.`,
    'The address works on this machine only; from another device, forward the port first.',
  ].join(' ');
}

export function model({ connection, session, args, chat }: CommandCall): CommandEffect {
  const models = connection.host.agents().find(({ id }) => id === session.head.agent)?.models ?? [];
  const [name] = args;
  if (name === undefined) {
    const current = session.head.model;
    if (models.length === 0) return { say: 'No models. Sign in to a provider with /login.' };
    const rows = models.map(({ id }) => `${id === current ? '*' : '-'} ${id}`);
    return { say: `Models (* is selected):\n${rows.join('\n')}` };
  }
  const found = models.find(({ id }) => id === name) ?? models.find(({ id }) => id.endsWith(`/${name}`));
  if (!found) {
    const similar = didYouMean(
      name,
      models.map(({ id }) => id),
    );
    return { say: `Unknown model ${name}.${similar} /model lists the models.` };
  }
  const refused = session.dispatch(
    { kind: 'changeSession', changes: { model: found.id } },
    connection.profile.origin,
  );
  return { say: refused ? refused.message : `Chat ${chat} now uses ${found.id}.` };
}

/** Shows the content of the `repoMap` context. */
export async function repoMap({ connection, session }: CommandCall): Promise<CommandEffect> {
  const { options, workspace } = connection;
  const roots = session.state.roots.length > 0 ? session.state.roots : connection.workspace.roots;
  return {
    say:
      roots.length === 0
        ? 'The workspace has no folder.'
        : ((await options.workspaceFiles?.map?.(roots, workspace.configuration.index)) ?? roots.join('\n')),
  };
}
