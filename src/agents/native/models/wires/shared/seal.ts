// Packs metadata that a provider expects back, such as signatures, so that only the same
// provider ever gets it.
import { isRecord } from '../../../../../base/isRecord.ts';
import type { Json } from '../../../../../model/event.ts';

/** The metadata of a part by wire format; undefined if there is none. */
export type Sealed = { readonly [format: string]: { readonly [name: string]: string } } | undefined;

/** Blocks of a wire format, with the name of the format. */
export interface RawBlocks {
  readonly format: string;
  readonly blocks: readonly object[];
}

/** The fields that are sent back to providers. */
const worth: ReadonlySet<string> = new Set([
  'signature',
  'redactedData',
  'thoughtSignature',
  'reasoningEncryptedContent',
  'itemId',
  'phase',
  'thoughtTags',
]);

/** Fields that are useless alone: nothing is stored at the provider under the id. */
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

/** The metadata that was sealed for this provider. */
export function unseal(provider: string, meta: Json | undefined): Sealed {
  if (!isFor(provider, meta) || !('options' in meta)) return undefined;
  return Object.fromEntries(
    Object.entries(meta.options ?? {}).map(([namespace, values]: [string, unknown]) => [
      namespace,
      Object.fromEntries(textsIn(values)),
    ]),
  );
}

/** Seals blocks that are sent back unchanged. */
export function sealRaw(provider: string, { format, blocks }: RawBlocks): Json {
  // It came as JSON, or was made of nothing else.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { for: provider, raw: { [format]: blocks as unknown as readonly Json[] } };
}

/** The blocks of that format that were sealed for this provider; undefined if there are none. */
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

/** Joins the blocks of two seals of one provider; otherwise the newer seal wins. */
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
