// What extends an agent, in the thin form of version 1.
import type { z } from 'zod';
import type { OpenSet } from '../shapes.ts';
import type { contentTypes } from './schema/content.ts';

export type CustomizationRef = z.output<(typeof contentTypes)['customizationRef']>;

export interface SessionCustomization {
  readonly customization: CustomizationRef;
  readonly enabled: boolean;
  readonly clientId?: string;
  readonly status?: OpenSet<'loading' | 'loaded' | 'degraded' | 'error'>;
  readonly statusMessage?: string;
}
