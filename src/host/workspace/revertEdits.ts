// Takes back what tools have done to files, newest first, and only where nobody else has changed them since. What it cannot take back it leaves alone and names.
import type { Content, Json, ToolId, TurnId } from '../../model/event.ts';
import type { Chat, ToolItem } from '../../model/state.ts';
import { contains } from '../../base/paths.ts';
import type { FileProblem, Files } from '../ports.ts';
import { isProtected } from '../policy/protectedPaths.ts';
import type { ProtectedRoots } from '../policy/protectedPaths.ts';

/** A change of one file, or a place that something left for another. */
export type FileChange = (Edited | Moved) & {
  /** Set where only somebody else says that it happened: nobody was asked, and what it would bring back was never seen here. */
  readonly hearsay?: true;
};

interface Edited extends Pick<Extract<Content, { readonly type: 'edit' }>, 'path' | 'before' | 'after'> {
  /** Set where nobody knows whether it came that far. */
  readonly unsure?: true;
}

interface Moved {
  readonly from: string;
  readonly to: string;
}

export interface Undone {
  /** The files that are as they were. */
  readonly restored: readonly string[];
  /** Those that were left alone, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

type UndoFiles = Pick<Files, 'readText' | 'writeText' | 'remove' | 'move'>;

/** What was done to files after a turn, or by one call, the newest first. */
export function changesOf(
  { turns, active }: Chat,
  which: { readonly after: TurnId | undefined } | { readonly tool: ToolId },
): readonly FileChange[] {
  const all = active ? [...turns, active] : turns;
  const since =
    'after' in which && which.after !== undefined
      ? all.slice(all.findIndex(({ id }) => id === which.after) + 1)
      : all;
  const calls = since.flatMap(({ items }) =>
    items.filter((item) => item.type === 'tool' && (!('tool' in which) || item.id === which.tool)),
  );
  return calls.flatMap((item) => (item.type === 'tool' ? changesBy(item) : [])).toReversed();
}

export interface UndoPlace extends ProtectedRoots {
  readonly files: UndoFiles | undefined;
  readonly canonical: (path: string) => string;
}

export async function takeBack(
  changes: readonly FileChange[],
  { files, ...place }: UndoPlace,
): Promise<Undone> {
  const restored = new Set<string>();
  const left = new Map<string, string>();
  for (const change of changes) {
    const path = 'from' in change ? change.from : change.path;
    // Whoever changed a file later stands in the way of everything that was done to it before.
    if (left.has(path)) continue;
    const problem = !files
      ? { message: 'this host cannot write files.' }
      : isBeyond(change, place)
        ? { message: beyond }
        : await reverse(change, files);
    if (problem === 'never done') continue;
    if (problem) left.set(path, problem.message);
    else restored.add(path);
  }
  return {
    restored: [...restored].filter((path) => !left.has(path)),
    left: [...left].map(([path, why]) => ({ path, why })),
  };
}

const beyond =
  'only its agent says that it changed this file, which lies outside the workspace or decides what runs here.';

/** Taking back must not become a way to write where nobody has allowed anything. */
function isBeyond(change: FileChange, { roots, own = [], canonical }: Omit<UndoPlace, 'files'>): boolean {
  const inside = roots.map(canonical);
  const isSafe = (path: string) =>
    inside.some((root) => contains(root, canonical(path))) &&
    !isProtected(canonical(path), { roots: inside, own });
  return (
    change.hearsay === true && !('from' in change ? [change.from, change.to] : [change.path]).every(isSafe)
  );
}

/** What our own tools did was allowed here; of all others there is only what they say. */
function changesBy(item: ToolItem): readonly FileChange[] {
  const changes = recordedBy(item);
  return item.source === 'native' ? changes : changes.map((change) => ({ ...change, hearsay: true }));
}

function recordedBy({ result, runningAt, preview, content }: ToolItem): readonly FileChange[] {
  // What a stop or a crash has cut may have written before it was told.
  if (result?.status === 'cancelled' || result?.status === 'interrupted') {
    return runningAt === undefined
      ? []
      : [...preview, ...content].flatMap((each) =>
          each.type === 'edit' ? [{ ...each, unsure: true } as const] : [],
        );
  }
  if (result?.status !== 'done') return [];
  const moved = movedBy(result.raw);
  return [...result.content.filter((each) => each.type === 'edit'), ...(moved ? [moved] : [])];
}

/** What moved as a whole says so beside its words. */
function movedBy(raw: Json | undefined): Moved | undefined {
  if (typeof raw !== 'object' || raw === null || !('moved' in raw)) return undefined;
  const { moved } = raw;
  if (typeof moved !== 'object' || moved === null || !('from' in moved) || !('to' in moved)) return undefined;
  return typeof moved['from'] === 'string' && typeof moved['to'] === 'string'
    ? { from: moved['from'], to: moved['to'] }
    : undefined;
}

/** Larger files were never changed by a tool. */
const largest = 64_000_000;

async function reverse(
  change: FileChange,
  files: UndoFiles,
): Promise<Pick<FileProblem, 'message'> | 'never done' | undefined> {
  if ('from' in change) return files.move(change.to, change.from);
  const { path, before, after, unsure } = change;
  const now = await files.readText(path, largest);
  if ('problem' in now && now.problem !== 'not-found') return now;
  const text = 'problem' in now ? null : now.text;
  if (unsure && text !== after) return 'never done';
  if (text === before) return undefined;
  if (text !== after) return { message: `${path} has changed since.` };
  return before === null ? files.remove(path, after ?? '') : files.writeText(path, before, after);
}
