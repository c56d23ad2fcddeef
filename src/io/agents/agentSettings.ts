// Adds and removes external agents in the user's settings file. Comments stay.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { applyEdits, findNodeAtLocation, modify, parseTree } from 'jsonc-parser';
import type { Node, ParseError } from 'jsonc-parser';
import type { AgentSettings } from '../../host/settings/settings.ts';
import { readUserFile } from '../files/folderFile.ts';
import { writePrivately } from '../files/privateFiles.ts';

/** Adds an agent, or replaces the one with its id. */
export function storeAgent(file: string, id: string, agent: AgentSettings): void {
  write(file, id, agent);
}

/** False if the file has no agent with this id. */
export function removeAgent(file: string, id: string): boolean {
  const root = treeOf(file, textOf(file));
  if (!root || !findNodeAtLocation(root, ['agents', id])) return false;
  write(file, id, undefined);
  return true;
}

/** Replaces the file in one step, so that a reader never sees a partial file. */
function write(file: string, id: string, value: AgentSettings | undefined): void {
  const old = textOf(file);
  treeOf(file, old);
  const base = old.trim() === '' ? '{}\n' : old;
  const text = applyEdits(
    base,
    modify(base, ['agents', id], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
  );
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writePrivately(file, text.endsWith('\n') ? text : `${text}\n`);
}

function treeOf(file: string, text: string): Node | undefined {
  if (text.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root?.type !== 'object')
    throw new Error(`${file} is not valid JSON with comments. Fix it and try again.`);
  return root;
}

function textOf(file: string): string {
  return existsSync(file) ? readUserFile(file) : '';
}
