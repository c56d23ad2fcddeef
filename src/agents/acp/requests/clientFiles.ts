// Files that an agent reads and writes through us: only inside the workspace, links resolved, with the
// editor's unsaved text.
import type { FileProblem, Files } from '../../../host/ports.ts';
import type { Workbench } from '../../../host/workspace/workbench.ts';
import { contains, resolvePath } from '../../../base/paths.ts';
import { readFileParams, writeFileParams } from '../../../protocols/acp/v1/clientSchema.ts';
import { resourceNotFound } from '../../../protocols/acp/v1/methods.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { WrittenFile } from '../../../host/workspace/fileObserver.ts';
import type { GuardedAction } from './approvalGuard.ts';
import { readAs } from './readAs.ts';

export interface FileAccess {
  readonly files: Files;
  readonly roots: readonly string[];
  /** The editor behind the running turn, which may have texts that are not saved. */
  readonly bench?: Workbench | undefined;
}

const sizeLimit = 10_000_000;

/** Another program may write between our read and write; then we retry. */
const attempts = 3;

/** `approved` is the path with links resolved; a link that has changed since then is refused. */
export async function readClientFile(
  params: unknown,
  approved: string,
  place: FileAccess,
): Promise<{ readonly content: string }> {
  const { path, line, limit } = readAs(readFileParams, params);
  const target = await inside(path, place);
  if (target !== approved) throw changedPath(path);
  const found = await textOf(target, place);
  if ('text' in found) return { content: lines(found.text, line ?? 1, limit ?? undefined) };
  throw found.problem === 'not-found'
    ? new RpcError(resourceNotFound, `Resource not found: ${path}`, { uri: path })
    : new RpcError(rpcCodes.internalError, found.message);
}

/** `approved` is the path with links resolved; a link that has changed since the approval is refused. */
export async function writeClientFile(params: unknown, approved: string, place: FileAccess): Promise<object> {
  const { path, content } = readAs(writeFileParams, params);
  const target = await inside(path, place);
  if (target !== approved) throw changedPath(path);
  const taken = place.bench?.writeText ? await place.bench.writeText(target, content) : 'gone';
  if (taken !== 'gone') {
    if (taken) throw new RpcError(rpcCodes.internalError, taken.message);
    return {};
  }
  return writeToDisk(target, content, place);
}

function changedPath(path: string): RpcError {
  return new RpcError(rpcCodes.internalError, `${path} has become another file since it was approved.`);
}

/** The read as a request to policy. A file outside the workspace is refused without asking. */
export async function readingOf(params: unknown, place: FileAccess): Promise<GuardedAction> {
  const { path } = readAs(readFileParams, params);
  const target = await targetOf(path, place);
  return { name: 'read_file', title: `Read ${target.path}`, toolKind: 'read', ...target };
}

/** The write as a request to policy. A file outside the workspace is refused without asking. */
export async function writingOf(params: unknown, place: FileAccess): Promise<GuardedAction> {
  const { path, content } = readAs(writeFileParams, params);
  const target = await targetOf(path, place);
  const latest = () => changeOf(target.path, content, place);
  return {
    name: 'write_file',
    title: `Write ${target.path}`,
    toolKind: 'edit',
    ...target,
    change: await latest(),
    latest,
  };
}

async function targetOf(
  path: string,
  place: FileAccess,
): Promise<Pick<GuardedAction, 'path' | 'spellings' | 'input'>> {
  const target = await inside(path, place);
  const { spellings } = await spelledPath(path, place);
  return { path: target, spellings, input: { path: target } };
}

/** The change as of now. A file that is no text is left alone, because its bytes could not be restored. */
async function changeOf(path: string, after: string, place: FileAccess): Promise<WrittenFile> {
  const read = await textOf(path, place);
  if ('problem' in read && read.problem !== 'not-found')
    throw new RpcError(rpcCodes.internalError, read.message);
  return { type: 'edit', path, before: 'text' in read ? read.text : null, after, observed: true };
}

/** The text of the editor, or else of the disk. */
async function textOf(
  path: string,
  { bench, files }: FileAccess,
): Promise<{ readonly text: string } | FileProblem> {
  const shown = await bench?.readText?.(path);
  if (shown === undefined) return files.readText(path, sizeLimit);
  return typeof shown === 'string' ? { text: shown } : shown;
}

/** The real path, and the absolute paths by which an agent may mean it if the workspace is behind a link. */
export async function spelledPath(
  path: string,
  { files, roots: [root = '/'] }: FileAccess,
): Promise<{ readonly real: string; readonly spellings: readonly string[] }> {
  const real = await files.realPath(path, root);
  const realRoot = await files.realPath(root, root);
  const below = contains(realRoot, real) ? [`${root}${real.slice(realRoot.length)}`] : [];
  return { real, spellings: [...new Set([resolvePath(root, path), real, ...below])] };
}

async function writeToDisk(target: string, content: string, place: FileAccess): Promise<object> {
  let failure = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await place.files.readText(target, sizeLimit);
    if ('problem' in before && before.problem !== 'not-found')
      throw new RpcError(rpcCodes.internalError, before.message);
    const problem = await place.files.writeText(target, content, 'text' in before ? before.text : null);
    if (!problem) return {};
    failure = problem.message;
    if (problem.problem !== 'stale') break;
  }
  throw new RpcError(rpcCodes.internalError, failure);
}

/** The real path of a file in the workspace; anything else is refused. */
async function inside(path: string, { files, roots }: FileAccess): Promise<string> {
  const [base = '/'] = roots;
  const target = await files.realPath(path, base);
  const allowed = await Promise.all(roots.map((root) => files.realPath(root, base)));
  if (allowed.some((root) => contains(root, target))) return target;
  throw new RpcError(rpcCodes.invalidParams, `${path} is outside the workspace.`);
}

/** Lines count from one; each keeps its end. */
function lines(text: string, first: number, count: number | undefined): string {
  if (first <= 1 && count === undefined) return text;
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const start = Math.max(0, first - 1);
  return all.slice(start, count === undefined ? undefined : start + count).join('');
}
