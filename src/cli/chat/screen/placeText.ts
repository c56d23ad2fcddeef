// Where a call that waits for approval would run: the folder, what it can write, the network, the sandbox.
import { resolve } from 'node:path';
import { filePath } from '../../../base/fileUri.ts';
import { isRecord } from '../../../base/isRecord.ts';
import type { PendingToolCall } from '../../../protocols/ahp/v1_0/toolCall.ts';

export interface SessionPlace {
  readonly folder: string | undefined;
  readonly home: string;
  /** The arguments of the call. */
  readonly input: string;
}

/** Empty for a call that runs no program. */
export function placeText({ _meta: ours }: PendingToolCall, { folder, home, input }: SessionPlace): string {
  const { kind, sandbox } = ours ?? {};
  if (kind !== 'execute') return '';
  const path = folder === undefined ? undefined : filePath(folder);
  const own = ownFolder(input);
  const where = path !== undefined && own !== undefined ? resolve(path, own) : (own ?? path);
  const place = where === undefined ? [] : [`in ${shortPath(where, home)}`];
  return [...place, ...limits(sandbox)].join(' · ');
}

/** The host names the sandbox of every call that has one. */
function limits(sandbox: unknown): readonly string[] {
  const { confined = false, network } = isRecord(sandbox) ? sandbox : {};
  if (confined !== true) return ['writes: all that you can', 'network: on', 'outside the sandbox'];
  const known = typeof network === 'string' ? [`network: ${network}`] : [];
  return ['writes outside: none', ...known, 'inside the sandbox'];
}

/** The folder that the agent has chosen for the command. */
function ownFolder(input: string): string | undefined {
  try {
    const fields: unknown = JSON.parse(input);
    const folder = isRecord(fields) ? fields['working_directory'] : undefined;
    return typeof folder === 'string' ? folder : undefined;
  } catch {
    return undefined;
  }
}

function shortPath(path: string, home: string): string {
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
