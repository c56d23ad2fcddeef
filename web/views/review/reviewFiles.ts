// The files of a review: their paths in the folder, and the tree that they form. Pure.
import { isRecord } from '../../../src/base/isRecord.ts';
import { present } from '../../../src/base/present.ts';
import type { ContentRef, URI } from '../../../src/protocols/ahp/v1_0/content.ts';
import type { ChangesetFile } from '../../../src/protocols/ahp/v1_0/state.ts';
import type { Hunk } from '../../text/diff.ts';
import { pathOf } from '../../text/format.ts';

export interface ReviewFile {
  readonly file: ChangesetFile;
  readonly resource: URI;
  /** In the folder of the session where it is there, otherwise from the root. */
  readonly path: string;
  readonly kind: 'M' | 'A' | 'D';
  /** What the file held before some of its changes were undone. */
  readonly undone?: ContentRef;
}

export function reviewFile(file: ChangesetFile, folder: string | undefined): ReviewFile {
  const { before, after } = file.edit;
  const resource = after?.uri ?? before?.uri ?? '';
  const full = pathOf(resource);
  const kind = before ? ('M' as const) : ('A' as const);
  return present({
    file,
    resource,
    path: pathIn(folder, full),
    kind: after ? kind : ('D' as const),
    undone: contentIn(file._meta?.['undone']),
  });
}

/** A path in the folder of the session where it is there, otherwise from the root. */
export function pathIn(folder: string | undefined, full: string): string {
  return folder !== undefined && full.startsWith(`${folder}/`) ? full.slice(folder.length + 1) : full;
}

function contentIn(value: unknown): ContentRef | undefined {
  return isRecord(value) && typeof value['uri'] === 'string'
    ? { uri: value['uri'], contentType: 'text/plain' }
    : undefined;
}

export interface TreeFolder {
  readonly name: string;
  readonly folders: readonly TreeFolder[];
  readonly files: readonly ReviewFile[];
}

/** Folders with nothing but one folder in them are one row. */
export function treeOf(files: readonly ReviewFile[], name = '', depth = 0): TreeFolder {
  const parts = (path: string) => path.split('/').slice(depth);
  const inner = new Map<string, ReviewFile[]>();
  for (const file of files) {
    const [first = '', ...rest] = parts(file.path);
    if (rest.length > 0) inner.set(first, [...(inner.get(first) ?? []), file]);
  }
  const folders = [...inner].map(([folder, own]) => joined(treeOf(own, folder, depth + 1)));
  const direct = files.filter(({ path }) => parts(path).length === 1);
  return { name, folders: sorted(folders, (each) => each.name), files: sorted(direct, (each) => each.path) };
}

function joined(folder: TreeFolder): TreeFolder {
  const [only] = folder.folders;
  if (folder.files.length > 0 || folder.folders.length !== 1 || !only) return folder;
  return { ...only, name: `${folder.name}/${only.name}` };
}

function sorted<Each>(list: readonly Each[], key: (each: Each) => string): readonly Each[] {
  return list.toSorted((a, b) => key(a).localeCompare(key(b)));
}

/** The files in the order of the tree. */
export function inOrder({ folders, files }: TreeFolder): readonly ReviewFile[] {
  return [...folders.flatMap(inOrder), ...files];
}

/** Names a hunk by what it changes, so that its mark survives changes elsewhere in the file. */
export function hunkKey(path: string, { lines }: Hunk): string {
  const changed = lines.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => `${kind[0]}${text}`);
  let hash = 5381;
  for (const character of changed.join('\n'))
    hash = (hash * 33 + (character.codePointAt(0) ?? 0)) % 4294967296;
  return `${path} ${changed.length} ${hash.toString(36)}`;
}

/**
 * A subject from the title of the session, and the files where there are several. A title that was cut is
 * continued from the message whose beginning it is; what a subject has no room for is in the body.
 */
export function proposeMessage(
  title: string,
  paths: readonly string[],
  said: readonly string[] = [],
): string {
  const words = wholeTitle(plainLine(title), said).replace(/[.!?]+$/, '');
  const whole = words === '' ? 'Change files' : words[0]?.toUpperCase() + words.slice(1);
  const isLong = whole.length > longestSubject;
  const subject = isLong ? `${whole.slice(0, longestSubject - 1).replace(/\s+\S*$/, '')}…` : whole;
  return [subject, ...(isLong ? [whole] : []), ...listOf(paths)].join('\n\n');
}

const longestSubject = 72;

function listOf(paths: readonly string[]): readonly string[] {
  if (paths.length < 2) return [];
  const more = paths.length > listedPaths ? [`${paths.length - listedPaths} more files`] : [];
  return [[...paths.slice(0, listedPaths), ...more].map((each) => `- ${each}`).join('\n')];
}

const listedPaths = 12;

function wholeTitle(title: string, said: readonly string[]): string {
  if (!title.endsWith('…')) return title;
  const beginning = title.slice(0, -1);
  const lines = said.flatMap((text) => text.split('\n').map(plainLine));
  return lines.find((line) => line.startsWith(beginning)) ?? title;
}

/** One line without the marks of headings, emphasis and quotes, which titles do not have either. */
function plainLine(text: string): string {
  return text
    .replaceAll(/\*\*|__|`/g, '')
    .replace(/^[\s#>*"'\u201c-]+/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
