// The common part of the stdio commands: reads the flags, then connects the client to the host, or
// runs a host for it alone.
import { parseArgs } from 'node:util';
import type { ParseArgsConfig } from 'node:util';
import { pipe } from './pipe.ts';

type Flags = NonNullable<ParseArgsConfig['options']>;

interface Flagged {
  readonly [name: string]: string | boolean | undefined;
}

export async function stdio(door: string, args: readonly string[], flags: Flags): Promise<number> {
  const named: Flagged = args.length === 0 ? {} : parse(args, flags);
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

/** The parser takes a while to load, and most editors give no flags. */
function parse(args: readonly string[], flags: Flags): Flagged {
  const options = { ...flags, standalone: { type: 'boolean' } } as const;
  return parseArgs({ args: [...args], options, strict: true }).values;
}
