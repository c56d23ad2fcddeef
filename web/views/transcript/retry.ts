// Ways on after a failure, offered by whoever shows a chat that takes messages.
import { createContext } from 'preact';

export interface Retry {
  /** Asks the same as in that turn. */
  again(turnId: string): void;
  goOn(): void;
}

export const RetryContext = createContext<Retry | undefined>(undefined);
