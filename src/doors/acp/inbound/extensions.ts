// Reads what a client attaches to a session or a message for its peers. Pure.
import type { Extensions } from '../../../model/event.ts';
import { invalidParams } from '../errors.ts';

/** In characters of JSON. Extensions are small; the log keeps them, and every replay sends them again. */
export const extensionsLimit = 262_144;

/** Throws an error for the client on extensions that are too large to store. */
export function readExtensions({
  _meta: extensions,
}: {
  readonly _meta?: Extensions | undefined;
}): Extensions | undefined {
  if (extensions && JSON.stringify(extensions).length > extensionsLimit)
    throw invalidParams(`_meta has more than ${extensionsLimit} characters.`);
  return extensions;
}
