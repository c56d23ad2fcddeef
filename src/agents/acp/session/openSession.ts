// Restores a conversation of an agent or starts a new one, with the best method that the agent supports.
import type { Extensions, SystemPrompt } from '../../../model/event.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import { newSessionAnswer, openSessionAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { AgentCapabilities, SessionSettingsAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import { authRequired } from '../../../protocols/acp/v1/methods.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { LendableServer } from './lentServers.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import type { ConversationListener } from '../process/conversationRouter.ts';

export interface OpenRequest {
  readonly link: AgentProcess;
  readonly user: ConversationListener;
  readonly ref: string | undefined;
  readonly forkOf: string | undefined;
  readonly roots: readonly string[];
  /** The tool servers of the session. */
  readonly servers: readonly ToolServer[];
  /** The data that the client attached when it created the session. */
  readonly extensions: Extensions | undefined;
  /** System prompt of a client; agents without support get it with the first message. */
  readonly prompt: SystemPrompt | undefined;
  /** How long the agent may be silent meanwhile. */
  readonly silence: number;
  /** Called before and after the agent replays history that our log already has. */
  replay(phase: 'begins' | 'ends'): void;
}

export interface OpenedSession {
  readonly id: string;
  readonly how: 'resumed' | 'loaded' | 'forked' | 'new';
  readonly settings: SessionSettingsAnswer;
  /** Why an earlier conversation could not be continued. */
  readonly lost?: string;
  /** The tool servers that the agent cannot reach. */
  readonly unreached?: readonly string[];
}

/** Throws an RpcError if not even a new one can be started. */
export async function openSession(wish: OpenRequest): Promise<OpenedSession> {
  const { mcpCapabilities } = wish.link.hello.agentCapabilities;
  const unreached = wish.servers
    .filter((server) => !(isLent(server) ? mcpCapabilities.acp : isTaken(server, mcpCapabilities)))
    .map(({ name }) => name);
  return { ...(await openBestWay(wish)), ...(unreached.length > 0 ? { unreached } : {}) };
}

async function openBestWay(wish: OpenRequest): Promise<OpenedSession> {
  const lost: string[] = [];
  const { loadSession, sessionCapabilities } = wish.link.hello.agentCapabilities;
  const ways = [
    ...(wish.ref !== undefined && sessionCapabilities.resume ? [() => resume(wish, wish.ref ?? '')] : []),
    ...(wish.ref !== undefined && loadSession ? [() => load(wish, wish.ref ?? '')] : []),
    ...(wish.ref === undefined && wish.forkOf !== undefined && sessionCapabilities.fork
      ? [() => fork(wish, wish.forkOf ?? '')]
      : []),
  ];
  for (const way of ways) {
    try {
      return await way();
    } catch (error) {
      if (
        !(error instanceof RpcError) ||
        error.code === authRequired ||
        error.code === rpcCodes.connectionClosed
      )
        throw error;
      lost.push(error.message);
    }
  }
  const opened = await begin(wish);
  if (wish.ref === undefined) return opened;
  return { ...opened, lost: lost.length > 0 ? lost.join('; ') : 'it cannot continue earlier conversations' };
}

function place({ link, roots, servers, extensions, prompt }: OpenRequest): object {
  const [cwd, ...more] = roots;
  const { sessionCapabilities, mcpCapabilities } = link.hello.agentCapabilities;
  const directories =
    sessionCapabilities.additionalDirectories && more.length > 0 ? { additionalDirectories: more } : {};
  return {
    cwd,
    mcpServers: servers.flatMap((server) => {
      if (isLent(server)) return mcpCapabilities.acp ? [link.lent.lend(server)] : [];
      return isTaken(server, mcpCapabilities) ? [mcpServer(server)] : [];
    }),
    ...directories,
    ...(extensions && { _meta: extensions }),
    ...(prompt &&
      sessionCapabilities.systemPrompt && {
        systemPrompt: { mode: prompt.mode, content: [{ type: 'text', text: prompt.text }] },
      }),
  };
}

type Reachable = Exclude<ToolServer, LendableServer>;

function isLent(server: ToolServer): server is LendableServer {
  return server.type === 'client';
}

function isTaken(server: Reachable, takes: AgentCapabilities['mcpCapabilities']): boolean {
  return takes[server.type === 'process' ? 'stdio' : server.type];
}

function mcpServer(server: Reachable): object {
  const pairs = (values: { readonly [name: string]: string }) =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  if (server.type === 'process')
    return { name: server.name, command: server.command, args: server.args, env: pairs(server.env) };
  return { type: server.type, name: server.name, url: server.url, headers: pairs(server.headers) };
}

async function resume(wish: OpenRequest, id: string): Promise<OpenedSession> {
  return { id, how: 'resumed', settings: await known(wish, id, 'session/resume') };
}

async function load(wish: OpenRequest, id: string): Promise<OpenedSession> {
  wish.replay('begins');
  try {
    return { id, how: 'loaded', settings: await known(wish, id, 'session/load') };
  } finally {
    wish.replay('ends');
  }
}

/** Updates of a conversation with a known id may arrive before the answer. */
async function known(wish: OpenRequest, id: string, method: string): Promise<SessionSettingsAnswer> {
  const { link, user, silence } = wish;
  link.router.join(id, user);
  try {
    return openSessionAnswer.parse(
      (await link.router.opening(user, link.request(method, { sessionId: id, ...place(wish) }, silence))) ??
        {},
    );
  } catch (error) {
    link.router.part(id, user);
    throw error;
  }
}

async function fork(wish: OpenRequest, source: string): Promise<OpenedSession> {
  return created(wish, 'session/fork', { sessionId: source, ...place(wish) });
}

async function begin(wish: OpenRequest): Promise<OpenedSession> {
  return created(wish, 'session/new', place(wish));
}

async function created(wish: OpenRequest, method: string, params: object): Promise<OpenedSession> {
  const { link, user, silence } = wish;
  const opening = link.request(method, params, silence).then((answer) => {
    const read = newSessionAnswer.safeParse(answer);
    if (!read.success)
      throw new RpcError(rpcCodes.internalError, `The answer to ${method} has no sessionId.`);
    link.router.join(read.data.sessionId, user);
    return read.data;
  });
  const { sessionId, ...settings } = await link.router.opening(user, opening);
  return { id: sessionId, how: method === 'session/fork' ? 'forked' : 'new', settings };
}
