// Reverts file changes of tools, newest first, and redoes them, oldest first. A file that was changed since
// is left alone and reported.
import type { AmendedEdit, Content, EditRef, Json, ToolId, TurnId } from '../../model/event.ts';
import { amendments, editKey, isClaim } from '../../model/edits.ts';
import type { Chat, State, ToolItem, Turn } from '../../model/state.ts';
import { present } from '../../base/present.ts';
import { isRecord } from '../../base/isRecord.ts';
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
  /** Where the log has the change; undo and redo are recorded with it. */
  readonly place?: EditRef;
};

interface Edited extends Pick<
  Extract<Content, { readonly type: 'edit' }>,
  'path' | 'before' | 'after' | 'mode' | 'modeAfter' | 'modeGuessed' | 'unattributed' | 'folder'
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
  /** Set if a background job may have changed something there. */
  readonly job?: true;
}

interface Moved {
  readonly from: string;
  readonly to: string;
  /** Set if the file is to be moved again. */
  readonly again?: true;
}

export interface RevertResult {
  /** The files that are as they were before. */
  readonly restored: readonly string[];
  /** The files that were left alone, and why. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
  /** The edits that are reverted now, with later ones of a file whose earlier ones could not be. */
  readonly edits: readonly EditRef[];
  /** The restored files of which only the permission to execute was known. */
  readonly guessed?: readonly string[];
}

type RevertFiles = Pick<Files, 'readText' | 'writeText' | 'remove' | 'setMode' | 'move'>;

/** The changes after a turn (undefined for all), or those of one call. */
export type ChangeSelection = { readonly after: TurnId | undefined } | { readonly tool: ToolId };

/**
 * The selected file changes of a chat, newest first. With the edits of its session that were amended and
 * reverted, it leaves the reverted ones out: who has made one again by hand keeps it.
 */
export function changesOf(
  { turns, active }: Chat,
  which: ChangeSelection,
  { amendedEdits, revertedEdits }: Pick<State, 'amendedEdits' | 'revertedEdits'> = noneReverted,
): readonly FileChange[] {
  const all = active ? [...turns, active] : turns;
  const since =
    'after' in which && which.after !== undefined
      ? all.slice(all.findIndex(({ id }) => id === which.after) + 1)
      : all;
  const changes = since
    .flatMap((turn) => turnChanges(turn))
    .filter(({ place }) => !('tool' in which) || place?.tool === which.tool)
    .toReversed();
  return withoutReverted(withAmended(changes, amendedEdits), revertedEdits);
}

const noneReverted = { amendedEdits: [], revertedEdits: [] };

function withoutReverted(
  changes: readonly FileChange[],
  revertedEdits: readonly EditRef[],
): readonly FileChange[] {
  const reverted = new Set(revertedEdits.map(editKey));
  return reverted.size === 0
    ? changes
    : changes.filter(({ place }) => !place || !reverted.has(editKey(place)));
}

/** The changes with those that the user may have made: only for a user who asks for exactly that. */
export function withUnattributed(changes: readonly FileChange[]): readonly FileChange[] {
  return changes.map((change) => {
    if (!('before' in change)) return change;
    const { unattributed: _, ...rest } = change;
    return rest;
  });
}

/** The file changes of a session, or of one turn, that nobody has reverted; newest first. */
export function openChanges(state: State, turn?: TurnId): readonly FileChange[] {
  return withoutReverted(sessionChanges(state, turn), state.revertedEdits).toReversed();
}

/** The file changes of a session, or of one turn, that were reverted and can be redone; oldest first. */
export function undoneChanges(state: State, turn?: TurnId): readonly FileChange[] {
  if (state.revertedEdits.length === 0) return [];
  const reverted = new Set(state.revertedEdits.map(editKey));
  return sessionChanges(state, turn).filter(({ place }) => place && reverted.has(editKey(place)));
}

function sessionChanges(state: State, turn: TurnId | undefined): readonly FileChange[] {
  const turns = state.order.flatMap((id) => state.chats[id]?.turns ?? []);
  // A forked chat contains the turns of another chat; they count once.
  const own = new Map(turns.map((each) => [each.id, each]));
  const changes = [...own.values()]
    .filter(({ id }) => turn === undefined || id === turn)
    .flatMap((each) => turnChanges(each));
  return withAmended(changes, state.amendedEdits);
}

/** A file of which some lines were taken back holds another text than the edit had left. */
function withAmended(changes: readonly FileChange[], amended: readonly AmendedEdit[]): readonly FileChange[] {
  if (amended.length === 0) return changes;
  const texts = amendments(amended);
  return changes.map((change) => {
    const text = change.place && texts.get(editKey(change.place))?.text;
    return text !== undefined && 'after' in change ? { ...change, after: text } : change;
  });
}

function turnChanges({ id, items }: Turn): readonly FileChange[] {
  return items.flatMap((item) => (item.type === 'tool' ? changesBy(item, id) : []));
}

/** The change in the other direction: reverting it redoes the change. */
export function opposite(change: FileChange): FileChange {
  if ('from' in change) return { ...change, again: true };
  if ('why' in change) return change;
  const { before, after, mode, modeAfter, uncertain: _, modeGuessed: __, ...rest } = change;
  return { ...rest, before: after, after: before, ...present({ mode: modeAfter, modeAfter: mode }) };
}

/** The file that a change is about, for users. */
export function changedPath(change: FileChange): string {
  return 'from' in change ? change.from : change.path;
}

export interface RevertOptions extends ProtectedRoots {
  readonly files: RevertFiles | undefined;
  readonly canonical: (path: string) => string;
}

/** The result for changes that may not be reverted, all for one reason. */
export function leaveAlone(changes: readonly FileChange[], why: string): RevertResult {
  const paths = [...new Set(changes.map(changedPath))];
  return { restored: [], left: paths.map((path) => ({ path, why })), edits: [] };
}

export async function revertChanges(
  changes: readonly FileChange[],
  options: RevertOptions,
): Promise<RevertResult> {
  const restored = new Set<string>();
  const left = new Map<string, string>();
  const edits: EditRef[] = [];
  const guessed = new Set<string>();
  let isLast = false;
  for (let waiting = changes; waiting.length > 0;) {
    const blocked: FileChange[] = [];
    for (const change of waiting) {
      const path = changedPath(change);
      // If a later change of this file could not be reverted, earlier ones cannot either.
      if (left.has(path)) continue;
      const isBlocked = blocked.some((other) => changedPath(other) === path);
      const problem = isBlocked ? 'in the way' : await revertChange(change, options);
      if (problem === 'never done') continue;
      // A change that is yet to be reverted may have put a file in the place of a folder, or a folder there.
      if (problem === 'in the way' || (!isLast && isInTheWay(problem))) blocked.push(change);
      else if (problem) left.set(path, problem.message);
      else {
        restored.add(path);
        if ('modeGuessed' in change && change.before !== null) guessed.add(path);
        if (change.place) edits.push(change.place);
      }
    }
    isLast = blocked.length === waiting.length;
    waiting = blocked;
  }
  return {
    restored: [...restored].filter((path) => !left.has(path)),
    left: [...left].map(([path, why]) => ({ path, why })),
    edits,
    ...(guessed.size > 0 ? { guessed: [...guessed] } : {}),
  };
}

/** What an undo could not restore as it was: the files that were left alone, and permissions. */
export function problemsOf({
  left,
  guessed = [],
}: Pick<RevertResult, 'left' | 'guessed'>): readonly string[] {
  const known = 'Parley knew only whether these files may be executed; look at their other permissions: ';
  return [
    ...left.map(({ path, why }) => `${path} was left as it is: ${why}`),
    ...(guessed.length > 0 ? [`${known}${guessed.join(', ')}`] : []),
  ];
}

type RevertProblem = FileProblem | Pick<FileProblem, 'message'> | 'never done' | undefined;

function isInTheWay(problem: RevertProblem): boolean {
  if (typeof problem !== 'object' || !('problem' in problem)) return false;
  return problem.problem === 'not-a-file' || problem.problem === 'not-a-directory';
}

async function revertChange(change: FileChange, options: RevertOptions): Promise<RevertProblem> {
  if ('why' in change) return { message: change.why };
  if (!options.files) return { message: 'this host cannot write files.' };
  return isUnsafe(change, options) ? { message: unsafe } : reverse(change, options.files);
}

const unsafe =
  'only its agent reports this change, and the file is outside the workspace or controls what runs here.';

/** Why an edit that only an agent reports is not reverted. */
const unseen =
  'only its agent reports this change; Parley did not see the file before, so it cannot restore it.';

/** Why a change is not reverted that the user may have made. */
export const unattributedReason =
  'no report of the agent explains this change, so it may be your own. /undo all takes it back, too.';

const withoutRecord =
  'no report of the agent explains this change, so it may be your own. The record of it went with the ' +
  'messages, so no undo takes it back.';

/** The result for a user whose turns are gone: nothing that is left can be taken back later. */
export function afterRollback(result: RevertResult): RevertResult {
  const left = result.left.map(({ path, why }) => ({
    path,
    why: why === unattributedReason ? withoutRecord : why,
  }));
  return { ...result, left };
}

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
function changesBy(item: ToolItem, turn: TurnId): readonly FileChange[] {
  const changes = recordedBy(item).map(({ index, ...change }) => ({
    ...change,
    place: { turn, tool: item.id, index },
  }));
  return item.source === 'native' ? changes : changes.map((change) => ({ ...change, unverified: true }));
}

/** A change with its index in the content of the result. */
type IndexedChange = (Edited | Untracked | Moved) & { readonly index: number };

/** The index of what only the raw result tells. */
const moveIndex = -1;

function recordedBy(item: ToolItem): readonly IndexedChange[] {
  const { result } = item;
  if (result?.status === 'cancelled' || result?.status === 'interrupted') return cutBy(item, result.status);
  if (result?.status !== 'done' && result?.status !== 'failed') return [];
  const recorded = result.content.flatMap((each, index): readonly IndexedChange[] => {
    if (each.type === 'untracked') return [{ path: each.path, why: each.why, index }];
    // What a failed call announced may not have happened.
    if (each.type !== 'edit' || (result.status === 'failed' && !each.observed)) return [];
    return [{ ...edited(item, each), index }];
  });
  const own = result.status === 'done' && item.source === 'native' ? result.raw : undefined;
  const raw = movedBy(own) ?? backgroundOf(own);
  return raw ? [...recorded, { ...raw, index: moveIndex }] : recorded;
}

/**
 * A call that was stopped or crashed may have written before it reported that. Its edits are in no result;
 * their indexes are below that of a move. What a stopped command changed is recorded after it; nobody has
 * seen what one did whose host ended.
 */
function cutBy(item: ToolItem, status: 'cancelled' | 'interrupted'): readonly IndexedChange[] {
  const { runningAt, preview, content, toolKind, locations } = item;
  if (runningAt === undefined) return [];
  const edits = [...preview, ...content].flatMap((each, at): readonly IndexedChange[] =>
    each.type === 'edit' ? [{ ...edited(item, each), uncertain: true, index: moveIndex - 1 - at }] : [],
  );
  const places = status === 'interrupted' && toolKind === 'execute' ? locations : [];
  const why = 'a command was interrupted there, and Parley does not know which files it has changed.';
  return [...edits, ...places.map(({ path }) => ({ path, why, index: moveIndex }))];
}

function edited(item: ToolItem, edit: Extract<Content, { readonly type: 'edit' }>): Edited {
  const { path, before, after, mode, modeAfter, modeGuessed, unattributed, folder } = edit;
  const claimed = isClaim(item, edit) ? (true as const) : undefined;
  return { path, before, after, ...present({ mode, modeAfter, modeGuessed, unattributed, claimed, folder }) };
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

/** A job in the background outlives its call, and may change files at any time. */
function backgroundOf(raw: Json | undefined): Untracked | undefined {
  const folder = isRecord(raw) ? raw['background'] : undefined;
  const why = 'a background job ran there, and Parley does not see what such jobs change.';
  return typeof folder === 'string' ? { path: folder, why, job: true } : undefined;
}

/** Tools change no larger files. */
const largestFile = 64_000_000;

async function reverse(change: Edited | Moved, files: RevertFiles): Promise<RevertProblem> {
  if ('from' in change)
    return change.again ? files.move(change.from, change.to) : files.move(change.to, change.from);
  const now = await readPlace(change, files);
  if ('problem' in now && now.problem !== 'not-found') return now;
  const text = 'problem' in now ? null : now.text;
  const refused = refusal(change, text);
  if (refused) return refused === 'as before' ? undefined : refused;
  if (change.after === null) {
    // Who made the file again has chosen its permissions.
    if (text !== null) return undefined;
    return (await restore(change, files)) ?? restoreMode(change, files);
  }
  const problem = await restoreMode(change, files);
  if (problem || text === change.before) return problem;
  // Writing takes away the permission to run as the owner or the group.
  const { modeAfter: _, ...written } = change;
  return (await restore(change, files)) ?? restoreMode(written, files);
}

/** The text of the file. An empty folder in the place of a file that was removed makes room for it. */
async function readPlace(change: Edited, files: RevertFiles): ReturnType<Files['readText']> {
  const { path, before, after } = change;
  const now = await files.readText(path, largestFile);
  const isFreed = before !== null && after === null && !refusal(change, null);
  if (!isFreed || !('problem' in now) || now.problem !== 'not-a-file') return now;
  return (await files.remove(path, null)) ? now : files.readText(path, largestFile);
}

/** Why the file with this text is not touched; undefined if the change can be reverted. */
function refusal(change: Edited, text: string | null): RevertProblem | 'as before' {
  const { path, before, after, uncertain, claimed, unattributed } = change;
  if (uncertain && text !== after) return 'never done';
  if (claimed) return text === before ? 'never done' : { message: unseen };
  if (unattributed)
    return text === before && before !== after ? 'as before' : { message: unattributedReason };
  return text === before || text === after ? undefined : { message: changedSince(path) };
}

/** Permissions that somebody has changed since are theirs, and so is the file. */
async function restoreMode(
  { path, before, mode, modeAfter }: Edited,
  files: RevertFiles,
): Promise<RevertProblem> {
  return mode === undefined || before === null ? undefined : files.setMode(path, mode, modeAfter);
}

export function changedSince(path: string): string {
  return `${path} has changed since.`;
}

async function restore(
  { path, before, after, folder }: Edited,
  files: RevertFiles,
): Promise<FileProblem | undefined> {
  if (before !== null) return files.writeText(path, before, after);
  const problem = await files.remove(path, after ?? '');
  // It stays if it has other files.
  if (!problem && folder !== undefined) await files.remove(folder, null);
  return problem;
}
