// The place that a search has led to: it is drawn wherever it is.
import { createContext } from 'preact';
import type { PlaceInTurn } from './findLine.ts';

export const FoundPlaceContext = createContext<PlaceInTurn | undefined>(undefined);
