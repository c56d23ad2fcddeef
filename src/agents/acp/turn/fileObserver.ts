// What the host itself sees of the files that an agent changes. The agent's diff is a claim: it tells which
// file to look at, and the texts come from the disk.
import { contains } from '../../../base/paths.ts';
import type { Files } from '../../../host/ports.ts';
import type { Content } from '../../../model/event.ts';
import type { WrittenFile } from './toolCall.ts';
import type { WorkspaceTexts, WorkspaceView } from './workspaceTexts.ts';

/** A text, null for no file, undefined if the host cannot read the file or has not looked at it. */
type SeenText = string | null | undefined;

/** A file of the workspace as the host saw it. */
export interface SeenFile {
  /** The real path. */
  readonly path: string;
  readonly text: SeenText;
  /** How many changes were recorded before the host looked. */
  readonly order: number;
}

/** What the host knows of the files of one call. */
export interface CallFiles {
  /** The files at their first mention, by the path that the agent uses; undefined outside the workspace. */
  readonly seen: ReadonlyMap<string, Promise<SeenFile | undefined>>;
  /** What the call wrote through us, by real path. */
  readonly written: ReadonlyMap<string, WrittenFile>;
}

export interface FileObserverOptions {
  readonly files: Files;
  readonly roots: readonly string[];
  readonly texts: WorkspaceTexts;
}

/** Larger files are not compared. */
const sizeLimit = 10_000_000;

export class FileObserver {
  readonly #options: FileObserverOptions;
  #start: WorkspaceView = { files: new Map(), complete: false };
  /** The texts after the recorded changes of this turn. */
  readonly #recorded = new Map<string, { readonly text: string | null; readonly order: number }>();

  #count = 0;

  constructor(options: FileObserverOptions) {
    this.#options = options;
  }

  /** Looks at the whole workspace before the agent begins. */
  async start(signal: AbortSignal): Promise<void> {
    const { texts, roots } = this.#options;
    this.#start = await texts.read(roots, signal);
  }

  /** Looks at a file; undefined if it is outside the workspace. */
  async look(path: string): Promise<SeenFile | undefined> {
    const { files, roots } = this.#options;
    const [base = '/'] = roots;
    const order = this.#count;
    const real = await files.realPath(path, base);
    const inside = await Promise.all(
      roots.map(async (root) => contains(await files.realPath(root, base), real)),
    );
    return inside.includes(true) ? { path: real, text: await this.#read(real), order } : undefined;
  }

  /** A change is in the log with these texts. */
  record(path: string, text: string | null): void {
    this.#count += 1;
    this.#recorded.set(path, { text, order: this.#count });
  }

  /**
   * The content of a call that is over, with one observed edit for each file that it changed. What the host
   * cannot see stays as the agent reports it; what another call has recorded is left out.
   */
  async observed(content: readonly Content[], call: CallFiles): Promise<readonly Content[]> {
    const seen = await seenFiles(call.seen);
    for (const path of call.written.keys()) if (!seen.has(path)) seen.set(path, undefined);
    const edits = new Map<string, WrittenFile | 'recorded' | undefined>();
    const pathOf = new Map<string, string>();
    for (const [name, file] of seen) pathOf.set(name, file?.path ?? name);
    for (const [name, file] of seen) {
      const path = file?.path ?? name;
      if (edits.has(path)) continue;
      const claims = content.filter(
        (item): item is WrittenFile => item.type === 'edit' && (pathOf.get(item.path) ?? item.path) === path,
      );
      edits.set(path, await this.#compare(path, file, { claims, written: call.written.get(path) }));
    }
    return withEdits(content, edits, (name) => pathOf.get(name) ?? name);
  }

  /** The change of a file between the begin and the end of a call. */
  async #compare(
    path: string,
    begin: SeenFile | undefined,
    {
      claims,
      written,
    }: { readonly claims: readonly WrittenFile[]; readonly written: WrittenFile | undefined },
  ): Promise<WrittenFile | 'recorded' | undefined> {
    if (!begin && !written) return undefined;
    const after = await this.#read(path);
    // An editor that took the text may not have saved it yet.
    if (written) {
      const saved = after === undefined || after === written.before ? written.after : after;
      return this.#edit(path, written.before, saved);
    }
    if (after === undefined) return undefined;
    const before = this.#before(path, begin, { after, claims });
    if (before !== undefined && before !== after) return this.#edit(path, before, after);
    return this.#recorded.get(path)?.text === after ? 'recorded' : undefined;
  }

  /**
   * How the file was before the call: as the host saw it when the call began. An agent may write before the
   * host could look; then it is the last text known before, if nothing has changed since or the agent's diff
   * begins with that text.
   */
  #before(
    path: string,
    begin: SeenFile | undefined,
    { after, claims }: { readonly after: string | null; readonly claims: readonly WrittenFile[] },
  ): SeenText {
    const recorded = this.#recorded.get(path);
    const earlier = recorded ? recorded.text : this.#atStart(path);
    // Another call has recorded a change since this one began.
    if (recorded && begin && recorded.order > begin.order) return recorded.text;
    const candidates = [begin?.text, earlier].filter((text) => text !== undefined && text !== after);
    const explained = candidates.findIndex((text) => isExplained(text, after, claims));
    return candidates[Math.max(0, explained)];
  }

  #atStart(path: string): SeenText {
    const { files, complete } = this.#start;
    const view = files.get(path);
    if (view) return view.text;
    return complete ? null : undefined;
  }

  #edit(path: string, before: string | null, after: string | null): WrittenFile | 'recorded' {
    if (before === after) return 'recorded';
    this.record(path, after);
    return { type: 'edit', path, before, after, observed: true };
  }

  async #read(path: string): Promise<SeenText> {
    const read = await this.#options.files.readText(path, sizeLimit);
    if ('text' in read) return read.text;
    return read.problem === 'not-found' ? null : undefined;
  }
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
  edits: ReadonlyMap<string, WrittenFile | 'recorded' | undefined>,
  pathOf: (name: string) => string,
): readonly Content[] {
  const placed = new Set<string>();
  const shown = content.flatMap((item): readonly Content[] => {
    const path = item.type === 'edit' ? pathOf(item.path) : undefined;
    const edit = path === undefined ? undefined : edits.get(path);
    if (path === undefined || edit === undefined) return [item];
    if (edit === 'recorded' || placed.has(path)) return [];
    placed.add(path);
    return [edit];
  });
  const rest = [...edits].flatMap(([path, edit]) =>
    typeof edit === 'object' && !placed.has(path) ? [edit] : [],
  );
  return [...shown, ...rest];
}

/** Whether the reported diffs, undone in the text after them, give the text before. */
function isExplained(before: SeenText, after: string | null, claims: readonly WrittenFile[]): boolean {
  if (typeof before !== 'string' || after === null) return true;
  let text = after;
  for (const claim of claims.toReversed()) {
    // An agent that does not tell the old text explains nothing and contradicts nothing.
    if (claim.before === null) return true;
    if (isSameButEnd(text, claim.after ?? '')) text = claim.before;
    else if (claim.after) text = text.replace(claim.after, () => claim.before ?? '');
  }
  return isSameButEnd(text, before);
}

/** Some agents leave the final line end out of their diffs. */
function isSameButEnd(one: string, other: string): boolean {
  return one === other || one.replace(/\r?\n$/, '') === other.replace(/\r?\n$/, '');
}
