// What extends an agent, in the thin form of version 1.
import type { Icon, Open, URI } from './content.ts';

export interface CustomizationRef {
  readonly uri: URI;
  readonly displayName: string;
  readonly description?: string;
  readonly icons?: readonly Icon[];
  /** Tells when a customization that a client brings has to be read again. */
  readonly nonce?: string;
}

export interface SessionCustomization {
  readonly customization: CustomizationRef;
  readonly enabled: boolean;
  readonly clientId?: string;
  readonly status?: Open<'loading' | 'loaded' | 'degraded' | 'error'>;
  readonly statusMessage?: string;
}
