// The token usage of a turn for the response to its prompt.
import type { Usage } from '../../../model/event.ts';
import { countedTokens } from '../../../model/usage.ts';
import type { PromptResponse } from '../../../protocols/acp/v1/messages.ts';

/** Undefined if the agent reported no usage. */
export function promptUsage(usage: Usage | undefined): Pick<PromptResponse, 'usage'> {
  if (usage?.input === undefined || usage.output === undefined) return {};
  const { output, cacheRead, cacheWrite } = usage;
  const { uncached, total } = countedTokens(usage);
  return {
    usage: {
      // The sum of the members that follow.
      totalTokens: total,
      inputTokens: uncached,
      outputTokens: output,
      ...(cacheRead !== undefined && { cachedReadTokens: cacheRead }),
      ...(cacheWrite !== undefined && { cachedWriteTokens: cacheWrite }),
    },
  };
}
