// Keeps a turn inside the context of its model: compacts before it is full, after the provider refused it as
// too long, and on command.
import type { TurnContext } from '../../../../host/agent.ts';
import type { Outcome, Problem } from '../../../../model/event.ts';
import type { Chat } from '../../../../model/state.ts';
import type { ModelRequest } from '../../model.ts';
import type { ModelAnswer } from '../answerRecorder.ts';
import type { TurnMessages } from '../turnMessages.ts';
import type { TurnProgress } from '../turnProgress.ts';
import type { TurnSetup } from '../turnSetup.ts';
import { compact } from './compaction.ts';
import type { CompactOptions } from './compaction.ts';
import { guessText, guessTools } from './contextUsage.ts';

export interface CompactorOptions {
  readonly setup: TurnSetup;
  readonly progress: TurnProgress;
  readonly messages: TurnMessages;
  readonly request: () => ModelRequest;
}

export class Compactor {
  readonly #turn: TurnContext;
  readonly #options: CompactorOptions;
  #compaction: Chat['compaction'];
  /** Set while the turn repeats a request that was refused as too long. */
  #repeats = false;
  /** Set after a failure: the turn does not compact again before a request. */
  #failed = false;

  constructor(turn: TurnContext, options: CompactorOptions) {
    this.#turn = turn;
    this.#options = options;
    this.#compaction = compactionOf(turn);
  }

  /** Compacts if the next request would come too close to the limit. */
  async beforeRequest(): Promise<void> {
    const { model, settings } = this.#options.setup;
    if (this.#failed || model.context === undefined || !this.#options.messages.worthSummary) return;
    const size = this.#size();
    if (size < (model.context * settings.limits.compactAt) / 100) return;
    this.#inform(
      `The conversation fills ${Math.round((size / model.context) * 100)} % of what ${model.name} can ` +
        'hold and is compacted.',
    );
    this.#failed = (await this.#run({})) !== undefined;
  }

  /** Compacts if the provider refused the request as too long; true if it should be sent once more. */
  async afterAnswer({ end }: ModelAnswer): Promise<boolean> {
    const tooLong = end !== 'aborted' && 'problem' in end && end.problem.code === 'context-overflow';
    if (!tooLong || this.#repeats || !this.#options.messages.worthSummary) {
      this.#repeats = false;
      return false;
    }
    this.#repeats = true;
    this.#inform('Context window exceeded. Auto-compacting conversation...');
    return (await this.#run({ tooLong: true })) === undefined;
  }

  /** Compacts because the user asked for it. */
  async onCommand(focus: string): Promise<Outcome> {
    if (!this.#options.messages.worthSummary) {
      this.#inform('There is nothing to compact yet.');
      return { kind: 'completed' };
    }
    const problem = await this.#run({ focus });
    if (problem === undefined) return { kind: 'completed' };
    return problem === 'aborted' ? { kind: 'cancelled' } : { kind: 'failed', problem };
  }

  /** Updates the size of the conversation; the model may have compacted it with a call. */
  settle(): void {
    const { messages, progress, setup } = this.#options;
    const compaction = compactionOf(this.#turn);
    if (compaction === this.#compaction) {
      if (progress.meter.last !== undefined) messages.measure(progress.meter.last);
      return;
    }
    this.#compaction = compaction;
    messages.reload();
    const { id: model, context: size } = setup.model;
    if (size !== undefined)
      this.#turn.report({
        kind: 'usage.reported',
        usage: { ...progress.meter.total, model, context: { used: this.#size(), size } },
      });
  }

  async #run(how: Pick<CompactOptions, 'focus' | 'tooLong'>): Promise<Problem | 'aborted' | undefined> {
    const { setup, messages } = this.#options;
    const triggered = how.focus === undefined ? 'auto' : 'manual';
    const before = await setup.hooks.run('preCompact', {
      triggered,
      custom_instructions: how.focus ?? null,
    });
    const refusal = before.stop ?? before.blocked;
    if (refusal)
      return {
        code: 'hook',
        message: `The hook ${refusal.hook} keeps the conversation from being compacted: ${refusal.reason}`,
      };
    const first = await this.#compact(how);
    // A summary works without the images that the provider refused.
    const again =
      typeof first === 'object' && first.code === 'invalid-image' && messages.dropImages('refused');
    const problem = again ? await this.#compact(how) : first;
    if (problem !== undefined) return problem;
    this.settle();
    await this.#afterCompaction(triggered);
    return undefined;
  }

  #compact(how: Pick<CompactOptions, 'focus' | 'tooLong'>): Promise<Problem | 'aborted' | undefined> {
    const { setup, progress, request } = this.#options;
    return compact(this.#turn, request(), { setup, progress, ...how });
  }

  /** What hooks add after a compaction goes with the next request. */
  async #afterCompaction(triggered: 'auto' | 'manual'): Promise<void> {
    const { setup, messages } = this.#options;
    const { context } = await setup.hooks.run('postCompact', {
      triggered,
      compact_summary: compactionOf(this.#turn)?.summary ?? '',
    });
    if (context.length > 0)
      messages.add([{ role: 'user', content: context.map((text) => ({ type: 'text', text }) as const) }]);
  }

  #size(): number {
    return this.#options.messages.tokens(() => {
      const { system, tools } = this.#options.request();
      return guessText(system) + guessTools(tools);
    });
  }

  #inform(text: string): void {
    this.#turn.report({ kind: 'notice.added', level: 'info', text });
  }
}

function compactionOf(turn: TurnContext): Chat['compaction'] {
  return turn.state().chats[turn.session.chat]?.compaction;
}
