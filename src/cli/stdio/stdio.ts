// The common part of the stdio commands: reads the flags, then connects the client to the host, or
// runs a host for it alone.
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { pipe } from './pipe.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

export async function stdio(door: string, args: readonly string[], flags: Flags): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { ...flags, standalone: { type: 'boolean' } },
    strict: true,
  });
  const named: { readonly [name: string]: string | boolean | undefined } = values;
  const { standalone, 'log-level': level, verbose, ...rest } = named;
  const options = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]));
  const view =
    level === undefined && verbose === undefined
      ? undefined
      : (await import('./logView.ts')).openView({ level, verbose: verbose === true });
  try {
    if (standalone) return await (await import('./standalone.ts')).standalone(door, options, view);
    return await pipe(door, options, view);
  } finally {
    view?.close();
  }
}
