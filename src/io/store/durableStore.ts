// What the app needs of a store beyond the host's port: maintenance and checks.
import type { LogStore } from '../../host/session/logStore.ts';
import type { SessionId } from '../../model/event.ts';

export interface DurableStore extends LogStore {
  /** Preloads the catalogue in small steps. */
  warm(): Promise<void>;
  /** Checks everything that is stored and lists the problems. */
  verify(): Promise<readonly StoreDamage[]>;
}

export interface StoreDamage {
  readonly part: 'database' | 'log' | 'catalogue';
  readonly session?: SessionId;
  readonly seq?: number;
  readonly problem: string;
}
