// The token usage of a turn for the response to its prompt.
import type { Usage } from '../../../model/event.ts';
import type { PromptResponse } from '../../../protocols/acp/v1/messages.ts';

/** Undefined if the agent reported no usage. */
export function promptUsage(usage: Usage | undefined): Pick<PromptResponse, 'usage'> {
  const { input, output, cacheRead, cacheWrite } = usage ?? {};
  if (input === undefined || output === undefined) return {};
  return {
    usage: {
      totalTokens: input + output + (cacheRead ?? 0) + (cacheWrite ?? 0),
      inputTokens: input,
      outputTokens: output,
      ...(cacheRead !== undefined && { cachedReadTokens: cacheRead }),
      ...(cacheWrite !== undefined && { cachedWriteTokens: cacheWrite }),
    },
  };
}
