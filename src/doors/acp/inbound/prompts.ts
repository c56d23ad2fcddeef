// Prompts: each sends a message and is answered when its turn is over.
import type { PromptParams } from '../../../protocols/acp/v1/agentSchema.ts';
import type { PromptResponse } from '../../../protocols/acp/v1/messages.ts';
import type { AcpConnection } from '../connection.ts';
import { readPrompt } from './promptMessage.ts';
import { takeKey } from './keptValues.ts';

/**
 * A cancelled request stops its turn. A lost connection aborts the same signal but must not stop the turn; by
 * then its waiting prompts have been removed, so none is found.
 */
export function prompt(
  connection: AcpConnection,
  given: PromptParams,
  { signal, isRepeated = false }: { readonly signal: AbortSignal; readonly isRepeated?: boolean },
): Promise<PromptResponse> {
  const { host } = connection;
  const { key, params } = connection.resumable ? takeKey(given) : { key: undefined, params: given };
  const chat = connection.chat(params.sessionId);
  const message = readPrompt(params, key ?? host.ids.next());
  signal.addEventListener(
    'abort',
    () =>
      host.clock.defer(() => {
        if (chat.prompts.has(message.id)) chat.prompts.cancel(message.id);
      }),
    { once: true },
  );
  const bench = chat.bench();
  const take = bench ? host.workbenches.lend(message.id, bench) : () => {};
  return (isRepeated ? chat.sendAgain(message) : chat.prompts.send(message)).finally(take);
}
