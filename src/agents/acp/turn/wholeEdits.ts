// Expands an agent's partial edits to whole files, because only whole texts can be reverted.
import type { Files } from '../../../host/ports.ts';
import { contains } from '../../../base/paths.ts';
import type { Content } from '../../../model/event.ts';

type Edit = Extract<Content, { readonly type: 'edit' }>;

/** Edits of larger files stay as the agent reported them. */
const sizeLimit = 1_000_000;

/** Merges partial diffs into one edit per file; a file whose text does not match keeps the reported diffs. */
export async function wholeEdits(
  content: readonly Content[],
  { files, roots }: { readonly files: Files; readonly roots: readonly string[] },
): Promise<readonly Content[]> {
  const paths = [...new Set(content.flatMap((item) => (item.type === 'edit' ? [item.path] : [])))];
  const found = await Promise.all(
    paths.map(async (path) => [path, await wholeEdit(path, content, { files, roots })] as const),
  );
  const whole = new Map(found);
  return content
    .filter((item, at) => item.type !== 'edit' || !whole.get(item.path) || firstOf(content, item.path) === at)
    .map((item) => (item.type === 'edit' ? (whole.get(item.path) ?? item) : item));
}

function firstOf(content: readonly Content[], path: string): number {
  return content.findIndex((item) => item.type === 'edit' && item.path === path);
}

async function wholeEdit(
  path: string,
  content: readonly Content[],
  { files, roots }: { readonly files: Files; readonly roots: readonly string[] },
): Promise<Edit | undefined> {
  const [base = '/'] = roots;
  const target = await files.realPath(path, base);
  const inside = await Promise.all(
    roots.map(async (root) => contains(await files.realPath(root, base), target)),
  );
  const read = inside.includes(true) ? await files.readText(target, sizeLimit) : undefined;
  if (!read || 'problem' in read) return undefined;
  const edits = content.filter((item): item is Edit => item.type === 'edit' && item.path === path);
  const before = edits.reduceRight<string | null | undefined>(
    (text, edit) => (typeof text === 'string' ? reversed(text, edit) : undefined),
    read.text,
  );
  return before === undefined || before === read.text
    ? undefined
    : { type: 'edit', path, before, after: read.text };
}

/** The text before an edit; undefined if the edit has no position. */
function reversed(text: string, { before, after }: Edit): string | null | undefined {
  if (text === after) return before;
  if (before === null || after === null || after === '') return undefined;
  const at = text.indexOf(after);
  if (at < 0 || text.indexOf(after, at + 1) >= 0) return undefined;
  return text.slice(0, at) + before + text.slice(at + after.length);
}
