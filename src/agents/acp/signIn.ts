// Signing in to an agent: a human chooses how, the agent does it. What only works in the agent's own terminal is told in words.
import type { TurnContext } from '../../host/agent.ts';
import type { Problem } from '../../model/event.ts';
import type { AuthMethod } from '../../protocols/acp/v1/answerSchema.ts';
import { RpcError } from '../../rpc/rpcError.ts';
import type { Link } from './link.ts';
import { quoted } from './permissions.ts';
import type { AgentProgram } from './program.ts';

export interface SignInPlace {
  readonly link: Link;
  readonly program: AgentProgram;
  readonly turn: TurnContext;
  /** How long the agent may be silent while somebody signs in elsewhere. */
  readonly patience: number;
}

/** Undefined once the agent says that it was done; otherwise why not, and what to do. */
export async function signIn(place: SignInPlace): Promise<Problem | undefined> {
  const { link, program, turn } = place;
  const methods = link.hello.authMethods.filter(({ type, _meta: meta }) => type !== 'terminal' && meta === undefined);
  if (methods.length === 0) return required(place);
  const question = `How do you want to sign in to ${program.name}?`;
  const choices = methods.map(({ id, name, description }) => ({ id, label: name || id, ...(description === undefined ? {} : { description }) }));
  const answer = await turn.ask({ kind: 'question', message: `${program.name} needs you to sign in.`, questions: [{ id: 'method', message: question, required: true, answer: { type: 'one', choices } }] });
  const chosen = answer.kind === 'fields' ? methods.find(({ id }) => id === answer.values['method']) : undefined;
  return chosen ? authenticate(chosen, place) : required(place);
}

async function authenticate({ id, name }: AuthMethod, { link, program, patience }: SignInPlace): Promise<Problem | undefined> {
  try {
    await link.request('authenticate', { methodId: id }, patience);
    return undefined;
  } catch (error) {
    return { code: 'signin-failed', message: `Signing in to ${program.name} with ${name || id} failed: ${error instanceof RpcError ? error.message : 'unknown cause'}` };
  }
}

function required({ link, program }: SignInPlace): Problem {
  const ways = link.hello.authMethods.map((method) => wayOf(method, program));
  const hint = program.signIn ?? (ways.length === 0 ? 'Sign in with the program itself, in a terminal.' : undefined);
  return { code: 'signin-required', message: [`${program.name} needs you to sign in.`, ...(hint === undefined ? [] : [hint]), ...ways].join(' ') };
}

/** The agent cannot choose the program that is run: it is the one we know, with more arguments. */
function wayOf({ type, name, id, args, env, _meta: meta }: AuthMethod, program: AgentProgram): string {
  const own = meta?.['terminal-auth'];
  if (own) return `${name || id}: run ${commandLine([own.command, ...own.args])} in a terminal.`;
  if (type !== 'terminal') return `${name || id}: choose it when asked.`;
  const variables = Object.entries(env ?? {}).map(([key, value]) => `${key}=${value}`);
  return `${name || id}: run ${commandLine([...variables, program.command, ...program.args, ...(args ?? [])])} in a terminal.`;
}

function commandLine(words: readonly string[]): string {
  return `"${words.map(quoted).join(' ')}"`;
}
