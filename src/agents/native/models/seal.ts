// What a provider wants back with a part of an answer, such as a signature, packed so that only that provider is ever given it again.
import type { Json } from '../../../model/event.ts';

type Options = { [namespace: string]: { [name: string]: string } };

/** What is worth keeping of all that libraries attach. */
const worth: ReadonlySet<string> = new Set(['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent', 'itemId', 'phase']);

/** An item's id alone says nothing to a provider that stores nothing. */
const alone: ReadonlySet<string> = new Set(['itemId']);

export function seal(provider: string, metadata: object): Json | undefined {
  const kept = Object.entries(metadata).flatMap(([namespace, values]: [string, unknown]) => {
    const fields = textsIn(values).filter(([name]) => worth.has(name));
    return fields.some(([name]) => !alone.has(name)) ? [[namespace, Object.fromEntries(fields)] as const] : [];
  });
  return kept.length === 0 ? undefined : { for: provider, options: Object.fromEntries(kept) };
}

/** The options that were sealed for this provider. */
export function unseal(provider: string, meta: Json | undefined): Options | undefined {
  if (typeof meta !== 'object' || meta === null || !('for' in meta) || meta.for !== provider) return undefined;
  return Object.fromEntries(Object.entries(meta.options ?? {}).map(([namespace, values]: [string, unknown]) => [namespace, Object.fromEntries(textsIn(values))]));
}

function textsIn(values: unknown): readonly (readonly [string, string])[] {
  return Object.entries(typeof values === 'object' && values !== null ? values : {}).flatMap(([name, value]: [string, unknown]) => (typeof value === 'string' ? [[name, value] as const] : []));
}
