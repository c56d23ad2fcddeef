// Finds out what an agent offers before anybody has said anything to it: opens a conversation, listens for a moment, and leaves nothing behind.
import type { Aside } from '../../../host/agent.ts';
import { readUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import { Link } from './agentProcess.ts';
import type { LinkOptions } from './agentProcess.ts';
import type { LinkUser } from './conversationRouter.ts';
import { Novelties } from '../session/agentOffers.ts';
import type { Learned } from '../session/agentOffers.ts';
import { openSession } from '../session/openSession.ts';
import { Settings } from '../session/settings.ts';
import { silenceOf } from './silenceWatch.ts';

/** How long an agent may be silent before it has told everything, and how long it may take to say goodbye, in milliseconds. */
const enough = 500;
const byePatience = 2_000;

/** An agent that cannot be started, or wants somebody to sign in first, tells nothing; the first message to it says why. */
export async function explore(options: LinkOptions, learned: (learned: Learned) => void): Promise<void> {
  const link = await Link.start(options);
  if (!(link instanceof Link)) return;
  try {
    await listen(link, options, learned);
  } catch {
    // Somebody who really wants to speak with it will hear what is wrong.
  } finally {
    await link.close();
  }
}

async function listen(
  link: Link,
  { clock, times, cwd }: LinkOptions,
  learned: (learned: Learned) => void,
): Promise<void> {
  const novelties = new Novelties(nobody, learned);
  const user: LinkUser = {
    update(value) {
      const update = readUpdate(value);
      if (update) novelties.take(update, undefined);
    },
    request: () => Promise.reject(new RpcError(rpcCodes.internalError, 'Nobody is here.')),
    elicited: () => {},
  };
  const opened = await openSession({
    link,
    user,
    ref: undefined,
    forkOf: undefined,
    roots: [cwd],
    servers: [],
    meta: undefined,
    prompt: undefined,
    silence: times.setup,
    replay: () => {},
  });
  novelties.opened(new Settings(opened.settings), link.hello);
  await silenceOf({ link, clock, milliseconds: enough });
  const { close, delete: remove } = link.hello.agentCapabilities.sessionCapabilities;
  if (close) await link.request('session/close', { sessionId: opened.id }, byePatience);
  if (remove) await link.request('session/delete', { sessionId: opened.id }, byePatience);
}

const nobody: Aside = {
  bind: () => {},
  change: () => {},
  record: () => {},
  note: () => {},
  wake: () => false,
};
