// What a provider wants back with a part of an answer, such as a signature, packed so that only that provider is ever given it again.
import { isRecord } from '../../../../../base/isRecord.ts';
import type { Json } from '../../../../../model/event.ts';

/** What a provider wants back with a part, by format; undefined where it wants nothing. */
export type Sealed = { readonly [format: string]: { readonly [name: string]: string } } | undefined;

/** Things in a format's own words, under the format's name. */
export interface Raw {
  readonly format: string;
  readonly blocks: readonly object[];
}

/** The fields that go back to providers. */
const worth: ReadonlySet<string> = new Set([
  'signature',
  'redactedData',
  'thoughtSignature',
  'reasoningEncryptedContent',
  'itemId',
  'phase',
  'thoughtTags',
]);

/** An item's id alone says nothing to a provider that stores nothing. */
const alone: ReadonlySet<string> = new Set(['itemId']);

export function seal(provider: string, metadata: object): Json | undefined {
  const kept = Object.entries(metadata).flatMap(([namespace, values]: [string, unknown]) => {
    const fields = textsIn(values).filter(([name]) => worth.has(name));
    return fields.some(([name]) => !alone.has(name))
      ? [[namespace, Object.fromEntries(fields)] as const]
      : [];
  });
  return kept.length === 0 ? undefined : { for: provider, options: Object.fromEntries(kept) };
}

/** The options that were sealed for this provider. */
export function unseal(provider: string, meta: Json | undefined): Sealed {
  if (!isFor(provider, meta) || !('options' in meta)) return undefined;
  return Object.fromEntries(
    Object.entries(meta.options ?? {}).map(([namespace, values]: [string, unknown]) => [
      namespace,
      Object.fromEntries(textsIn(values)),
    ]),
  );
}

/** Blocks that go back word for word. */
export function sealRaw(provider: string, { format, blocks }: Raw): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it came as JSON, or was made of nothing else
  return { for: provider, raw: { [format]: blocks as unknown as readonly Json[] } };
}

/** The blocks of that format that were sealed for this provider; undefined where nothing was. */
export function unsealRaw(
  provider: string,
  meta: Json | undefined,
  format: string,
): readonly object[] | undefined {
  const raw: unknown = isFor(provider, meta) ? meta['raw'] : undefined;
  const blocks: unknown = typeof raw === 'object' && raw !== null ? Reflect.get(raw, format) : undefined;
  return Array.isArray(blocks)
    ? blocks.filter((block) => typeof block === 'object' && block !== null)
    : undefined;
}

/** The blocks of two seals as one; a seal for somebody else is no use beside the newer one. */
export function joinRaw(first: Json | undefined, then: Json | undefined): Json | undefined {
  if (
    !isRecord(first) ||
    !isRecord(then) ||
    first['for'] !== then['for'] ||
    !isRecord(first['raw']) ||
    !isRecord(then['raw'])
  )
    return then ?? first;
  const before = first['raw'];
  const raw = Object.entries(then['raw']).map(
    ([format, blocks]) => [format, [...listOf(before[format]), ...listOf(blocks)]] as const,
  );
  return { ...then, raw: { ...before, ...Object.fromEntries(raw) } };
}

type Fields = { readonly [key: string]: Json };

function isFor(provider: string, meta: Json | undefined): meta is Fields {
  return isRecord(meta) && meta['for'] === provider;
}

function listOf(value: Json | undefined): readonly Json[] {
  return isList(value) ? value : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

function textsIn(values: unknown): readonly (readonly [string, string])[] {
  return Object.entries(typeof values === 'object' && values !== null ? values : {}).flatMap(
    ([name, value]: [string, unknown]) => (typeof value === 'string' ? [[name, value] as const] : []),
  );
}
