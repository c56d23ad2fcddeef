// Reverts file changes of tools, newest first. A file that was changed since is left alone and reported.
import type { Content, Json, ToolId, TurnId } from '../../model/event.ts';
import { editKey, isClaim } from '../../model/edits.ts';
import type { Chat, State, ToolItem } from '../../model/state.ts';
import { contains } from '../../base/paths.ts';
import type { FileProblem, Files } from '../ports.ts';
import { isProtected } from '../policy/protectedPaths.ts';
import type { ProtectedRoots } from '../policy/protectedPaths.ts';

/** An edit of one file, a change without texts, or the move of a file or directory. */
export type FileChange = (Edited | Untracked | Moved) & {
  /**
   * Set if only an external agent reports the change: Parley neither approved it nor saw the earlier text.
   */
  readonly unverified?: true;
};

interface Edited extends Pick<
  Extract<Content, { readonly type: 'edit' }>,
  'path' | 'before' | 'after' | 'mode'
> {
  /** Set if the call was interrupted and may not have made the change. */
  readonly uncertain?: true;
  /** Set if only an external agent reports the edit; its texts are not used. */
  readonly claimed?: true;
}

/** A file whose texts the log does not have, and why. */
interface Untracked {
  readonly path: string;
  readonly why: string;
}

interface Moved {
  readonly from: string;
  readonly to: string;
}

export interface RevertResult {
  /** The files that are as they were before. */
  readonly restored: readonly string[];
  /** The files that were left alone, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

type RevertFiles = Pick<Files, 'readText' | 'writeText' | 'remove' | 'setMode' | 'move'>;

/** The changes after a turn (undefined for all), or those of one call. */
export type ChangeSelection = { readonly after: TurnId | undefined } | { readonly tool: ToolId };

/** The selected file changes of a chat, newest first. */
export function changesOf({ turns, active }: Chat, which: ChangeSelection): readonly FileChange[] {
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

/** The file changes of a session, or of one turn, that no client has reverted yet; newest first. */
export function openChanges(state: State, turn?: TurnId): readonly FileChange[] {
  const reverted = new Set(state.revertedEdits.map(editKey));
  const turns = state.order.flatMap((id) => state.chats[id]?.turns ?? []);
  // A forked chat contains the turns of another chat; they count once.
  const own = new Map(turns.map((each) => [each.id, each]));
  const calls = [...own.values()]
    .filter(({ id }) => turn === undefined || id === turn)
    .flatMap(({ id, items }) => items.flatMap((item) => (item.type === 'tool' ? [{ turn: id, item }] : [])));
  return calls
    .flatMap(({ turn: of, item }) =>
      changesBy(withoutContent(item, (index) => reverted.has(editKey({ turn: of, tool: item.id, index })))),
    )
    .toReversed();
}

function withoutContent(item: ToolItem, isLeftOut: (index: number) => boolean): ToolItem {
  const { result } = item;
  if (!result || !('content' in result)) return item;
  return { ...item, result: { ...result, content: result.content.filter((_, index) => !isLeftOut(index)) } };
}

export interface RevertOptions extends ProtectedRoots {
  readonly files: RevertFiles | undefined;
  readonly canonical: (path: string) => string;
}

export async function revertChanges(
  changes: readonly FileChange[],
  options: RevertOptions,
): Promise<RevertResult> {
  const restored = new Set<string>();
  const left = new Map<string, string>();
  for (const change of changes) {
    const path = 'from' in change ? change.from : change.path;
    // If a later change of this file could not be reverted, earlier ones cannot either.
    if (left.has(path)) continue;
    const problem = await revertChange(change, options);
    if (problem === 'never done') continue;
    if (problem) left.set(path, problem.message);
    else restored.add(path);
  }
  return {
    restored: [...restored].filter((path) => !left.has(path)),
    left: [...left].map(([path, why]) => ({ path, why })),
  };
}

type RevertProblem = Pick<FileProblem, 'message'> | 'never done' | undefined;

async function revertChange(change: FileChange, options: RevertOptions): Promise<RevertProblem> {
  if (!options.files) return { message: 'this host cannot write files.' };
  return isUnsafe(change, options) ? { message: unsafe } : reverse(change, options.files);
}

const unsafe =
  'only its agent reports this change, and the file is outside the workspace or controls what runs here.';

/** Why an edit that only an agent reports is not reverted. */
const unseen =
  'only its agent reports this change; Parley did not see the file before, so it cannot restore it.';

/** Reverting must not become a way to write files that nobody has approved. */
function isUnsafe(change: FileChange, { roots, own = [], canonical }: RevertOptions): boolean {
  const inside = roots.map(canonical);
  const isSafe = (path: string) =>
    inside.some((root) => contains(root, canonical(path))) &&
    !isProtected(canonical(path), { roots: inside, own });
  return (
    change.unverified === true && !('from' in change ? [change.from, change.to] : [change.path]).every(isSafe)
  );
}

/** Parley approved and saw the changes of its own tools; those of others are only reported. */
function changesBy(item: ToolItem): readonly FileChange[] {
  const changes = recordedBy(item);
  return item.source === 'native' ? changes : changes.map((change) => ({ ...change, unverified: true }));
}

function recordedBy(item: ToolItem): readonly FileChange[] {
  const { result, runningAt, preview, content } = item;
  const edits = (list: readonly Content[]) =>
    list.flatMap((each): readonly Edited[] =>
      each.type === 'edit' ? [{ ...each, ...(isClaim(item, each) ? { claimed: true as const } : {}) }] : [],
    );
  // A call that was stopped or crashed may have written before it reported that.
  if (result?.status === 'cancelled' || result?.status === 'interrupted') {
    return runningAt === undefined
      ? []
      : edits([...preview, ...content]).map((each) => ({ ...each, uncertain: true }));
  }
  const untracked =
    result && 'content' in result ? result.content.filter((each) => each.type === 'untracked') : [];
  // What a failed call announced may not have happened.
  if (result?.status === 'failed')
    return [...edits(result.content.filter((each) => each.type === 'edit' && each.observed)), ...untracked];
  if (result?.status !== 'done') return [];
  const moved = item.source === 'native' ? movedBy(result.raw) : undefined;
  return [...edits(result.content), ...untracked, ...(moved ? [moved] : [])];
}

/** Our own tool records a move in the raw result; the raw result of an agent is its own. */
function movedBy(raw: Json | undefined): Moved | undefined {
  if (typeof raw !== 'object' || raw === null || !('moved' in raw)) return undefined;
  const { moved } = raw;
  if (typeof moved !== 'object' || moved === null || !('from' in moved) || !('to' in moved)) return undefined;
  return typeof moved['from'] === 'string' && typeof moved['to'] === 'string'
    ? { from: moved['from'], to: moved['to'] }
    : undefined;
}

/** Tools change no larger files. */
const largestFile = 64_000_000;

async function reverse(change: FileChange, files: RevertFiles): Promise<RevertProblem> {
  if ('from' in change) return files.move(change.to, change.from);
  if ('why' in change) return { message: change.why };
  const { path, before, after, uncertain, claimed } = change;
  const now = await files.readText(path, largestFile);
  if ('problem' in now && now.problem !== 'not-found') return now;
  const text = 'problem' in now ? null : now.text;
  if (uncertain && text !== after) return 'never done';
  if (claimed) return text === before ? 'never done' : { message: unseen };
  if (text !== before && text !== after) return { message: changedSince(path) };
  const problem = text === before ? undefined : await restore(change, files);
  return problem ?? restoreMode(change, files);
}

async function restoreMode({ path, before, mode }: Edited, files: RevertFiles): Promise<RevertProblem> {
  return mode === undefined || before === null ? undefined : files.setMode(path, mode);
}

export function changedSince(path: string): string {
  return `${path} has changed since.`;
}

function restore({ path, before, after }: Edited, files: RevertFiles): Promise<FileProblem | undefined> {
  return before === null ? files.remove(path, after ?? '') : files.writeText(path, before, after);
}
