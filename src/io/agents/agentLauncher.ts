// Starts agent programs: little of our environment, a process group of their own, and an end with us. Knows nothing of what they speak.
import { childEnvironment } from '../processes/environment.ts';
import { sealed } from '../processes/sealedPipes.ts';
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

interface Place {
  readonly cwd: string;
  stderr(line: string): void;
}

/** Agents reach their models over the network, so they need to know the way there. */
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

/** How long a program may take to leave, in milliseconds; one that is known not to is asked at once. */
const graceMs = 1_500;
const shortGraceMs = 300;

export function agentLauncher(own: Environment): (program: Program, place: Place) => ChildTransport {
  return (program, place) =>
    createChildTransport({
      command: program.command,
      args: program.args,
      cwd: place.cwd,
      stderr: (line) => place.stderr(line),
      framing: ndjson,
      env: agentEnvironment(own, program),
      descriptors: hidden(),
      graceMs: program.quirks?.end === 'ignored' ? shortGraceMs : graceMs,
    });
}

/** All that a program of an agent may know of our environment. */
export function agentEnvironment(
  own: Environment,
  { inherits = [], env }: Pick<Program, 'inherits' | 'env'>,
): Record<string, string> {
  return childEnvironment(own, { ...inherited(own, [...network, ...inherits]), ...env });
}

/** What stands in the places of the descriptors that no program may have. */
function hidden(): readonly (number | 'ignore')[] {
  const places: readonly unknown[] = sealed(['pipe', 'pipe', 'pipe']);
  return places.slice(3).map((place) => (typeof place === 'number' ? place : 'ignore'));
}

/** The variables that a list names; a star at the end of a name stands for any ending. */
function inherited(own: Environment, names: readonly string[]): Environment {
  const wanted = (name: string) =>
    names.some((pattern) =>
      pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
    );
  return Object.fromEntries(Object.entries(own).filter(([name]) => wanted(name)));
}
