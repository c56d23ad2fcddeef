// What the requests of one turn share and change.
import type { OpenProviderCall } from './providerCalls.ts';
import type { UsageMeter } from './turnUsage.ts';

export interface TurnProgress {
  /**
   * The ids of calls and texts that this chat has used; an id that the model repeats is
   * replaced by a new one.
   */
  readonly usedIds: Set<string>;
  readonly meter: UsageMeter;
  /** The calls that the provider runs and has not ended, by the provider's ids. */
  readonly providerCalls: Map<string, OpenProviderCall>;
}
