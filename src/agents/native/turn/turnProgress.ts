// What the requests of one turn share and change.
import type { OpenProviderCall } from './providerCalls.ts';
import type { UsageMeter } from './turnUsage.ts';
import type { UsedIds } from './usedIds.ts';

export interface TurnProgress {
  readonly usedIds: UsedIds;
  readonly meter: UsageMeter;
  /** The calls that the provider runs and has not ended, by the provider's ids. */
  readonly providerCalls: Map<string, OpenProviderCall>;
}
