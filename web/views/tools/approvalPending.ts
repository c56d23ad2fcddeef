// True inside a turn that has a pending approval: calls after it cannot start yet.
import { createContext } from 'preact';

export const ApprovalPendingContext = createContext(false);
