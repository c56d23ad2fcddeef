// The files of workspaces, and the texts that states refer to, as clients read and change them. Outside the
// folders of sessions only the names of folders are served, so that a client can offer one for a new session.
import type { Host } from '../../../host/host.ts';
import { isResourceProblem } from '../../../host/workspace/resourceFiles.ts';
import type { ResourceFiles, ResourceInfo, ResourceProblem } from '../../../host/workspace/resourceFiles.ts';
import { isRejection } from '../../../model/command.ts';
import { findTool, findTurn } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import type { ErrorName } from '../../../protocols/ahp/errors.ts';
import { present } from '../../../base/present.ts';
import type { ResourceRequests } from '../../../protocols/ahp/v1_0/commands.ts';
import { ahpError } from '../errors.ts';
import { filePath, fileUri } from '../../../base/fileUri.ts';
import { chatOf } from '../outbound/chat.ts';
import { contentAt, readContentUri } from '../outbound/content.ts';
import { pictureAt, readPictureUri } from '../outbound/images.ts';
import type { PicturePlace } from '../outbound/images.ts';

export interface ResourceScope {
  readonly host: Host;
  readonly files: ResourceFiles | undefined;
  /** Folders of our own, which hold keys and logs and are never served. */
  readonly own: readonly string[];
  /** What a text that is not there any more is called. */
  readonly lost: ErrorName;
}

type Handled = Exclude<keyof ResourceRequests, 'createResourceWatch'>;

type Handle<Method extends Handled> = (
  scope: ResourceScope,
  params: ResourceRequests[Method]['params'],
) => Promise<ResourceRequests[Method]['result']>;

export const resourceRequests: { readonly [Method in Handled]: Handle<Method> } = {
  resourceRead,
  resourceWrite,
  resourceList,
  resourceCopy: (scope, params) => relocate(scope, params, 'copy'),
  resourceMove: (scope, params) => relocate(scope, params, 'move'),
  resourceDelete,
  resourceResolve,
  resourceMkdir: async (scope, { uri }) =>
    done(await filesOf(scope).makeDirectory(await realPathInside(scope, { uri, write: true }))),
  resourceRequest: async (scope, { uri, read, write }) => {
    if (!isRecorded(uri) || write) await realPathInside(scope, present({ uri, read, write }));
    return {};
  },
};

interface Wish {
  readonly uri: string;
  readonly read?: boolean;
  readonly write?: boolean;
}

/** A real path inside a workspace; a rejection contains the request. */
export async function realPathInside(
  scope: ResourceScope,
  wish: Wish,
  links: 'follow' | 'stop' = 'follow',
): Promise<string> {
  const { real, roots, own } = await located(scope, wish, links);
  const isServed =
    roots.some((root) => isInside(real, root)) &&
    !own.some((folder) => isInside(real, folder) || (wish.write === true && isInside(folder, real)));
  if (!isServed) throw outside(wish);
  if (wish.write && roots.includes(real))
    throw ahpError('permissionDenied', 'The root folder of a session cannot be changed.', { request: wish });
  return real;
}

/**
 * A real path that may be looked at: inside a workspace anything, elsewhere only folders, without their
 * files.
 */
async function visiblePlaceOf(
  scope: ResourceScope,
  wish: Wish,
  links: 'follow' | 'stop' = 'follow',
): Promise<{ readonly path: string; readonly isVisible: (path: string, isFolder: boolean) => boolean }> {
  const { real, roots, own } = await located(scope, wish, links);
  const isOwn = (path: string) => own.some((folder) => isInside(path, folder));
  if (isOwn(real)) throw outside(wish);
  if (roots.some((root) => isInside(real, root))) return { path: real, isVisible: () => true };
  const info = await filesOf(scope).info(real);
  if (isResourceProblem(info) || info.type !== 'directory') throw outside(wish);
  return { path: real, isVisible: (path, isFolder) => isFolder && !isOwn(path) };
}

async function located(scope: ResourceScope, wish: Wish, links: 'follow' | 'stop') {
  const files = filesOf(scope);
  const path = filePath(wish.uri);
  if (path === undefined)
    throw ahpError('permissionDenied', 'Only files of this machine are served.', { request: wish });
  const [real, roots, own] = await Promise.all([
    links === 'follow' ? files.realPath(path) : files.realPlace(path),
    Promise.all(rootsOf(scope.host).map((root) => files.realPath(root))),
    Promise.all(scope.own.map((folder) => files.realPath(folder))),
  ]);
  return { real, roots, own };
}

function outside(wish: Wish): Error {
  return ahpError('permissionDenied', 'This path is outside the folders of all sessions.', { request: wish });
}

/** Never more than this is read or written in one request, in bytes. */
const limit = 16 * 1024 * 1024;

async function resourceRead(
  scope: ResourceScope,
  { uri, encoding }: ResourceRequests['resourceRead']['params'],
): Promise<ResourceRequests['resourceRead']['result']> {
  const picture = readPictureUri(uri);
  if (picture) return pictureIn(scope, picture);
  if (readContentUri(uri))
    return encoded(Buffer.from(await recorded(scope, uri), 'utf8'), encoding, 'text/plain');
  if (!scope.files)
    throw ahpError('permissionDenied', 'This host serves only the contents that its own states refer to.');
  const bytes = await scope.files.read(await realPathInside(scope, { uri, read: true }), limit);
  if (isResourceProblem(bytes)) throw resourceError(bytes);
  return encoded(Buffer.from(bytes), encoding, undefined);
}

/** Binary data cannot be sent as text and is sent as base64. */
function encoded(
  bytes: Buffer,
  encoding: 'base64' | 'utf-8' | undefined,
  contentType: string | undefined,
): ResourceRequests['resourceRead']['result'] {
  const text = encoding === 'base64' ? undefined : textOf(bytes);
  return present(
    text === undefined
      ? { data: bytes.toString('base64'), encoding: 'base64' as const, contentType }
      : { data: text, encoding: 'utf-8' as const, contentType },
  );
}

function textOf(bytes: Buffer): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Whether a resource is part of the transcript, which every viewer may read. */
export function isRecorded(uri: string): boolean {
  return readContentUri(uri) !== undefined || readPictureUri(uri) !== undefined;
}

async function pictureIn(
  { host, lost }: ResourceScope,
  place: PicturePlace,
): Promise<ResourceRequests['resourceRead']['result']> {
  const state = await stateOf(host, place.session);
  const picture = state && pictureAt(state, place);
  if (!picture) throw ahpError(lost, 'There is no such picture.');
  return { data: picture.data, encoding: 'base64', contentType: picture.mediaType };
}

async function stateOf(host: ResourceScope['host'], id: string): Promise<State | undefined> {
  const session = host.opened(id) ?? (await host.open(id));
  return isRejection(session) ? undefined : session.state;
}

/** What files were before and after an edit, as states refer to it. */
async function recorded({ host, lost }: ResourceScope, uri: string): Promise<string> {
  const place = readContentUri(uri);
  const state = place && (await stateOf(host, place.session));
  const chat = state && chatOf(state, place.chat);
  const tool = place && chat && findTool(findTurn(chat, place.turn), place.tool);
  const text =
    place?.from === 'amended' ? state?.amendedEdits[place.index]?.text : tool && contentAt(tool, place);
  if (text === undefined) throw ahpError(lost, 'There is no such content.');
  return text;
}

async function resourceWrite(
  scope: ResourceScope,
  params: ResourceRequests['resourceWrite']['params'],
): Promise<Readonly<Record<string, never>>> {
  const { uri, data, encoding, createOnly = false, mode = 'truncate', position, ifMatch } = params;
  if (mode !== 'insert' && position !== undefined)
    throw ahpError('invalidParams', 'position: only for inserting');
  if (position !== undefined && !(Number.isSafeInteger(position) && position >= 0))
    throw ahpError('invalidParams', 'position: a whole number from zero');
  const path = await realPathInside(scope, { uri, write: true });
  const bytes = bytesOf(data, encoding);
  const whole = mode === 'append' ? 'append' : 'replace';
  const how = mode === 'insert' ? { insertAt: position ?? 0 } : whole;
  return done(await filesOf(scope).write(path, { bytes, how, createOnly, mark: ifMatch }));
}

/** Bad base64 is refused: half of a file is worse than none. */
function bytesOf(data: string, encoding: 'base64' | 'utf-8'): Uint8Array {
  if (
    encoding === 'base64' &&
    !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/.test(data)
  )
    throw ahpError('invalidParams', 'data: not base64');
  const bytes = Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8');
  if (bytes.length > limit) throw ahpError('permissionDenied', `A write can have at most ${limit} bytes.`);
  return bytes;
}

async function resourceList(
  scope: ResourceScope,
  { uri }: ResourceRequests['resourceList']['params'],
): Promise<ResourceRequests['resourceList']['result']> {
  const files = filesOf(scope);
  const { path: folder, isVisible } = await visiblePlaceOf(scope, { uri, read: true });
  const found = await files.list(folder);
  if (isResourceProblem(found)) throw resourceError(found);
  const entries = await Promise.all(
    found.map(async ({ name, path, type }) => ({
      name,
      path,
      type: type === 'link' ? await behind(files, path) : type,
    })),
  );
  return {
    entries: entries.flatMap(({ name, path, type }) =>
      (type === 'file' || type === 'directory') && isVisible(path, type === 'directory')
        ? [{ name, type }]
        : [],
    ),
  };
}

async function behind(files: ResourceFiles, path: string): Promise<ResourceInfo['type'] | undefined> {
  const info = await files.info(await files.realPath(path));
  return isResourceProblem(info) ? undefined : info.type;
}

async function relocate(
  scope: ResourceScope,
  { source, destination, failIfExists }: ResourceRequests['resourceCopy']['params'],
  how: 'copy' | 'move',
): Promise<Readonly<Record<string, never>>> {
  const from = await realPathInside(
    scope,
    { uri: source, read: true, ...(how === 'move' ? { write: true } : {}) },
    how === 'move' ? 'stop' : 'follow',
  );
  const to = await realPathInside(scope, { uri: destination, write: true });
  if (from === to || isInside(to, from))
    throw ahpError('invalidParams', 'destination: must not be inside the source');
  return done(await filesOf(scope)[how](from, to, failIfExists ? 'keep' : 'replace'));
}

/** Removes a link itself, not its target. */
async function resourceDelete(
  scope: ResourceScope,
  { uri, recursive }: ResourceRequests['resourceDelete']['params'],
): Promise<Readonly<Record<string, never>>> {
  return done(
    await filesOf(scope).remove(
      await realPathInside(scope, { uri, write: true }, 'stop'),
      recursive ? 'all' : 'empty',
    ),
  );
}

async function resourceResolve(
  scope: ResourceScope,
  { uri, followSymlinks = true }: ResourceRequests['resourceResolve']['params'],
): Promise<ResourceRequests['resourceResolve']['result']> {
  const { path } = await visiblePlaceOf(scope, { uri, read: true }, followSymlinks ? 'follow' : 'stop');
  const info = await filesOf(scope).info(path);
  if (isResourceProblem(info)) throw resourceError(info);
  const { type, size, modifiedAt, changedAt, mark } = info;
  if (type === 'other') throw ahpError('notFound', 'This is neither a file nor a directory.');
  return {
    uri: fileUri(path),
    type: type === 'link' ? 'symlink' : type,
    size,
    mtime: new Date(modifiedAt).toISOString(),
    ctime: new Date(changedAt).toISOString(),
    etag: mark,
  };
}

export function resourceError({ problem, message }: ResourceProblem): Error {
  return ahpError(names[problem], message);
}

const names: Record<ResourceProblem['problem'], ErrorName> = {
  'not-found': 'notFound',
  'not-a-file': 'invalidParams',
  'not-a-directory': 'invalidParams',
  moved: 'permissionDenied',
  'too-large': 'permissionDenied',
  'not-text': 'invalidParams',
  stale: 'conflict',
  denied: 'permissionDenied',
  'bad-pattern': 'invalidParams',
  failed: 'internalError',
  exists: 'alreadyExists',
  'not-empty': 'invalidParams',
  'bad-place': 'invalidParams',
};

export function filesOf({ files }: ResourceScope): ResourceFiles {
  if (!files) throw ahpError('methodNotFound', 'This host serves no files.');
  return files;
}

/** The folders of all sessions. A client that may create a session in a folder may see that folder. */
function rootsOf(host: Host): readonly string[] {
  return [...new Set(host.summaries().flatMap(({ roots }) => roots))];
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function done(problem: ResourceProblem | undefined): Readonly<Record<string, never>> {
  if (problem) throw resourceError(problem);
  return {};
}
