// What the stdio commands share: read the flags, then be a pipe to the host, or the whole host for this one client.
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { pipe } from './pipe.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

export async function stdio(door: string, args: readonly string[], flags: Flags): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { ...flags, standalone: { type: 'boolean' } }, strict: true });
  const { standalone, ...rest } = values;
  const options = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  if (standalone) return (await import('./standalone.ts')).standalone(door, options);
  return pipe(door, options);
}
