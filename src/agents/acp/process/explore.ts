// Finds out what an agent offers before its first prompt: opens a conversation, listens
// briefly, and closes it.
import type { SessionReporter } from '../../../host/agent.ts';
import { readUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { AgentProcess } from './agentProcess.ts';
import type { AgentProcessOptions } from './agentProcess.ts';
import type { ConversationListener } from './conversationRouter.ts';
import { AgentOffers } from '../session/agentOffers.ts';
import type { LearnedOffers } from '../session/agentOffers.ts';
import { openSession } from '../session/openSession.ts';
import { SessionSettingsOfAgent } from '../session/settings.ts';
import { silenceOf } from './silenceWatch.ts';

/** Silence after which the offers count as complete, and the time limit for a clean exit, in milliseconds. */
const enough = 500;
const byePatience = 2_000;

/** Finds nothing for an agent that cannot be started or needs a sign-in; the first prompt reports why. */
export async function explore(
  options: AgentProcessOptions,
  learned: (learned: LearnedOffers) => void,
): Promise<void> {
  const link = await AgentProcess.start(options);
  if (!(link instanceof AgentProcess)) return;
  try {
    await listen(link, options, learned);
  } catch {
    // The first prompt reports the problem.
  } finally {
    await link.close();
  }
}

async function listen(
  link: AgentProcess,
  { clock, times, cwd }: AgentProcessOptions,
  learned: (learned: LearnedOffers) => void,
): Promise<void> {
  const offers = new AgentOffers(nobody, learned);
  const user: ConversationListener = {
    update(value) {
      const update = readUpdate(value);
      if (update) offers.take(update, undefined);
    },
    request: () => Promise.reject(new RpcError(rpcCodes.internalError, 'No user is connected.')),
    elicited: () => {},
    room: () => undefined,
  };
  const opened = await openSession({
    link,
    user,
    ref: undefined,
    forkOf: undefined,
    roots: [cwd],
    servers: [],
    extensions: undefined,
    prompt: undefined,
    silence: times.setup,
    replay: () => {},
  });
  offers.opened(new SessionSettingsOfAgent(opened.settings), link.hello, opened.how);
  await silenceOf({ link, clock, milliseconds: enough });
  const { close, delete: remove } = link.hello.agentCapabilities.sessionCapabilities;
  if (close) await link.request('session/close', { sessionId: opened.id }, byePatience);
  if (remove) await link.request('session/delete', { sessionId: opened.id }, byePatience);
}

const nobody: SessionReporter = {
  bind: () => {},
  change: () => {},
  record: () => {},
  wake: () => false,
  room: () => undefined,
};
