// The calls of a stretch of the transcript that a person has unfolded: they are not joined with others.
import { createContext } from 'preact';

export const UnfoldedCallsContext = createContext<Set<string> | undefined>(undefined);
