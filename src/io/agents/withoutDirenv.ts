// Takes back what direnv has set in the folder where the host was started: an agent works in another one,
// where direnv is asked again.
import { inflateSync } from 'node:zlib';
import * as z from 'zod';

type Environment = { readonly [name: string]: string | undefined };

const changes = z.object({ p: z.record(z.string(), z.string()), n: z.record(z.string(), z.string()) });

/**
 * The environment as it was before; unchanged where direnv has set nothing, or in a way that we do not know.
 * PATH stays: the programs of agents were found in it.
 */
export function withoutDirenv(own: Environment): Environment {
  const found = own['DIRENV_DIFF'];
  if (found === undefined) return own;
  try {
    const text = inflateSync(Buffer.from(found, 'base64url'), { maxOutputLength: 4_000_000 }).toString();
    const { p: before, n: after } = changes.parse(JSON.parse(text));
    const isOwn = ([name, value]: readonly [string, string | undefined]) =>
      name === 'PATH' || after[name] === undefined || after[name] !== value;
    const kept = Object.entries(own).filter(isOwn);
    return { ...before, ...Object.fromEntries(kept) };
  } catch {
    return own;
  }
}
