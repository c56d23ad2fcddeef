// What the user can do after a failed turn; provided by pages whose chat accepts messages.
import { createContext } from 'preact';

export interface Retry {
  /** Sends the message of that turn again. */
  repeat(turnId: string): void;
  /** Asks the agent to continue. */
  resume(): void;
}

export const RetryContext = createContext<Retry | undefined>(undefined);
