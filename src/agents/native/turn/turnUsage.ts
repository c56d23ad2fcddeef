// Adds up the usage of all requests of a turn and reports it.
import type { TurnContext } from '../../../host/agent.ts';
import type { LanguageModel, ModelUsage } from '../model.ts';

export interface UsageMeter {
  total: ModelUsage;
  /** The number of tokens of the newest request and its answer. */
  last?: number;
}

/**
 * Adds to the usage of the turn and reports the sum. The context size comes from the
 * turn's own requests only.
 */
export function reportUsage(
  turn: TurnContext,
  usage: ModelUsage,
  { model, meter }: { readonly model: LanguageModel; readonly meter: UsageMeter },
): void {
  meter.total = addUsage(meter.total, usage);
  const context =
    model.context === undefined || meter.last === undefined
      ? {}
      : { context: { used: meter.last, size: model.context } };
  turn.report({ kind: 'usage.reported', usage: { ...meter.total, model: model.id, ...context } });
}

function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  const keys = ['input', 'output', 'cacheRead', 'cacheWrite', 'cost', 'searches'] as const;
  return Object.fromEntries(
    keys.flatMap((key) =>
      a[key] === undefined && b[key] === undefined ? [] : [[key, (a[key] ?? 0) + (b[key] ?? 0)]],
    ),
  );
}
