// Opens a conversation: checks the folder, starts the program, signs in, and opens or restores the session.
import type { ConversationSetup } from '../../../host/agent.ts';
import type { Confinement } from '../../../host/ports.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import type { Problem } from '../../../model/event.ts';
import { authRequired } from '../../../protocols/acp/v1/methods.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { ProcessPool } from '../process/processPool.ts';
import { AgentProcess } from '../process/agentProcess.ts';
import type { ConversationListener } from '../process/conversationRouter.ts';
import { openSession } from './openSession.ts';
import type { OpenedSession, OpenRequest } from './openSession.ts';
import type { CurrentTurn } from './currentTurn.ts';
import type { AgentPorts, AgentProgram, AgentTimes } from '../process/program.ts';
import { signIn } from '../requests/signIn.ts';
import type { TerminalLoginOptions } from '../requests/terminalLogin.ts';
import { failureText } from '../turn/outcome.ts';

/** What opening a conversation needs. */
export interface ConnectPorts {
  readonly pool: ProcessPool;
  readonly program: AgentProgram;
  readonly ports: AgentPorts;
  readonly environment: TerminalLoginOptions['environment'];
  readonly times: AgentTimes;
  /** The tool servers in the settings of a workspace. */
  readonly servers: (roots: readonly string[]) => readonly ToolServer[];
  readonly where: ConversationSetup;
  readonly user: ConversationListener;
  readonly current: CurrentTurn;
}

export interface ConnectOptions extends ConnectPorts {
  readonly ref: string | undefined;
  readonly roots: readonly string[];
  readonly replay: OpenRequest['replay'];
}

interface Connected {
  readonly link: AgentProcess;
  readonly opened: OpenedSession;
}

/** `confined` is set if the program runs in the sandbox. */
export async function connectAgent(
  options: ConnectOptions,
  confined: Confinement | undefined,
): Promise<Connected | Problem> {
  const { files } = options.ports;
  const roots = await Promise.all(options.roots.map((root) => files.realPath(root, root)));
  const [cwd = '/'] = roots;
  if ((await files.stat(cwd))?.type !== 'directory')
    return { code: 'agent-start', message: `The folder ${cwd} of this session does not exist.` };
  const first = await attempt({ ...options, roots }, confined);
  if (!('refused' in first)) return first;
  const problem = await signInToAgent(first.link, { ...options, cwd });
  if (problem === 'not now') return failed(first.refused);
  if (problem) return problem;
  const second = await attempt({ ...options, roots }, confined);
  return 'refused' in second ? failed(second.refused) : second;
}

/** Asks the user to sign in to the agent; undefined if it succeeded. Needs a running turn. */
export async function signInToAgent(
  link: AgentProcess,
  options: ConnectOptions & { readonly cwd: string },
): Promise<Problem | 'not now' | undefined> {
  const { pool, where } = options;
  const turn = options.current.context;
  if (!turn) return 'not now';
  const done = await signIn({ ...options, ...options.ports, link, turn, patience: signInPatience });
  if (typeof done !== 'string') return done;
  // A running program does not notice what happened elsewhere.
  if (done === 'elsewhere') await pool.drop(where.session);
  return undefined;
}

/** The user may have to look up a password. */
const signInPatience = 600_000;

/** `refused` if a sign-in is needed first. */
type Attempt = Connected | Problem | { readonly refused: RpcError; readonly link: AgentProcess };

/** Some agents answer at once and take their time for the conversation. */
function attempt(options: ConnectOptions, confined: Confinement | undefined): Promise<Attempt> {
  const { ports, times, current, program } = options;
  const tellStart = () => current.notice('info', `${program.name} is starting.`);
  return open(options, confined).finally(ports.clock.after(times.start, tellStart));
}

async function open(options: ConnectOptions, confined: Confinement | undefined): Promise<Attempt> {
  const { pool, times, where, user, ref, roots, replay } = options;
  const link = await pool.link(where.session, { cwd: roots[0] ?? '/', confined });
  if (!(link instanceof AgentProcess)) return link;
  const context = options.current.context;
  const wish: OpenRequest = {
    link,
    user,
    ref,
    forkOf: where.forkOf,
    roots,
    servers: serversOf(options),
    extensions: where.extensions,
    prompt: context?.state().systemPrompt,
    silence: times.setup,
    replay,
  };
  try {
    return { link, opened: await openSession(wish) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return error.code === authRequired ? { refused: error, link } : failed(error);
  }
}

/** The servers of clients and of the settings; on equal names the client's wins. */
function serversOf({ where, roots, servers }: ConnectOptions): readonly ToolServer[] {
  const given = where.servers?.() ?? [];
  return [...given, ...servers(roots).filter(({ name }) => !given.some((server) => server.name === name))];
}

function failed(error: RpcError): Problem {
  return { code: 'agent-start', message: failureText(error) };
}
