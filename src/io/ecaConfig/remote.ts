// The remote API options of an ECA configuration; absent unless enabled.
import * as z from 'zod';
import type { EcaConfig } from './file.ts';

const schema = z.object({
  enabled: z.literal(true),
  host: z.string().min(1).optional(),
  bindHost: z.string().min(1).optional(),
  port: z.int().min(1).max(65_535).optional(),
  password: z.string().min(1).optional(),
  tls: z
    .union([
      z.object({ certFile: z.string(), keyFile: z.string() }),
      z.object({ certUrl: z.url({ protocol: /^https$/ }), keyUrl: z.url({ protocol: /^https$/ }) }),
    ])
    .optional(),
  origins: z.array(z.string()).optional(),
});

export interface RemoteConfig {
  readonly host?: string;
  readonly bindHost?: string;
  readonly port?: number;
  readonly password?: string;
  readonly tls?:
    | { readonly certFile: string; readonly keyFile: string }
    | { readonly certUrl: string; readonly keyUrl: string };
  readonly origins?: readonly string[];
}

export function remoteConfig(config: EcaConfig): RemoteConfig | undefined {
  const read = schema.safeParse(config['remote']);
  if (!read.success) return undefined;
  const { enabled: _, ...rest } = read.data;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
}
