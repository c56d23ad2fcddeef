// Which variables are secrets of a model provider that an agent does not use.
import { isSecretVariable } from '../../host/policy/secretVariables.ts';
import { catalogue } from './catalogue.ts';
import type { AgentProgram } from './process/program.ts';

/** Whether the variable is a secret for a provider of another agent, and not of this one. */
export function otherProvidersSecret(
  name: string,
  { inherits = [] }: Pick<AgentProgram, 'inherits'>,
): boolean {
  const isProviders = catalogue.some((agent) => isNamed(name, agent.inherits ?? []));
  return isProviders && isSecretVariable(name) && !isNamed(name, inherits);
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern,
  );
}
