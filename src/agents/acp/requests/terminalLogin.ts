// A way to sign in that wants a terminal: the program runs in one of the host's, which is part of the turn,
// so every client shows it and any may type in it.
import { onAbort } from '../../../base/waiting.ts';
import type { TurnContext } from '../../../host/agent.ts';
import type { Clock, Ids } from '../../../host/ports.ts';
import type { ProgramEnd, Programs } from '../../../host/terminals/programs.ts';
import type { Content, Problem, ToolResult } from '../../../model/event.ts';
import type { AgentProgram } from '../process/program.ts';
import { QuietTimer } from '../process/quietTimer.ts';

export interface TerminalLogin {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: { readonly [name: string]: string };
}

export interface TerminalLoginOptions {
  readonly program: AgentProgram;
  readonly programs: Programs;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly turn: TurnContext;
  readonly cwd: string;
  /** All that a program of the agent may know of our environment. */
  readonly environment: (program: AgentProgram) => { readonly [name: string]: string };
  /** Timeout without any activity. */
  readonly patience: number;
}

/** How many characters of the output clients without terminals get. */
const told = 20_000;

/** Runs the login in a terminal of the session; undefined if it succeeded. */
export async function terminalLogin(
  login: TerminalLogin,
  place: TerminalLoginOptions,
): Promise<Problem | undefined> {
  const { program, programs, ids, clock, turn, cwd, environment, patience } = place;
  const [tool, id] = [ids.next(), ids.next()];
  const title = `Sign in to ${program.name}: ${login.name}`;
  const shown: readonly Content[] = [{ type: 'terminal', terminal: id, title }];
  let printed = '';
  const output = (text: string) => {
    quiet.restart();
    const words = plainWords(text);
    if (printed.length < told && words !== '')
      turn.report({ kind: 'tool.output', tool, output: { append: words } });
    printed += words;
    if (!linked) linked = tellLink(printed, place);
  };
  let linked = false;
  reportStart(login, place, { tool, title, shown });
  const running = programs.start({
    command: login.command,
    args: login.args,
    cwd,
    env: { ...environment(program), ...login.env },
    output,
    shown: {
      id,
      title,
      owner: { kind: 'session', session: turn.session.id, chat: turn.session.chat, turn: turn.session.turn },
      reader: 'people',
    },
  });
  const quiet = new QuietTimer({ clock, milliseconds: patience }, () => running.kill());
  const leave = onAbort(turn.signal, () => running.kill());
  const end = await running.ended;
  leave();
  quiet.end();
  const failure = failureOf(end, printed);
  const result: ToolResult =
    failure === undefined
      ? { status: 'done', content: shown, raw: { exitCode: 0 } }
      : { status: 'failed', content: shown, error: failure };
  turn.report({ kind: 'tool.ended', tool, result });
  if (failure === undefined) return undefined;
  const message = `Signing in to ${program.name} with ${login.name} failed: ${failure}`;
  return { code: 'signin-failed', message };
}

/** The sign-in is shown as a tool call whose content is the terminal. */
function reportStart(
  login: TerminalLogin,
  { program, turn }: TerminalLoginOptions,
  { tool, title, shown }: { tool: string; title: string; shown: readonly Content[] },
): void {
  turn.report({
    kind: 'notice.added',
    level: 'info',
    text:
      `${program.name} is waiting for you in the terminal "${title}". If your client shows no terminals, ` +
      'run "parley" and use the console.',
  });
  turn.report({ kind: 'tool.started', tool, name: 'sign_in', title, toolKind: 'execute', source: 'agent' });
  turn.report({
    kind: 'tool.ready',
    tool,
    input: { command: [login.command, ...login.args].join(' ') },
    title,
    toolKind: 'execute',
  });
  turn.report({ kind: 'tool.running', tool, basis: { how: 'agent' } });
  turn.report({ kind: 'tool.output', tool, output: { replace: shown } });
}

/** Most sign-ins only need a URL opened; reports it once it is complete, for clients without terminals. */
function tellLink(printed: string, { turn, program }: TerminalLoginOptions): boolean {
  const link = /(https?:\/\/[^\s"'<>]+)\s/.exec(printed)?.[1];
  if (link !== undefined)
    turn.report({
      kind: 'notice.added',
      level: 'info',
      text: `${program.name} asks you to open this page: ${link}`,
    });
  return link !== undefined;
}

function failureOf(end: ProgramEnd, printed: string): string | undefined {
  if (end.kind === 'exited' && end.code === 0) return undefined;
  const last = printed.trim().split('\n').at(-1)?.trim() ?? '';
  const how = describeEnd(end);
  return last === '' ? how : `${how} Its last output: ${last.slice(0, 300)}`;
}

function describeEnd(end: ProgramEnd): string {
  if (end.kind === 'failed') return end.message;
  if (end.kind === 'signalled') return `it was stopped (${end.signal}).`;
  return `it ended with exit code ${end.code}.`;
}

/** The output without escape sequences, for clients without terminals. */
function plainWords(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g, '')
      // oxlint-disable-next-line no-control-regex -- as above
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
  );
}
