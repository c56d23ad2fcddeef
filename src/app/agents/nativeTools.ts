// The tools of the native agent as clients see them.
import { listedTools } from '../../agents/native/tools/listed.ts';
import type { NativeAgentFacts } from '../../doors/eca/options.ts';
import { definitionOf, hasTool, isNamed } from '../../host/settings/projectKnowledge.ts';
import type { App } from '../app.ts';

/** Lists every tool; those that the mode or the settings exclude are marked as disabled. */
export function nativeTools({ knowledge, settings }: App): NativeAgentFacts['tools'] {
  return ({ roots, mode }) => {
    const definition = definitionOf(knowledge.now(roots), mode);
    const disabledTools = settings.of(roots).disabledTools;
    return listedTools.map((tool) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      disabled: (definition !== undefined && !hasTool(definition, tool)) || isNamed(disabledTools, tool),
    }));
  };
}
