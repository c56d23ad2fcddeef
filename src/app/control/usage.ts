// The requests about tokens, cost and context.
import * as z from 'zod';
import { present } from '../../base/present.ts';
import { isRejection } from '../../model/command.ts';
import type { Chat, State, Turn } from '../../model/state.ts';
import { spentIn, sumUsage } from '../../model/usage.ts';
import { RpcError, rpcCodes } from '../../rpc/rpcError.ts';
import type { App } from '../app.ts';
import { contextParts } from '../usage/contextParts.ts';
import { spendingReader } from '../usage/spending.ts';
import { name, readParams } from './readParams.ts';
import type { ControlMethod } from './sessions.ts';

const dayMs = 86_400_000;

/** How many turns of a chat are told, newest first. */
const mostTurns = 200;

export function usageMethods(app: App): { readonly [name: string]: ControlMethod } {
  const { host, store } = app;
  const spending = spendingReader(store);
  return {
    'usage/chat': async (params) => {
      const { session, chat: id } = readParams(z.object({ session: name, chat: name }), params);
      const opened = await host.open(session);
      if (isRejection(opened)) throw new RpcError(rpcCodes.invalidParams, opened.message);
      const { state } = opened;
      const chat = state.chats[id];
      if (!chat) throw new RpcError(rpcCodes.invalidParams, 'There is no such chat.');
      return chatReport(app, state, chat);
    },
    'usage/totals': async (params) => {
      const { days } = readParams(z.object({ days: z.int().min(1).max(3660) }), params);
      const midnight = new Date(host.clock.now() - (days - 1) * dayMs).setHours(0, 0, 0, 0);
      return spending(
        host.summaries().filter(({ started }) => started),
        midnight,
      );
    },
  };
}

async function chatReport(app: App, state: State, chat: Chat) {
  const { commands = [] } = app.host.agents().find(({ id }) => id === state.agent) ?? {};
  const turns: readonly Turn[] = [...chat.turns, ...(chat.active ? [chat.active] : [])];
  return {
    context: contextParts(state, chat, await fixedParts(app, state, chat)),
    canCompact: commands.some((command) => command.name === 'compact'),
    chat: spentIn(chat),
    session: sumUsage(Object.values(state.chats).map((each) => spentIn(each))) ?? {},
    turns: turns
      .slice(-mostTurns)
      .toReversed()
      .map(({ id, startedAt, message, usage }) => ({
        id,
        startedAt,
        text: message.text.slice(0, 200),
        ...present({
          model: usage?.model,
          input: usage?.input,
          output: usage?.output,
          cost: usage?.cost,
        }),
      })),
  };
}

/** External agents keep their prompt and tools to themselves. */
async function fixedParts(app: App, state: State, { pinnedPrompt }: Chat) {
  if (!pinnedPrompt) return { system: 0, tools: 0 };
  const { nativeTools } = await import('../agents/nativeTools.ts');
  const tools = nativeTools(app)(state).filter(({ disabled }) => disabled !== true);
  const definitions = tools.map(({ name: tool, description, parameters }) => ({
    tool,
    description,
    parameters,
  }));
  return { system: pinnedPrompt.text.length, tools: JSON.stringify(definitions).length };
}
