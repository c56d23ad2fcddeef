// Tests an agent without a session: starts it, does the handshake, lists its sessions, and ends it.
import type { Problem } from '../../../model/event.ts';
import { listAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { AgentProcess } from './agentProcess.ts';
import type { AgentProcessOptions, DroppedMessages } from './agentProcess.ts';

export interface Probe {
  readonly hello: InitializeAnswer;
  /** From the start of the program to its first answer, in milliseconds. */
  readonly startMs: number;
  /** The conversations it remembers for this folder; undefined if it cannot list them. */
  readonly conversations: readonly RememberedConversation[] | undefined;
  readonly dropped: DroppedMessages;
}

export interface RememberedConversation {
  readonly id: string;
  readonly cwd: string;
  readonly title: string;
  readonly updatedAt: string | undefined;
}

/** An agent that never ends its list is not listened to for ever. */
const pageLimit = 20;

export async function probe(options: AgentProcessOptions): Promise<Probe | Problem> {
  const { clock } = options;
  const started = clock.elapsed();
  const link = await AgentProcess.start(options);
  if (!(link instanceof AgentProcess)) return link;
  const startMs = clock.elapsed() - started;
  try {
    return {
      hello: link.hello,
      startMs,
      conversations: await conversationsOf(link, options),
      dropped: link.dropped,
    };
  } finally {
    await link.close();
  }
}

async function conversationsOf(
  link: AgentProcess,
  { cwd, times }: AgentProcessOptions,
): Promise<readonly RememberedConversation[] | undefined> {
  if (!link.hello.agentCapabilities.sessionCapabilities.list) return undefined;
  const found: RememberedConversation[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < pageLimit; page += 1) {
    const answer = await link
      .request('session/list', { cwd, ...(cursor === undefined ? {} : { cursor }) }, times.setup)
      .catch(() => undefined);
    const read = listAnswer.safeParse(answer);
    if (!read.success) return page === 0 ? undefined : found;
    found.push(
      ...read.data.sessions.map(({ sessionId, title, updatedAt, ...rest }) => ({
        id: sessionId,
        cwd: rest.cwd,
        title: title ?? '',
        updatedAt,
      })),
    );
    cursor = read.data.nextCursor;
    if (cursor === undefined) break;
  }
  return found;
}
