// Signs in to an agent: the user chooses a method; the agent does it, or its program in a visible terminal.
// Otherwise the user gets instructions.
import { startsOthers } from '../../../host/policy/knownPrograms.ts';
import type { Problem } from '../../../model/event.ts';
import type { AuthMethod } from '../../../protocols/acp/v1/answerSchema.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import { shellQuoted } from '../turn/commandText.ts';
import type { AgentProgram } from '../process/program.ts';
import { terminalLogin } from './terminalLogin.ts';
import type { TerminalLogin, TerminalLoginOptions } from './terminalLogin.ts';

export interface AgentSignInOptions extends TerminalLoginOptions {
  readonly link: AgentProcess;
  /** How long the agent may be silent while the user signs in elsewhere. */
  readonly patience: number;
}

/**
 * `done` by the agent itself, or `elsewhere`, which requires a restart of the program; otherwise the problem
 * and what to do.
 */
export type SignedIn = 'done' | 'elsewhere' | Problem;

export async function signIn(place: AgentSignInOptions): Promise<SignedIn> {
  const { program, turn } = place;
  const methods = waysOf(place).filter(({ type }) => type !== 'env_var');
  if (methods.length === 0) return required(place);
  const question = `How do you want to sign in to ${program.name}?`;
  const choices = methods.map((method) => ({
    id: method.id,
    label: method.name || method.id,
    ...describe(method, place),
  }));
  const answer = await turn.ask({
    kind: 'question',
    message: `${program.name} needs you to sign in.`,
    questions: [{ id: 'method', message: question, required: true, answer: { type: 'one', choices } }],
  });
  const chosen =
    answer.kind === 'fields' ? methods.find(({ id }) => id === answer.values['method']) : undefined;
  if (!chosen) return required(place);
  const login = loginOf(chosen, place);
  if (!login) return authenticate(chosen, place);
  return (await terminalLogin(login, { ...place, cwd: folderOf(place) })) ?? 'elsewhere';
}

async function authenticate(
  { id, name }: AuthMethod,
  { link, program, patience }: AgentSignInOptions,
): Promise<SignedIn> {
  try {
    await link.request('authenticate', { methodId: id }, patience);
    return 'done';
  } catch (error) {
    return {
      code: 'signin-failed',
      message:
        `Signing in to ${program.name} with ${name || id} failed: ` +
        (error instanceof RpcError ? error.message : 'unknown cause'),
    };
  }
}

/**
 * What runs in a terminal for this way to sign in: the program that we know, with more arguments and
 * variables, or a command that older agents name. Both can be anything, so people see it before they choose.
 * It runs outside the sandbox, so a confined agent chooses nothing but arguments of its own program.
 */
function loginOf(
  { type, id, name, args, env, _meta: meta }: AuthMethod,
  { program, link }: AgentSignInOptions,
): TerminalLogin | undefined {
  const own = meta?.['terminal-auth'];
  const command = own && !link.confined ? own.command : program.command;
  const variables = own || link.confined ? {} : (env ?? {});
  if (own) return { name: name || id, command, args: own.args, env: variables };
  return type === 'terminal'
    ? { name: name || id, command, args: [...program.args, ...(args ?? [])], env: variables }
    : undefined;
}

/** The ways to sign in that the agent offers. A confined agent may not make us run another program. */
function waysOf({ program, link }: AgentSignInOptions): readonly AuthMethod[] {
  const { authMethods } = link.hello;
  return link.confined ? authMethods.filter((method) => !runsAnother(method, program)) : authMethods;
}

function runsAnother({ _meta: meta }: AuthMethod, { command, args }: AgentProgram): boolean {
  const named = meta?.['terminal-auth'];
  if (!named) return false;
  const isSame = fileName(named.command) === fileName(command);
  const mayBeLauncher = isLauncher(fileName(command)) || args.some((word) => /^(?:--|exec|run)$/.test(word));
  return !isSame || (mayBeLauncher && args.some((word, at) => word !== named.args[at]));
}

/** Whether it starts the program that one of its arguments names. */
function isLauncher(name: string): boolean {
  return startsOthers(name) || otherLaunchers.test(name);
}

const otherLaunchers = /^(?:uvx|pipx|python[\d.]*|\w*sh|nix-\w+|flatpak|snap|distrobox|toolbox|volta|pixi)$/;

function fileName(path: string): string {
  return path.replace(/^.*[/\\]/, '');
}

/**
 * Where the program of a sign-in runs. That of a confined agent runs outside the sandbox, so it must not find
 * what the agent has left in the workspace.
 */
function folderOf({ program, link, cwd, environment }: AgentSignInOptions): string {
  return (link.confined && environment(program)['HOME']) || cwd;
}

/** What would run comes before the words of the agent, which may be long. */
function describe(method: AuthMethod, place: AgentSignInOptions): { readonly description?: string } {
  const login = loginOf(method, place);
  const outside = place.link.confined ? ', outside the sandbox' : '';
  const where = login && `Runs ${commandLine(login)} in a terminal${outside}.`;
  const words = [where, method.description].filter((part) => part !== undefined).join(' ');
  return words === '' ? {} : { description: words };
}

function required(place: AgentSignInOptions): Problem {
  const { program } = place;
  const ways = waysOf(place).map((method) => wayOf(method, place));
  const hint =
    program.signIn ?? (ways.length === 0 ? 'Run the program in a terminal and sign in there.' : undefined);
  return {
    code: 'signin-required',
    message: [`${program.name} needs you to sign in.`, ...(hint === undefined ? [] : [hint]), ...ways].join(
      ' ',
    ),
  };
}

function wayOf(method: AuthMethod, place: AgentSignInOptions): string {
  const { name, id, type, vars } = method;
  const { program } = place;
  const login = loginOf(method, place);
  if (login) return `${name || id}: choose it when asked, or run ${commandLine(login)} in a terminal.`;
  if (type === 'env_var')
    return (
      `${name || id}: set ${(vars ?? []).map((variable) => variable.name).join(', ') || 'its variables'} ` +
      `for the agent with "parley agents add ${program.id} --env NAME=VALUE".`
    );
  return `${name || id}: choose it when asked.`;
}

function commandLine({ command, args, env }: TerminalLogin): string {
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  return `"${[...variables, command, ...args].map(shellQuoted).join(' ')}"`;
}
