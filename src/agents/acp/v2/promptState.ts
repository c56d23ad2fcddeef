// When the work on a prompt ends in version 2: its answer says only that the agent has it, the state of the
// session says the rest.
import { RpcError } from '../../../rpc/rpcError.ts';
import type { StateUpdate } from '../../../protocols/acp/v2/answerSchema.ts';

interface PromptEnd {
  readonly stopReason: string;
}

export class PromptState {
  #isAccepted = false;
  #hasRun = false;
  #end: StateUpdate | undefined;
  /** Resolves with the answer of version 1; rejects with the error of the agent. */
  readonly ended: Promise<PromptEnd>;
  #resolve: (end: PromptEnd) => void = () => {};
  #reject: (error: RpcError) => void = () => {};

  constructor() {
    this.ended = new Promise<PromptEnd>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // The prompt itself may fail first; then nobody waits for this.
    this.ended.catch(() => {});
  }

  accept(): void {
    this.#isAccepted = true;
    this.#settle();
  }

  /**
   * The state may come before the answer to the prompt. An idle state that comes before both ends something
   * older, and one without a reason only repeats what was known.
   */
  take(update: StateUpdate): void {
    if (update.state !== 'idle') {
      this.#hasRun = true;
      this.#end = undefined;
      return;
    }
    if (!this.#hasRun && (!this.#isAccepted || update.stopReason === undefined)) return;
    this.#end = update;
    this.#settle();
  }

  #settle(): void {
    if (!this.#isAccepted || !this.#end) return;
    const { stopReason = 'end_turn', error } = this.#end;
    if (stopReason !== 'error') return this.#resolve({ stopReason });
    const { code = -32_603, message = '' } = error ?? {};
    this.#reject(new RpcError(code, message || 'The agent reports an error without a reason.'));
  }
}
