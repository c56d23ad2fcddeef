// The variables of a project for an agent: those of direnv and mise, where the user trusts the folder.
import { otherProvidersSecret } from '../../agents/acp/providerSecrets.ts';
import type { AgentProgram } from '../../agents/acp/process/program.ts';
import { agentEnvironment } from '../../io/agents/agentEnvironment.ts';
import { projectVariables } from '../../io/processes/projectVariables.ts';
import type { ProjectVariables } from '../../io/processes/projectVariables.ts';
import { settingsFiles } from '../../io/settings/open.ts';
import { trustStore } from '../../io/settings/trust.ts';

export interface TrustedVariablesOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly report: (problem: unknown, about: string) => void;
}

/** Keys of other model providers are left out. */
export async function trustedVariables(
  folder: string,
  program: AgentProgram,
  { env, report }: TrustedVariablesOptions,
): Promise<ProjectVariables> {
  if (trustStore(settingsFiles(env).trust).said(folder) !== 'trusted') return {};
  const found = await projectVariables(folder, agentEnvironment(env, program), report);
  return Object.fromEntries(Object.entries(found).filter(([name]) => !otherProvidersSecret(name, program)));
}
