// The texts of the files in a workspace at one moment. Kept between turns, so that only changed files are
// read again.
import type { Files } from '../../../host/ports.ts';

export interface FileView {
  /** Differs where the file has changed. */
  readonly mark: string;
  /** Undefined if the file is too large or no UTF-8 text. */
  readonly text: string | undefined;
}

/** What the host saw of the workspace at one moment. */
export interface WorkspaceView {
  readonly files: ReadonlyMap<string, FileView>;
  /** Whether all files are in it. */
  readonly complete: boolean;
}

/** A larger workspace is seen in part: the changes of the rest are known only from tool calls. */
const mostFiles = 5_000;
const largestFile = 1_000_000;
const mostText = 32_000_000;
const readTogether = 32;

export class WorkspaceTexts {
  readonly #files: Files;
  #known: ReadonlyMap<string, FileView> = new Map();

  constructor(files: Files) {
    this.#files = files;
  }

  async read(roots: readonly string[], signal: AbortSignal): Promise<WorkspaceView> {
    const paths = await this.#list(roots, signal);
    const files = new Map<string, FileView>();
    let room = mostText;
    for (let at = 0; at < paths.length && at < mostFiles && !signal.aborted; at += readTogether) {
      const batch = paths.slice(at, Math.min(at + readTogether, mostFiles));
      const views = await Promise.all(batch.map((path) => this.#view(path)));
      for (const [index, path] of batch.entries()) {
        const view = views[index];
        if (!view) continue;
        room -= view.text?.length ?? 0;
        files.set(path, room < 0 ? { ...view, text: undefined } : view);
      }
    }
    this.#known = files;
    return { files, complete: paths.length <= mostFiles && !signal.aborted };
  }

  /** The real paths of the files below the roots; one more than can be read shows that there are more. */
  async #list(roots: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const paths = new Set<string>();
    for (const root of roots) {
      const real = await this.#files.realPath(root, root);
      for await (const { path, type } of this.#files.walk(real, { depth: deepest, signal })) {
        if (type === 'file') paths.add(path);
        if (paths.size > mostFiles) return [...paths];
      }
    }
    return [...paths];
  }

  async #view(path: string): Promise<FileView | undefined> {
    const found = await this.#files.stat(path);
    if (found?.type !== 'file') return undefined;
    const { mark, settled, size } = found;
    const known = this.#known.get(path);
    if (settled && known?.mark === mark) return known;
    const read = size > largestFile ? undefined : await this.#files.readText(path, largestFile);
    return { mark, text: read && 'text' in read ? read.text : undefined };
  }
}

const deepest = 32;
