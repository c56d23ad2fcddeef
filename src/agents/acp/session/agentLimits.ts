// Whether an agent runs in the sandbox in this session now, what it reaches, and which mode it has there.
import { present } from '../../../base/present.ts';
import type { Confinement } from '../../../host/ports.ts';
import type { ToolServer } from '../../../host/workspace/workbench.ts';
import type { Problem, SandboxNetwork } from '../../../model/event.ts';
import { modelHosts } from '../modelHosts.ts';
import type { AgentProgram } from '../process/program.ts';
import type { CurrentTurn } from './currentTurn.ts';

export interface AgentSurroundings {
  readonly current: CurrentTurn;
  readonly environment: (program: AgentProgram) => { readonly [name: string]: string };
  readonly servers: (roots: readonly string[]) => readonly ToolServer[];
}

/** Undefined if it runs with the rights of the user. A problem if it must be confined and cannot be. */
export async function agentLimits(
  program: AgentProgram,
  { current, environment, servers }: AgentSurroundings,
): Promise<Confinement | Problem | undefined> {
  const { id, name, sandbox = 'off' } = program;
  const { context, roots } = current;
  if (sandbox === 'off') return undefined;
  const limits = await context?.workspace.limits(sandbox === 'on' ? 'always' : 'auto', name);
  if (!limits) return undefined;
  if ('refused' in limits)
    return {
      code: 'agent-start',
      message: `${name} must run in the sandbox (agents.${id}.sandbox is on). ${limits.refused}`,
    };
  // Sessions in the same folders share one program.
  const scratch = JSON.stringify([id, ...roots]);
  const { write, reach } = limits;
  const hosts = modelHosts(program, environment(program), servers(roots));
  return { write, scratch, isLasting: true, ...present({ reach }), ...agentNetwork(limits.network, hosts) };
}

/** An agent always reaches its model; with the network `off` nothing else, and nobody is asked. */
export function agentNetwork(
  network: SandboxNetwork,
  { hosts, known }: ReturnType<typeof modelHosts>,
): Pick<Confinement, 'network' | 'hosts' | 'known'> {
  return network === 'on' ? { network } : { network: 'ask', hosts, known };
}

/** In the sandbox an agent with a sandbox of its own always has the mode that leaves it out. */
export function modeInside({ needs }: AgentProgram, confined: Confinement | undefined): string | undefined {
  return confined && needs?.mode;
}
