// What the host itself sees of the files that an agent changes. The agent's diff is a claim: it tells which
// file to look at, and the texts come from the disk.
import { contains } from '../../base/paths.ts';
import type { Files } from '../ports.ts';
import { hasSameMode, isSameFile } from './workspaceSnapshots.ts';
import type { FileView, WorkspaceSnapshot, WorkspaceSnapshots } from './workspaceSnapshots.ts';
import { present } from '../../base/present.ts';
import type { Content, Json } from '../../model/event.ts';
import { isRecord } from '../../base/isRecord.ts';

/** A change of a file with its texts. */
export type WrittenFile = Extract<Content, { readonly type: 'edit' }>;

/** A file of the workspace as the host saw it. */
export interface SeenFile {
  /** The real path. */
  readonly path: string;
  /** Null for no file. */
  readonly view: FileView | null;
  /** How many changes were recorded before the host looked. */
  readonly order: number;
}

/** What the host knows of the files of one call. */
export interface CallFiles {
  /** The files at their first mention, by the path that the agent uses; undefined outside the workspace. */
  readonly seen: ReadonlyMap<string, Promise<SeenFile | undefined>>;
  /** What the call wrote through us, by real path. */
  readonly written: ReadonlyMap<string, WrittenFile>;
  /** The arguments that were told one after the other: many agents tell the new text there. */
  readonly inputs: readonly Json[];
}

export interface FileObserverOptions {
  readonly files: Pick<Files, 'realPath'>;
  readonly roots: readonly string[];
  readonly snapshots: WorkspaceSnapshots;
}

/** A change as the log keeps it. */
type ObservedChange = Extract<Content, { readonly type: 'edit' | 'untracked' }>;

/**
 * What the host saw of a change that an agent reports: nothing, that another call has recorded it, or that
 * the file is as it was.
 */
type Observed = readonly ObservedChange[] | 'recorded' | 'unchanged' | undefined;

/** A file before and after a change. */
interface SeenChange {
  readonly before: FileView | null;
  readonly after: FileView | null;
  /** Whether the agent has made all of it: a write through us, or what its report tells. */
  readonly explained: boolean;
}

/** What an agent tells about a change of a file in a call. */
interface Report {
  readonly claims: readonly WrittenFile[];
  /** The texts of its arguments. */
  readonly words: readonly string[];
}

/** The texts of more files are not kept for one turn. */
const mostChanges = 500;
const mostText = 16_000_000;

export class FileObserver {
  readonly #options: FileObserverOptions;
  #start: WorkspaceSnapshot | undefined;
  /** The files after the recorded changes of this turn. */
  readonly #recorded = new Map<string, { readonly view: FileView | null; readonly order: number }>();

  #count = 0;
  #line: Promise<unknown> = Promise.resolve();

  constructor(options: FileObserverOptions) {
    this.#options = options;
  }

  /** Looks at the whole workspace before the agent begins. */
  async start(signal: AbortSignal): Promise<void> {
    const { snapshots, roots } = this.#options;
    this.#start = await snapshots.take(roots, signal);
  }

  /** Looks at a file; undefined if it is outside the workspace. */
  async look(path: string): Promise<SeenFile | undefined> {
    const { files, roots, snapshots } = this.#options;
    const [base = '/'] = roots;
    const order = this.#count;
    const real = await files.realPath(path, base);
    const inside = await Promise.all(
      roots.map(async (root) => contains(await files.realPath(root, base), real)),
    );
    const view = inside.includes(true) ? await snapshots.view(real) : undefined;
    // A folder is changed by the changes of its files.
    return view === undefined || view?.print === 'folder' ? undefined : { path: real, view, order };
  }

  /**
   * The changes that a write through us makes: its own, and before it what else has changed the file since
   * the host looked last.
   */
  written({ path, before, after }: WrittenFile): Promise<readonly Content[]> {
    return this.#inTurn(async () => {
      const [old, fresh] = [before, after].map((text) => (text === null ? null : { text }));
      const changes = await this.#changes(path, {
        before: old ?? null,
        after: fresh ?? null,
        explained: true,
      });
      return changes === 'recorded' ? [] : this.#withFolders(changes);
    });
  }

  /**
   * The content of a call that is over, with one observed edit for each file that it changed. What the host
   * cannot see stays as the agent reports it; what another call has recorded is left out.
   */
  observed(content: readonly Content[], call: CallFiles): Promise<readonly Content[]> {
    return this.#inTurn(async () => this.#withFolders(await this.#observed(content, call)));
  }

  async #observed(content: readonly Content[], call: CallFiles): Promise<readonly Content[]> {
    const seen = await seenFiles(call.seen);
    for (const path of call.written.keys()) if (!seen.has(path)) seen.set(path, undefined);
    const edits = new Map<string, Observed>();
    const pathOf = new Map<string, string>();
    for (const [name, file] of seen) pathOf.set(name, file?.path ?? name);
    for (const [name, file] of seen) {
      const path = file?.path ?? name;
      if (edits.has(path)) continue;
      const claims = content.filter(
        (item): item is WrittenFile => item.type === 'edit' && (pathOf.get(item.path) ?? item.path) === path,
      );
      const report = { claims, words: call.inputs.flatMap(wordsIn), written: call.written.get(path) };
      edits.set(path, await this.#compare(path, file, report));
    }
    return withEdits(content, edits, (name) => pathOf.get(name) ?? name);
  }

  /** The changes of the turn that belong to no call, at its end. */
  async unreported(signal: AbortSignal): Promise<readonly ObservedChange[]> {
    const { paths = [], lost = [] } = (await this.#start?.changed(signal)) ?? {};
    const changes: ObservedChange[] = [];
    let room = mostText;
    for (const path of paths) {
      const change = await this.#sinceStart(path, changes.length < mostChanges && room > 0);
      if (!change) continue;
      changes.push(change);
      if (change.type === 'edit') room -= (change.before?.length ?? 0) + (change.after?.length ?? 0);
    }
    const others = lost.filter(({ path, print }) => this.#recorded.get(path)?.view?.print !== print);
    for (const { path, why, print } of others.slice(0, mostChanges))
      changes.push(this.#untracked(path, { text: undefined, why, print }, why));
    return this.#withFolders(changes);
  }

  /** A new file may have a new folder, which goes with it; the last file may have taken its folder along. */
  #withFolders<T extends Content>(changes: readonly T[]): Promise<readonly T[]> {
    return Promise.all(
      changes.map(async (change) => {
        if (change.type !== 'edit' || (change.before !== null && change.after !== null)) return change;
        const folder = await this.#start?.changedFolder(change.path);
        return folder === undefined ? change : { ...change, folder };
      }),
    );
  }

  /** Comparisons run one after the other: each one begins where the last record ends. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#line.then(work);
    this.#line = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#start?.close();
  }

  async #sinceStart(path: string, hasRoom: boolean): Promise<ObservedChange | undefined> {
    const recorded = this.#recorded.get(path);
    const start = await this.#start?.before(path);
    const now = await this.#options.snapshots.view(path);
    const before = recorded ? withMode(recorded.view, start) : start;
    if (before !== undefined && isSameFile(before, now)) return undefined;
    // An editor that took the text has not saved it yet.
    if (recorded && !wasOnDisk(recorded.view) && start !== undefined && isSameFile(start, now))
      return undefined;
    if (before === undefined) return this.#untracked(path, now, 'Parley did not see it before the turn.');
    if (!hasRoom) return this.#untracked(path, now, 'the turn has changed more than Parley keeps.');
    return this.#change(path, { before, after: now, explained: false });
  }

  /** The change of a file between the begin and the end of a call. */
  async #compare(
    path: string,
    begin: SeenFile | undefined,
    { claims, words, written }: Report & { readonly written: WrittenFile | undefined },
  ): Promise<Observed> {
    if (!begin && !written) return undefined;
    const after = await this.#options.snapshots.view(path);
    if (written) return this.#writtenBy(written, after);
    const before = await this.#before(path, begin, { after, claims });
    if (before !== undefined && !isSameFile(before, after))
      return this.#changes(path, {
        before,
        after,
        explained: isExplained(before, after, claims) || isInWords(before, after, words),
      });
    const recorded = this.#recorded.get(path);
    if (recorded) return isSameFile(recorded.view, after) ? 'recorded' : undefined;
    const start = await this.#start?.before(path);
    return start !== undefined && isSameFile(start, after) ? 'unchanged' : undefined;
  }

  async #writtenBy(
    { path, before, after: sent, unattributed }: WrittenFile,
    after: FileView | null,
  ): Promise<readonly ObservedChange[] | 'recorded'> {
    const unsaved = sent === null ? null : { text: sent };
    const changes = await this.#changes(path, {
      before: before === null ? null : { text: before },
      after: after?.text === sent ? after : unsaved,
      explained: !unattributed,
    });
    // An editor that took the text may not have saved it yet; any other text is somebody else's.
    if (after?.text === undefined || after.text === sent || after.text === before) return changes;
    const start = await this.#start?.before(path);
    const since = this.#change(path, { before: withMode(unsaved, start), after, explained: false });
    return changes === 'recorded' ? [since] : [...changes, since];
  }

  /**
   * How the file was before the call: as the host saw it when the call began. An agent may write before the
   * host could look; then it is the last text known before, if nothing has changed since or the agent's diff
   * begins with that text.
   */
  async #before(
    path: string,
    begin: SeenFile | undefined,
    { after, claims }: { readonly after: FileView | null; readonly claims: readonly WrittenFile[] },
  ): Promise<FileView | null | undefined> {
    const recorded = this.#recorded.get(path);
    // Another call has recorded a change since this one began.
    const start = await this.#start?.before(path);
    if (recorded && begin && recorded.order > begin.order) return withMode(recorded.view, start);
    const earlier = recorded ? withMode(recorded.view, start) : start;
    // A file that is being written is empty for a moment.
    const isBeingWritten = begin?.view?.text === '' && earlier !== undefined;
    const candidates = [isBeingWritten ? undefined : begin?.view, earlier].filter(
      (view) => view !== undefined && !isSameFile(view, after),
    );
    // A file that has the text already was written before the host looked, if the agent says so.
    const isBefore = (view: (typeof candidates)[number]) =>
      view?.text !== after?.text && isExplained(view, after, claims);
    return candidates[Math.max(0, candidates.findIndex(isBefore))];
  }

  /** A change, after what changed the file between the last record and this change. */
  async #changes(
    path: string,
    { before: given, after, explained }: SeenChange,
  ): Promise<readonly ObservedChange[] | 'recorded'> {
    const start = await this.#start?.before(path);
    const recorded = this.#recorded.get(path);
    const last = recorded ? withMode(recorded.view, start) : start;
    const before = withMode(given, last);
    // Some agents write a file and let us write the same text: if they are first, the text is still theirs.
    const isTwice = isSameFile(before, after);
    const earlier =
      last === undefined || isSameFile(last, before)
        ? []
        : [this.#change(path, { before: last, after: before, explained: explained && isTwice })];
    const own = isTwice ? [] : [this.#change(path, { before, after, explained })];
    const all = [...earlier, ...own];
    return all.length === 0 ? 'recorded' : all;
  }

  #change(path: string, { before, after, explained }: SeenChange): ObservedChange {
    const hidden = [before, after].find((view) => view?.why !== undefined);
    if (hidden) return this.#untracked(path, after, hidden.why ?? '');
    this.#record(path, after);
    const isModeLost = before?.mode !== undefined && (!after || !hasSameMode(before, after));
    return {
      type: 'edit',
      path,
      before: before?.text ?? null,
      after: after?.text ?? null,
      observed: true,
      // Restoring a missing file destroys nothing, no matter who removed it.
      ...(explained || !after ? {} : { unattributed: true }),
      ...(isModeLost ? { mode: modeBefore(before, after) } : {}),
      ...(before?.rough ? { modeGuessed: true } : {}),
      ...present({ modeAfter: modeAfter(before, after) }),
    };
  }

  #untracked(path: string, after: FileView | null, why: string): ObservedChange {
    this.#record(path, after);
    return { type: 'untracked', path, why };
  }

  #record(path: string, view: FileView | null): void {
    this.#count += 1;
    this.#recorded.set(path, { view, order: this.#count });
  }
}

/** Git knows only whether a file is executable; the rest stays as it is. */
function modeBefore({ mode = 0, rough }: FileView, after: FileView | null): number {
  if (!rough || after?.mode === undefined || after.rough) return mode;
  const execute = 0o111;
  return (mode & execute) === 0 ? after.mode & ~execute : after.mode | ((after.mode & 0o444) >> 2);
}

/** The permissions that a redo must set, because writing the text would not. */
function modeAfter(before: FileView | null, after: FileView | null): number | undefined {
  if (!after || after.mode === undefined || after.rough) return undefined;
  const isNew = before?.mode === undefined;
  const isKept = isNew ? after.mode === usualMode : hasSameMode(before, after);
  return isKept ? undefined : after.mode;
}

const usualMode = 0o644;

/** Whether the host saw the file so; a text that was written through us may be in an editor only. */
function wasOnDisk(view: FileView | null): boolean {
  return view === null || view.mode !== undefined || view.print !== undefined;
}

/** A file that was written through us keeps its permissions. */
function withMode(view: FileView | null, start: FileView | null | undefined): FileView | null {
  if (!view || view.mode !== undefined || start?.mode === undefined) return view;
  const { mode, rough } = start;
  return { ...view, mode, ...(rough ? { rough } : {}) };
}

async function seenFiles(seen: CallFiles['seen']): Promise<Map<string, SeenFile | undefined>> {
  const found = new Map<string, SeenFile | undefined>();
  for (const [name, file] of seen) {
    const known = await file;
    if (known) found.set(name, known);
  }
  return found;
}

/** Puts each edit where the agent reports the first change of its file, and the other edits at the end. */
function withEdits(
  content: readonly Content[],
  edits: ReadonlyMap<string, Observed>,
  pathOf: (name: string) => string,
): readonly Content[] {
  const placed = new Set<string>();
  const shown = content.flatMap((item): readonly Content[] => {
    const path = item.type === 'edit' ? pathOf(item.path) : undefined;
    const edit = path === undefined ? undefined : edits.get(path);
    if (path === undefined || edit === undefined) return [item];
    if (edit === 'recorded' || placed.has(path)) return [];
    placed.add(path);
    return edit === 'unchanged' ? [asBefore(path)] : edit;
  });
  const rest = [...edits].flatMap(([path, edit]) =>
    typeof edit === 'object' && !placed.has(path) ? edit : [],
  );
  return [...shown, ...rest];
}

function asBefore(path: string): Content {
  return { type: 'text', text: `The agent reports a change of ${path}, but the file is as it was.` };
}

/**
 * Whether the reported diffs, made in the text before, give exactly the text after. A diff without the old
 * text explains it only if it has the whole text.
 */
function isExplained(
  before: FileView | null | undefined,
  after: FileView | null,
  claims: readonly WrittenFile[],
): boolean {
  const [old, now] = [before === null ? '' : before?.text, after?.text];
  if (old === undefined || now === undefined || claims.length === 0) return false;
  const whole = claims.findLast((claim) => claim.before === null);
  const rest = whole ? claims.slice(claims.lastIndexOf(whole) + 1) : claims;
  const begin = whole ? (whole.after ?? '') : old;
  return replacements.some((replace) => isSameButEnd(withClaims(begin, rest, replace), now));
}

/** The texts among the arguments of a call; more than a few are no edit of a file. */
function wordsIn(input: Json): readonly string[] {
  const values: readonly unknown[] = isRecord(input) ? Object.values(input) : [];
  return values.filter((value) => typeof value === 'string').slice(0, mostWords);
}

const mostWords = 10;

/** Whether the arguments have the whole new text, or an old and a new part that make it. */
function isInWords(before: FileView | null, after: FileView | null, words: readonly string[]): boolean {
  const now = after?.text;
  if (now === undefined || now === '') return false;
  if (words.some((word) => isSameButEnd(word, now))) return true;
  const old = before?.text;
  return (
    old !== undefined &&
    words.some(
      (part) =>
        part !== '' && old.includes(part) && words.some((fresh) => old.replaceAll(part, () => fresh) === now),
    )
  );
}

type Replacement = (text: string, old: string, fresh: string) => string;

/** Some agents report one diff for all places that they have replaced. */
const replacements: readonly Replacement[] = [
  (text, old, fresh) => text.replace(old, () => fresh),
  (text, old, fresh) => text.replaceAll(old, () => fresh),
];

function withClaims(begin: string, claims: readonly WrittenFile[], replace: Replacement): string {
  let text = begin;
  for (const { before, after } of claims)
    text =
      isSameButEnd(text, before ?? '') || before === ''
        ? (after ?? '')
        : replace(text, before ?? '', after ?? '');
  return text;
}

/** Some agents leave the final line end or the byte order mark out of diffs, or tell other line ends. */
function isSameButEnd(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other);
}

function plain(text: string): string {
  return text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .replace(/\n$/, '');
}
