// Starts external agents with a filtered environment and their own process group; they end with
// us. Knows no protocol.
import { childEnvironment } from '../processes/environment.ts';
import { withoutHidden } from '../processes/sealedPipes.ts';
import { createChildTransport } from '../../rpc/transports/child.ts';
import type { ChildTransport } from '../../rpc/transports/child.ts';
import { ndjson } from '../../rpc/framing/ndjson.ts';

type Environment = { readonly [name: string]: string | undefined };

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Environment;
  readonly inherits?: readonly string[];
  readonly quirks?: { readonly end?: 'ignored' };
}

interface LaunchOptions {
  readonly cwd: string;
  stderr(line: string): void;
}

/** Agents need the proxy settings to reach their models. */
const network = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
];

/**
 * How long a program may take to exit, in milliseconds. Programs known to ignore the end
 * of input get less time.
 */
const graceMs = 1_500;
const shortGraceMs = 300;

export function agentLauncher(
  own: Environment,
): (program: Program, options: LaunchOptions) => ChildTransport {
  return (program, options) =>
    createChildTransport({
      command: program.command,
      args: program.args,
      cwd: options.cwd,
      stderr: (line) => options.stderr(line),
      framing: ndjson,
      env: agentEnvironment(own, program),
      descriptors: hiddenDescriptors(),
      graceMs: program.quirks?.end === 'ignored' ? shortGraceMs : graceMs,
    });
}

/** The environment of an agent program. */
export function agentEnvironment(
  own: Environment,
  { inherits = [], env }: Pick<Program, 'inherits' | 'env'>,
): Record<string, string> {
  return childEnvironment(own, { ...inherited(own, [...network, ...inherits]), ...env });
}

/** Hides our own file descriptors from the program. */
function hiddenDescriptors(): readonly (number | 'ignore')[] {
  const stdio: readonly unknown[] = withoutHidden(['pipe', 'pipe', 'pipe']);
  return stdio.slice(3).map((entry) => (typeof entry === 'number' ? entry : 'ignore'));
}

/** The variables in a list of names; a name may end in `*` as a wildcard. */
function inherited(own: Environment, names: readonly string[]): Environment {
  const wanted = (name: string) =>
    names.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
  return Object.fromEntries(Object.entries(own).filter(([name]) => wanted(name)));
}
