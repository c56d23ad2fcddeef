// A prompt from a client of the first draft.
import { draftPrompt } from '../../../protocols/eca/draft.ts';
import type { DraftPromptResult } from '../../../protocols/eca/draft.ts';
import { read } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';
import { invalidParams } from '../errors.ts';
import { prompt } from '../inbound/prompts.ts';
import type { DraftClient } from './dialect.ts';
import { contextsFrom, resultFrom } from './inbound.ts';

export async function promptDraft(
  connection: EcaConnection,
  draft: DraftClient,
  params: unknown,
): Promise<DraftPromptResult> {
  const request = read(draftPrompt, params);
  if ('problem' in request) throw invalidParams(request.problem);
  const { chatId, message, model, context, contexts } = request.value;
  draft.takeProblem();
  const none = { agent: undefined, behavior: undefined, variant: undefined, trust: undefined };
  const result = await prompt(connection, {
    chatId,
    message,
    model,
    ...none,
    contexts: [...contextsFrom([...context, ...contexts])],
  });
  return resultFrom(result, draft.takeProblem());
}
