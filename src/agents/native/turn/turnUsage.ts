// What the requests of a turn have used together: counted up and told to the log.
import type { TurnContext } from '../../../host/agent.ts';
import type { LanguageModel, ModelUsage } from '../model.ts';

/** What the requests of a turn have used together. */
export interface Meter {
  total: ModelUsage;
  /** How many tokens the newest request and its answer had together. */
  last?: number;
}

/** Adds to what the turn has used so far, and says so. How full the context is, only its own requests tell. */
export function spend(
  turn: TurnContext,
  usage: ModelUsage,
  { model, meter }: { readonly model: LanguageModel; readonly meter: Meter },
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
