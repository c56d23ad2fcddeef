// Opens another chat of the session beside the one that is shown.
import { createContext } from 'preact';
import type { URI } from '../../../src/protocols/ahp/v1_0/content.ts';

export const OpenBesideContext = createContext<((chat: URI) => void) | undefined>(undefined);
