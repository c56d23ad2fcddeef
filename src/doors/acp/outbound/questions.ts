// The questions and sign-ins that one client is asked in one chat, as forms or as options.
// The first answer wins.
import { closedByUser } from '../../../host/turns/trustQuestions.ts';
import type { Answer, AskId, ChatId, TurnId } from '../../../model/event.ts';
import {
  completeElicitation,
  createElicitation,
  elicitationResult,
} from '../../../protocols/acp/v1/abilities.ts';
import { permissionResult } from '../../../protocols/acp/v1/agentSchema.ts';
import type { SessionUpdate } from '../../../protocols/acp/v1/messages.ts';
import { requestPermission, sessionUpdate } from '../../../protocols/acp/v1/methods.ts';
import { answerOf, elicitationOf, fallbackOf } from './form.ts';
import type { UserQuestion } from './form.ts';
import type { QuestionContext } from './permissions.ts';

export interface InquiriesContext extends QuestionContext {
  /** The ways in which the client can ask its user. */
  readonly knows: (mode: 'form' | 'url') => boolean;
}

/** How often a form with invalid answers is shown again. */
const tries = 3;

export class Inquiries {
  readonly #context: InquiriesContext;
  readonly #asked = new Map<AskId, { readonly stop: AbortController; readonly settled: () => void }>();

  constructor(context: InquiriesContext) {
    this.#context = context;
  }

  /** An error or an invalid answer leaves the question open for other clients. */
  async ask(turn: TurnId, ask: UserQuestion, chat: ChatId): Promise<void> {
    if (this.#asked.has(ask.id)) return;
    const stop = new AbortController();
    const byForm = this.#context.knows(ask.kind === 'signin' ? 'url' : 'form');
    const asked = byForm ? this.#elicit(turn, ask, stop) : this.#offer(turn, ask, stop);
    this.#asked.set(ask.id, { stop, settled: asked.settled });
    const answer = await asked.answer.catch(() => undefined);
    if (answer && !stop.signal.aborted) this.#answer(chat, ask.id, answer);
  }

  /** The question was answered by any client, or ended with its turn. */
  takeBack(ask: AskId): void {
    const asked = this.#asked.get(ask);
    this.#asked.delete(ask);
    asked?.stop.abort();
    asked?.settled();
  }

  end(): void {
    for (const ask of [...this.#asked.keys()]) this.takeBack(ask);
  }

  #elicit(turn: TurnId, ask: UserQuestion, { signal }: AbortController): PendingQuestion {
    const { peer, chat, naming } = this.#context;
    const request = { ...elicitationOf(ask, { sessionId: chat, turn }), ...naming(ask.id) };
    let open = true;
    const answer = async (): Promise<Answer | undefined> => {
      for (let count = 0; count < tries; count += 1) {
        const read = elicitationResult.safeParse(await peer.request(createElicitation, request, { signal }));
        open = false;
        if (!read.success) return undefined;
        if (read.data.action !== 'accept')
          return read.data.action === 'cancel' ? closedAnswer(ask) : { kind: 'declined' };
        const filled = answerOf(ask, read.data.content ?? {});
        if (filled) return filled;
      }
      return { kind: 'declined', reason: 'The answers of the form were invalid.' };
    };
    // Tells the client to close its view of the address, which may still be open in a browser.
    const settled = () =>
      void (open && ask.kind === 'signin' && peer.notify(completeElicitation, { elicitationId: ask.id }));
    return { answer: answer(), settled };
  }

  #offer(turn: TurnId, ask: UserQuestion, { signal }: AbortController): PendingQuestion {
    const { peer, chat, version, naming } = this.#context;
    const { request, call, answers, ownCall } = fallbackOf(ask, { sessionId: chat, turn });
    const tell = (update: SessionUpdate) =>
      peer.notify(sessionUpdate, { sessionId: chat, update: version.update(update) });
    if (ownCall !== undefined) tell({ sessionUpdate: 'tool_call', ...call });
    const answer = async () => {
      const read = permissionResult.safeParse(
        await peer.request(
          requestPermission,
          { ...version.permission(request), ...naming(ask.id) },
          { signal },
        ),
      );
      if (!read.success) return undefined;
      const { outcome } = read.data;
      return outcome.outcome === 'selected'
        ? answers.get(outcome.optionId)
        : ({ kind: 'declined', reason: 'The request was dismissed.' } as const);
    };
    const settled = () =>
      void (
        ownCall !== undefined &&
        tell({ sessionUpdate: 'tool_call_update', toolCallId: ownCall, status: 'completed' })
      );
    return { answer: answer(), settled };
  }

  /** Another client may have answered first; that refusal is expected. */
  #answer(chat: ChatId, ask: AskId, answer: Answer): void {
    const { session, origin, report } = this.#context;
    const rejection = session.dispatch({ kind: 'answer', chat, ask, answer }, origin());
    if (rejection?.rejected === 'invalid') report(rejection, `an answer in session ${session.id}`);
  }
}

interface PendingQuestion {
  readonly answer: Promise<Answer | undefined>;
  readonly settled: () => void;
}

/** The reason for an agent differs from that for the host, which remembers the question about a folder. */
function closedAnswer(ask: UserQuestion): Answer {
  return ask.kind === 'question' && ask.about === 'trust'
    ? { kind: 'withdrawn', why: closedByUser }
    : { kind: 'declined', reason: 'The request was dismissed.' };
}
