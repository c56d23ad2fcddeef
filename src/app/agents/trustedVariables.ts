// The variables of a project for an agent: those of direnv and mise, where the user trusts the folder.
import { otherProvidersSecret } from '../../agents/acp/providerSecrets.ts';
import type { AgentProgram, ProgramPlace } from '../../agents/acp/process/program.ts';
import { agentEnvironment } from '../../io/agents/agentEnvironment.ts';
import { projectVariables } from '../../io/processes/projectVariables.ts';
import type { ProjectVariables } from '../../io/processes/projectVariables.ts';
import type { Sandbox } from '../../io/sandbox/sandbox.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore } from '../../io/settings/trust.ts';

export interface TrustedVariablesOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (problem: unknown, about: string) => void;
  /** Without it nothing is read for a program that is confined. */
  readonly sandbox?: Pick<Sandbox, 'confine'>;
}

/** Keys of other model providers are left out. */
export async function trustedVariables(
  place: ProgramPlace,
  program: AgentProgram,
  { env, ...options }: TrustedVariablesOptions,
): Promise<ProjectVariables> {
  if (trustStore(settingsFiles(env).trust).said(place.cwd) !== 'trusted') return {};
  const found = await projectVariables(place, agentEnvironment(env, program), options);
  return Object.fromEntries(Object.entries(found).filter(([name]) => !otherProvidersSecret(name, program)));
}
