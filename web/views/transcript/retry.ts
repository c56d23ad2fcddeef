// Asking the same thing again, offered by whoever shows a chat that takes messages.
import { createContext } from 'preact';

export const RetryContext = createContext<((turnId: string) => void) | undefined>(undefined);
