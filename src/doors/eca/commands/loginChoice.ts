// Asks the user one choice of a sign-in, in a client that supports questions.
import type { AskQuestion } from '../../../protocols/eca/messages.ts';
import { questionAnswer, read } from '../../../protocols/eca/schema.ts';
import type { EcaConnection } from '../connection.ts';

export interface LoginChoice {
  /** The next host asks under the same id, so the client need not ask its user again. */
  readonly id: string;
  readonly question: string;
  readonly options: NonNullable<AskQuestion['options']>;
}

/** The time limit for the answer, in milliseconds. */
const patience = 5 * 60_000;

/** The chosen label; undefined if the user cancelled, did not answer in time, or the client failed. */
export async function putChoice(
  { peer, host, lifetime }: EcaConnection,
  {
    chat,
    choice,
    signal,
  }: { readonly chat: string; readonly choice: LoginChoice; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const late = new AbortController();
  const recall = host.clock.after(patience, () => late.abort());
  const params: AskQuestion = {
    chatId: chat,
    question: choice.question,
    options: choice.options,
    allowFreeform: false,
    requestId: choice.id,
  };
  try {
    const answer = read(
      questionAnswer,
      await peer.request('chat/askQuestion', params, {
        signal: AbortSignal.any([signal, late.signal, lifetime.signal]),
      }),
    );
    const said =
      'problem' in answer || answer.value.cancelled === true ? undefined : answer.value.answer?.trim();
    return said === '' ? undefined : said;
  } catch {
    return undefined;
  } finally {
    recall();
  }
}
