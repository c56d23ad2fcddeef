// Leaves out of the answers of language servers what lies in files that must not be read unasked.
import type { HiddenFile } from '../../../../host/policy/policy.ts';
import type { ToolContext } from '../tool.ts';

interface Look {
  readonly context: ToolContext;
  /** Why a file must be left out. */
  readonly hides: (path: string) => HiddenFile | undefined;
  /** The file that the call names; it was approved by its name. */
  readonly asked: string | undefined;
}

export async function visiblePlaces<T extends { readonly path: string }>(
  found: readonly T[],
  { context, hides, asked }: Look,
): Promise<{ readonly places: readonly T[]; readonly note: string }> {
  const hidden = new Set<string>();
  for (const path of new Set(found.map((place) => place.path))) {
    const real = await context.files.realPath(path, '/');
    if (real !== asked && hides(real) !== undefined) hidden.add(path);
  }
  const places = found.filter(({ path }) => !hidden.has(path));
  const count = found.length - places.length;
  const text = `Places in protected files: ${count} (denied by a rule, or files that hold secrets).`;
  return { places, note: count === 0 ? '' : `\n\n[LEFT OUT] ${text}` };
}
