// Opens something beside the chat that is shown: another chat of the session, or context and cost.
import { createContext } from 'preact';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';

export const OpenBesideContext = createContext<((chat: URI) => void) | undefined>(undefined);

export const OpenUsageContext = createContext<(() => void) | undefined>(undefined);
