// What the stdio commands share: read the flags, then be a pipe to the host, or the whole host for this one client.
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
  const given: { readonly [name: string]: string | boolean | undefined } = values;
  const { standalone, 'log-level': level, verbose, ...rest } = given;
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
