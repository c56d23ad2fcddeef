// The forms and links that an agent has put to people and that are not answered yet; a link may be
// followed without an answer.
import type { TurnContext } from '../../../host/agent.ts';
import { elicitationParams } from '../../../protocols/acp/v1/clientSchema.ts';
import { elicitationAnswer, questionOf } from './elicitation.ts';
import type { ElicitationResponse } from '../../../protocols/acp/v1/messages.ts';
import { readAs } from './readAs.ts';

export interface ElicitationContext {
  readonly context: TurnContext;
  /** The name of the agent: people must see who asks. */
  readonly name: string;
  /** Aborted when the agent takes its question back. */
  readonly signal: AbortSignal;
  /** The call of ours that an id of the agent means. */
  readonly toolOf: (id: string) => string | undefined;
}

/** A completion reaches every conversation of a process, so most of those that are kept concern others. */
const earlyLimit = 100;

export class Elicitations {
  readonly #open = new Map<string, AbortController>();
  readonly #answered = new Set<string>();
  /**
   * Completed links whose request has not reached us: a request waits for its turn, a notification does not.
   */
  readonly #completedEarly = new Set<string>();

  async ask(
    params: unknown,
    { context, name, signal, toolOf }: ElicitationContext,
  ): Promise<ElicitationResponse> {
    const read = readAs(elicitationParams, params);
    const done = new AbortController();
    if (read.mode === 'url') {
      if (this.#completedEarly.delete(read.elicitationId)) return { action: 'accept' };
      this.#open.set(read.elicitationId, done);
    }
    const tool = read.toolCallId === undefined ? undefined : toolOf(read.toolCallId);
    try {
      const answer = await context.ask(
        questionOf(read, { name, tool }),
        AbortSignal.any([signal, done.signal]),
      );
      // A user who has finished in the browser need not confirm it here.
      return done.signal.aborted && answer.kind === 'withdrawn'
        ? { action: 'accept' }
        : elicitationAnswer(read, answer);
    } finally {
      if (read.mode === 'url') {
        this.#open.delete(read.elicitationId);
        this.#answered.add(read.elicitationId);
      }
    }
  }

  completed(id: string): void {
    const open = this.#open.get(id);
    if (open) open.abort();
    else if (!this.#answered.delete(id) && this.#completedEarly.size < earlyLimit)
      this.#completedEarly.add(id);
  }

  /** At the end of a turn: an id is valid only in the turn that used it. */
  forget(): void {
    this.#answered.clear();
    this.#completedEarly.clear();
  }
}
