// Changes text files that belong to the user, such as the settings of an editor: with every comment left in
// place, in one step, and with a copy of what was there.
import { isUtf8 } from 'node:buffer';
import {
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseTree, findNodeAtLocation, getNodeValue, printParseErrorCode } from 'jsonc-parser';
import type { JSONPath, ParseError } from 'jsonc-parser';
import { isRecord } from '../../base/isRecord.ts';
import { fileProblem } from '../files/fileProblem.ts';
import { readUserFile } from '../files/folderFile.ts';
import { makeFolders, replaceFile } from '../files/privateFiles.ts';
import { insertProperty, removeProperty } from './editProperty.ts';

/** The text of a file, empty where there is none. Throws if something else than a text in UTF-8 is there. */
export function readConfig(file: string): string {
  if (!existsSync(file)) return '';
  const text = readUserFile(file);
  // What cannot be decoded would be written back as something else.
  if (text.includes('\ufffd') && !isUtf8(readFileSync(file)))
    throw new Error(`${file} is not a text in UTF-8. Save it as UTF-8 and try again.`);
  return text;
}

/** Removes a file of which nothing is left, and its folder if that is empty then. */
export function removeConfig(file: string): void {
  rmSync(file);
  const folder = dirname(file);
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** Like `writeConfig`, for a file of a project: it and its folder get the usual rights. */
export function writeProjectConfig(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  if (!existsSync(file)) writeFileSync(file, '');
  writeConfig(file, text, 'nothing');
}

/**
 * Replaces a file, also behind a link, unless its owner has made it read-only. Returns the path of the
 * backup; undefined if there was no file.
 */
export function writeConfig(file: string, text: string, keep: 'backup' | 'nothing'): string | undefined {
  const there = existsSync(file);
  if (there && (statSync(file).mode & 0o222) === 0) throw new Error(`${file} is read-only.`);
  try {
    makeFolders(dirname(file));
    const target = behindLinks(file);
    makeFolders(dirname(target));
    const backup = there && keep === 'backup' ? copyOf(target) : undefined;
    replaceFile(target, text, there ? statSync(target).mode & 0o777 : 0o600);
    return backup;
  } catch (error) {
    throw new Error(fileProblem(error, file).message, { cause: error });
  }
}

/** The texts that `writeConfig` has kept of a file, the latest first. */
export function backupsOf(file: string): readonly string[] {
  const target = behindLinks(file);
  const texts: string[] = [];
  for (let number = 1; existsSync(backupName(target, number)); number += 1)
    texts.unshift(readUserFile(backupName(target, number)));
  return texts;
}

/** Where a file is, or where it is to be if a link leads to nothing. */
function behindLinks(file: string): string {
  if (existsSync(file)) return realpathSync(file);
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (!isLink) return file;
  // The system follows no circle of links; here it throws.
  statSync(file, { throwIfNoEntry: false });
  return behindLinks(resolve(dirname(file), readlinkSync(file)));
}

/**
 * The JSON text with one value set, or removed if it is undefined; comments stay. Throws if the text is not
 * an object.
 */
export function withValue(
  text: string,
  path: JSONPath,
  { value, file }: { readonly value: unknown; readonly file: string },
): string {
  return editedText(text.trim() === '' ? '{}\n' : text, path, { value, file });
}

function editedText(
  text: string,
  path: JSONPath,
  { value, file }: { readonly value: unknown; readonly file: string },
): string {
  const root = treeOf(text, file);
  const there = findNodeAtLocation(root, path);
  if (value === undefined) return there?.parent ? removeProperty(text, there.parent) : text;
  // Readers of the file leave out a member of this name.
  if (path.includes('__proto__')) throw new Error('Nothing can be named __proto__.');
  if (there && JSON.stringify(getNodeValue(there)) === JSON.stringify(value)) return text;
  if (there)
    return `${text.slice(0, there.offset)}${JSON.stringify(value)}${text.slice(there.offset + there.length)}`;
  // The deepest object on the way gets the rest of the path as one property.
  let depth = path.length - 1;
  while (depth > 0 && !findNodeAtLocation(root, path.slice(0, depth))) depth -= 1;
  const object = depth === 0 ? root : findNodeAtLocation(root, path.slice(0, depth));
  if (object?.type !== 'object')
    throw new Error(`${file}: ${path.slice(0, depth).join('.')} is not an object. Fix it and try again.`);
  const rest = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return insertProperty(text, object, { key: String(path[depth]), value: rest });
}

/**
 * The JSON text with the members of an object set one by one, so that what the user has added to it stays.
 * An undefined member is removed.
 */
export function withMembers(
  text: string,
  path: JSONPath,
  { members, file }: { readonly members: { readonly [key: string]: unknown }; readonly file: string },
): string {
  if (!isRecord(valueAt(text, path, file))) return withValue(text, path, { value: members, file });
  return Object.entries(members).reduce(
    (left, [key, value]) =>
      isRecord(value)
        ? withMembers(left, [...path, key], { members: value, file })
        : withValue(left, [...path, key], { value, file }),
    text,
  );
}

/** The JSON text without a value, and without the objects that held nothing else. */
export function withoutValue(text: string, path: JSONPath, file: string): string {
  if (valueAt(text, path, file) === undefined) return text;
  const left = withValue(text, path, { value: undefined, file });
  const parent = path.slice(0, -1);
  const object = parent.length === 0 ? undefined : findNodeAtLocation(treeOf(left, file), parent);
  // An object with a comment in it is not empty to whoever wrote that.
  const isEmpty = object && left.slice(object.offset, object.offset + object.length) === '{}';
  return isEmpty ? withoutValue(left, parent, file) : left;
}

/** What a JSON text with comments has at a place. */
export function valueAt(text: string, path: JSONPath, file: string): unknown {
  if (text.trim() === '') return undefined;
  const node = findNodeAtLocation(treeOf(text, file), path);
  return node ? (getNodeValue(node) as unknown) : undefined;
}

/** A text with a marked block of ours: replaced where it is there already, at the end otherwise. */
export function withBlock(
  text: string,
  { begin, end, lines }: { readonly begin: string; readonly end: string; readonly lines: readonly string[] },
): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const block = [begin, ...lines, end].join(eol);
  const { from, to } = placeOf(text, begin, end);
  if (from >= 0 && to >= 0) return `${text.slice(0, from)}${block}${text.slice(to + end.length)}`;
  if (text === '') return `${block}${eol}`;
  return `${text}${text.endsWith('\n') ? '' : eol}${eol}${block}${eol}`;
}

/** The text without our block and the empty line before it. */
export function withoutBlock(
  text: string,
  { begin, end }: { readonly begin: string; readonly end: string },
): string {
  const { from, to } = placeOf(text, begin, end);
  if (from < 0 || to < 0) return text;
  const before = text.slice(0, from).replace(/(\r?\n)\r?\n$/, '$1');
  return before + text.slice(to + end.length).replace(/^\r?\n/, '');
}

/** Where the two marks are. A first mark without its second one may have the user's own lines behind it. */
function placeOf(text: string, begin: string, end: string): { readonly from: number; readonly to: number } {
  let from = lineOf(text, begin);
  const to = lineOf(text, end, from);
  for (let next = from; next >= 0 && next < to; next = lineOf(text, begin, next + 1)) from = next;
  return { from, to };
}

/** Where a line begins that is just these words. */
function lineOf(text: string, words: string, from = 0): number {
  for (let at = text.indexOf(words, Math.max(from, 0)); at >= 0; at = text.indexOf(words, at + 1))
    if (/(?:^\ufeff?|\n)$/.test(text.slice(0, at)) && /^\s*(?:\n|$)/.test(text.slice(at + words.length)))
      return at;
  return -1;
}

function treeOf(text: string, file: string) {
  const errors: ParseError[] = [];
  // Some editors begin a file with a mark of its encoding, which no parser of JSON takes.
  const root = parseTree(text.replace(/^\ufeff/, ' '), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new Error(
      `${file} is not valid JSON with comments in line ${line} (${printParseErrorCode(first.error)}). ` +
        'Fix it and try again.',
    );
  }
  if (root?.type !== 'object') throw new Error(`${file} must contain one object. Fix it and try again.`);
  return root;
}

function copyOf(file: string): string {
  for (let number = 1; ; number += 1) {
    const copy = backupName(file, number);
    if (existsSync(copy)) continue;
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    return copy;
  }
}

function backupName(file: string, number: number): string {
  return `${file}.before-parley${number === 1 ? '' : `-${number}`}`;
}
