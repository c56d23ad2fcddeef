// Collects what the usage message of a chat needs from the host: the models, the size of the preamble,
// the compaction limit.
import type { Host } from '../../../host/host.ts';
import type { State } from '../../../model/state.ts';
import type { Workspace } from '../client/workspace.ts';
import type { EcaOptions } from '../options.ts';
import type { Preamble } from './contextBreakdown.ts';
import type { UsageFacts } from './usage.ts';

export function usageFacts(
  host: Host,
  { nativeAgent }: EcaOptions,
  { state, workspace }: { readonly state: State; readonly workspace: Workspace },
): UsageFacts {
  return {
    agents: workspace.agents(),
    preamble: preambleOf(host, nativeAgent, state),
    compactAt: host.settings?.of(state.roots).limits.compactAt,
  };
}

/** The size of the preamble of every request, by source. */
function preambleOf(host: Host, agent: EcaOptions['nativeAgent'], state: State): Preamble {
  const { rules, skills, instructions } = host.knowledge.now(state.roots);
  const parts = {
    rules: totalLength(rules.filter(({ globs }) => globs.length === 0).map(({ text }) => text)),
    skills: totalLength(skills.map(({ name, description }) => name + description)),
    agentsFile: totalLength(instructions.map(({ text }) => text)),
  };
  const definitions = (agent?.tools(state) ?? [])
    .filter(({ disabled }) => disabled !== true)
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
  const prompt = agent?.systemPrompt(state).length ?? 0;
  return {
    system: Math.max(0, prompt - parts.rules - parts.skills - parts.agentsFile),
    ...parts,
    tools: JSON.stringify(definitions).length,
  };
}

function totalLength(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}
