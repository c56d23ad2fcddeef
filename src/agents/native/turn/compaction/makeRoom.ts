// Keeps a turn inside the context of its model: compacts before it runs full, after the provider said it is too full, and when somebody asks for it.
import type { TurnContext } from '../../../../host/agent.ts';
import type { Outcome, Problem } from '../../../../model/event.ts';
import type { Answer } from '../answer.ts';
import { compact } from './compaction.ts';
import type { CompactOptions } from './compaction.ts';
import { guessText, guessTools } from './contextUsage.ts';
import type { ModelRequest } from '../../model.ts';
import type { Talk } from '../turnMessages.ts';
import type { TurnHooks } from '../../../../host/hooks/turnHooks.ts';

export interface RoomOptions extends Omit<CompactOptions, 'wish' | 'tooLong'> {
  readonly talk: Talk;
  /** How full the context may get, in percent. */
  readonly compactAt: number;
  readonly request: () => ModelRequest;
  readonly hooks?: TurnHooks;
}

export interface Room {
  /** Compacts where the next request would come too near to the limit. */
  before(): Promise<void>;
  /** Compacts where the provider refused the request as too long; true where it should be sent once more. */
  after(answer: Answer): Promise<boolean>;
  /** Compacts because the user said so. */
  asked(wish: string): Promise<Outcome>;
  /** A model may have compacted by itself; what was counted is counted anew. */
  settle(): void;
}

export function makeRoom(turn: TurnContext, options: RoomOptions): Room {
  const { talk, model, meter } = options;
  let compaction = compactionOf(turn);
  let refused = false;
  let givenUp = false;
  const run = async (
    how: Pick<CompactOptions, 'wish' | 'tooLong'>,
  ): Promise<Problem | 'aborted' | undefined> => {
    const triggered = how.wish === undefined ? 'auto' : 'manual';
    const before = await options.hooks?.run('preCompact', {
      triggered,
      custom_instructions: how.wish ?? null,
    });
    const refusal = before?.stop ?? before?.blocked;
    if (refusal)
      return {
        code: 'hook',
        message: `The hook ${refusal.hook} keeps the conversation from being compacted: ${refusal.reason}`,
      };
    const first = await compact(turn, options.request(), { ...options, ...how });
    // A summary can do without the pictures that its provider refuses.
    const again = typeof first === 'object' && first.code === 'invalid-image' && talk.dropPictures('refused');
    const failed = again ? await compact(turn, options.request(), { ...options, ...how }) : first;
    if (failed === undefined) settle();
    if (failed === undefined) await tellCompacted(turn, options, triggered);
    return failed;
  };
  const settle = () => {
    const isNew = compactionOf(turn) !== compaction;
    if (!isNew && meter.last !== undefined) talk.measure(meter.last);
    if (!isNew) return;
    compaction = compactionOf(turn);
    talk.reload();
    if (model.context !== undefined)
      turn.report({
        kind: 'usage.reported',
        usage: { ...meter.total, model: model.id, context: { used: size(options), size: model.context } },
      });
  };
  return {
    settle,
    async before() {
      const limit = model.context === undefined ? Infinity : (model.context * options.compactAt) / 100;
      if (givenUp || !talk.worthSummary || size(options) < limit) return;
      turn.report({
        kind: 'notice.added',
        level: 'info',
        text: `The conversation fills ${Math.round((size(options) / (model.context ?? 1)) * 100)} % of what ${model.name} can hold and is compacted.`,
      });
      givenUp = (await run({})) !== undefined;
    },
    async after({ end }) {
      const tooLong = end !== 'aborted' && 'problem' in end && end.problem.code === 'context-overflow';
      if (!tooLong || refused || !talk.worthSummary) {
        refused = false;
        return false;
      }
      refused = true;
      turn.report({
        kind: 'notice.added',
        level: 'info',
        text: 'Context window exceeded. Auto-compacting conversation...',
      });
      return (await run({ tooLong: true })) === undefined;
    },
    async asked(wish) {
      if (!talk.worthSummary) {
        turn.report({ kind: 'notice.added', level: 'info', text: 'There is nothing to compact yet.' });
        return { kind: 'completed' };
      }
      const failed = await run({ wish });
      return failed === undefined
        ? { kind: 'completed' }
        : failed === 'aborted'
          ? { kind: 'cancelled' }
          : { kind: 'failed', problem: failed };
    },
  };
}

/** What hooks add then is told with the next request. */
async function tellCompacted(
  turn: TurnContext,
  { hooks, talk }: RoomOptions,
  triggered: 'auto' | 'manual',
): Promise<void> {
  const after = await hooks?.run('postCompact', {
    triggered,
    compact_summary: compactionOf(turn)?.summary ?? '',
  });
  if (after && after.context.length > 0)
    talk.add([{ role: 'user', content: after.context.map((text) => ({ type: 'text', text }) as const) }]);
}

function size({ talk, request }: RoomOptions): number {
  const { system, tools } = request();
  return talk.tokens(guessText(system) + guessTools(tools));
}

function compactionOf(turn: TurnContext) {
  return turn.state().chats[turn.session.chat]?.compaction;
}
