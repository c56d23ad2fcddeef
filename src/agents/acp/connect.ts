// The way to an open conversation: a folder that exists, a running program, somebody signed in, and the best of the ways to open it.
import type { TurnContext, Where } from '../../host/agent.ts';
import { givenPrompt } from '../../host/attached.ts';
import type { Files } from '../../host/ports.ts';
import type { Problem } from '../../model/event.ts';
import { authRequired } from '../../protocols/acp/v1/methods.ts';
import { RpcError } from '../../rpc/rpcError.ts';
import type { Keeper } from './keeper.ts';
import { Link } from './link.ts';
import type { LinkUser } from './link.ts';
import { openSession } from './openSession.ts';
import type { Opened, OpenWish } from './openSession.ts';
import type { AgentProgram, Times } from './program.ts';
import { signIn } from './signIn.ts';
import { wordsOf } from './turn.ts';

export interface ConnectOptions {
  readonly keeper: Keeper;
  readonly program: AgentProgram;
  readonly files: Files;
  readonly times: Times;
  readonly where: Where;
  readonly user: LinkUser;
  readonly ref: string | undefined;
  readonly roots: readonly string[];
  /** The turn in which people can be asked something now. */
  readonly context: () => TurnContext | undefined;
  readonly replay: OpenWish['replay'];
}

export async function connect(options: ConnectOptions): Promise<{ readonly link: Link; readonly opened: Opened } | Problem> {
  const { keeper, files, where } = options;
  const roots = await Promise.all(options.roots.map((root) => files.realPath(root, root)));
  const [cwd = '/'] = roots;
  if ((await files.stat(cwd))?.type !== 'directory') return { code: 'agent-start', message: `The folder ${cwd} of this session does not exist.` };
  const link = await keeper.link(where.session, cwd);
  if (!(link instanceof Link)) return link;
  const opened = await open(link, { ...options, roots });
  return 'code' in opened ? opened : { link, opened };
}

async function open(link: Link, options: ConnectOptions): Promise<Opened | Problem> {
  const { program, times, where, user, ref, roots, replay } = options;
  const context = options.context();
  const wish: OpenWish = { link, user, ref, forkOf: where.forkOf, roots, servers: where.servers?.() ?? [], meta: where.meta, prompt: context && givenPrompt(context.state()), silence: times.setup, replay };
  const first = await attempt(wish);
  if (!(first instanceof RpcError)) return first;
  if (first.code !== authRequired || !context) return failed(first);
  const problem = await signIn({ link, program, turn: context, patience: signInPatience });
  if (problem) return problem;
  const second = await attempt(wish);
  return second instanceof RpcError ? failed(second) : second;
}

/** Somebody may have to find a password. */
const signInPatience = 600_000;

async function attempt(wish: OpenWish): Promise<Opened | RpcError> {
  try {
    return await openSession(wish);
  } catch (error) {
    if (error instanceof RpcError) return error;
    throw error;
  }
}

function failed(error: RpcError): Problem {
  return { code: 'agent-start', message: wordsOf(error) };
}
