// Whether an agent runs in the sandbox in this session now, and which of its modes it has there.
import type { Confinement } from '../../../host/ports.ts';
import type { Problem } from '../../../model/event.ts';
import type { AgentProgram } from '../process/program.ts';
import type { CurrentTurn } from './currentTurn.ts';

/** Undefined if it runs with the rights of the user. A problem if it must be confined and cannot be. */
export async function agentLimits(
  { id, name, sandbox = 'off' }: AgentProgram,
  { context, roots }: CurrentTurn,
): Promise<Confinement | Problem | undefined> {
  if (sandbox === 'off') return undefined;
  const limits = await context?.workspace.limits(sandbox === 'on' ? 'always' : 'auto');
  if (!limits) return undefined;
  if ('refused' in limits)
    return {
      code: 'agent-start',
      message: `${name} must run in the sandbox (agents.${id}.sandbox is on). ${limits.refused}`,
    };
  // Its model is on the network. Sessions in the same folders share one program.
  return { write: limits.write, network: 'on', scratch: JSON.stringify([id, ...roots]), isLasting: true };
}

/** In the sandbox an agent with a sandbox of its own always has the mode that leaves it out. */
export function modeInside({ needs }: AgentProgram, confined: Confinement | undefined): string | undefined {
  return confined && needs?.mode;
}
