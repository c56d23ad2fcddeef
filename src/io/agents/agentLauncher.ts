// Starts external agents with a filtered environment and their own process group, in the sandbox where they
// are to be confined; they end with us. Knows no protocol.
import type { Beginning } from '../../rpc/processes/beginning.ts';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { extname, join } from 'node:path';
import type { Confinement } from '../../host/ports.ts';
import { agentEnvironment } from './agentEnvironment.ts';
import { findProgram } from '../processes/findProgram.ts';
import { sealedStdio } from '../processes/sealedPipes.ts';
import { createChildTransport } from '../../rpc/transports/child.ts';
import type { ChildTransport } from '../../rpc/transports/child.ts';
import { confineIf } from '../sandbox/confineIf.ts';
import type { ConfinedStart } from '../sandbox/confineIf.ts';
import type { Variables } from '../sandbox/innerVariables.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';

type Environment = { readonly [name: string]: string | undefined };

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Environment;
  readonly inherits?: readonly string[];
  readonly quirks?: { readonly end?: 'ignored'; readonly askingEnv?: { readonly [name: string]: string } };
  readonly needs?: AgentPlaces;
}

/** The folders and files of an agent, and the variables that name further ones. */
interface AgentPlaces {
  readonly folders: readonly string[];
  readonly variables?: readonly string[];
}

interface LaunchOptions {
  readonly cwd: string;
  readonly confined?: Confinement | undefined;
  readonly project?: Environment | undefined;
  stderr(line: string): void;
}

/**
 * How long a program may take to exit, in milliseconds. Programs known to ignore the end
 * of input get less time.
 */
const graceMs = 1_500;
const shortGraceMs = 300;

/** The returned function throws for a program that must be confined and cannot be. */
export function agentLauncher(
  own: Environment,
  sandbox?: Pick<Sandbox, 'confine'>,
): (program: Program, options: LaunchOptions) => ChildTransport & Beginning {
  return (program, options) => {
    const env = agentEnvironment(own, program, options.project);
    // What the project says decides neither which program runs nor what it may do.
    const usual = agentEnvironment(own, program);
    const inside = insideSandbox(program, { ...options, sandbox, env, usual });
    const [command = '', ...args] = inside.words;
    const transport = createChildTransport({
      command,
      args,
      cwd: options.cwd,
      stderr: (line) => options.stderr(line),
      framing: ndjson,
      env: { ...inside.env },
      descriptors: hiddenDescriptors(),
      graceMs: program.quirks?.end === 'ignored' ? shortGraceMs : graceMs,
    });
    void transport.exited.then(() => inside.release());
    return Object.assign(transport, { hasBegun: inside.hasBegun });
  };
}

interface Inside extends LaunchOptions {
  readonly sandbox: Pick<Sandbox, 'confine'> | undefined;
  readonly env: Variables;
  /** The environment without the project. */
  readonly usual: Environment;
}

function insideSandbox(
  { command, args, needs }: Program,
  { cwd, confined, sandbox, env, usual }: Inside,
): ConfinedStart {
  const words = [findProgram(command, usual) ?? command, ...args];
  if (!confined) return { words, env, release: () => {} };
  const own = needs ? placesOf(needs, usual) : [];
  for (const path of own)
    if (extname(path) === '' && !existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  const inside = confineIf(words, { cwd, confined: { ...confined, own }, env }, sandbox);
  if ('refused' in inside) throw new Error(inside.refused);
  return inside;
}

/** The folders that the programs of the system keep their settings in have names of their own. */
function placesOf({ folders, variables = [] }: AgentPlaces, env: Environment): readonly string[] {
  const home = env['HOME'] ?? homedir();
  const moved: readonly (readonly [variable: string, folder: string])[] = [
    ['XDG_CONFIG_HOME', '~/.config/'],
    ['XDG_DATA_HOME', '~/.local/share/'],
    ['XDG_STATE_HOME', '~/.local/state/'],
  ];
  const named = folders.flatMap((path) =>
    moved.flatMap(([variable, folder]) =>
      env[variable] !== undefined && path.startsWith(folder)
        ? [join(env[variable], path.slice(folder.length))]
        : [],
    ),
  );
  return [
    ...folders.map((path) => (path.startsWith('~/') ? join(home, path.slice(2)) : path)),
    ...named,
    ...variables.flatMap((variable) => env[variable] ?? []),
  ];
}

/** Hides our own file descriptors from the program. */
function hiddenDescriptors(): readonly (number | 'ignore')[] {
  const stdio: readonly unknown[] = sealedStdio(['pipe', 'pipe', 'pipe']);
  return stdio.slice(3).map((entry) => (typeof entry === 'number' ? entry : 'ignore'));
}
