// `parley read-chat`: prints chats and their messages as lines of JSON in the format of ECA's command, for
// scripts and hooks. Reads the store without a host.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { chatRecords, messageRecords } from '../../app/ports/eca/storedChats.ts';
import type { Period } from '../../app/ports/eca/storedChats.ts';
import type { Summary } from '../../host/session/summary.ts';
import { canonical } from '../../io/files/canonical.ts';
import { peekLog } from '../../io/store/sqlite/peek.ts';
import type { Peek } from '../../io/store/sqlite/peek.ts';
import { mainTree } from '../../io/files/gitMainTree.ts';
import { dataDirectory } from '../../io/settings/dataPaths.ts';
import { noMore, readArgs, UsageError } from '../say.ts';
import { print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    'db-cache-path': { type: 'string' },
    workspace: { type: 'string', multiple: true, default: [] },
    'chat-id': { type: 'string' },
    role: { type: 'string' },
    since: { type: 'string' },
    until: { type: 'string' },
  });
  noMore(positionals);
  const { 'db-cache-path': cache, 'chat-id': chat, workspace, role } = values;
  if (cache !== undefined && workspace.length > 0)
    throw new UsageError('Use either --db-cache-path or --workspace, not both.');
  if (cache === undefined && workspace.length === 0)
    throw new UsageError('Missing --workspace DIR or --db-cache-path DIR.');
  if (role !== undefined && chat === undefined) throw new UsageError('--role needs --chat-id.');
  const period = {
    since: readTime('since', values.since) ?? -Infinity,
    until: readTime('until', values.until) ?? Infinity,
  };
  const folders = workspace.map(readFolder);
  const directory = cache === undefined ? dataDirectory(process.env) : resolve(cache);
  const log = await peekLog(directory);
  if (!log) throw new Error(`No chats in ${directory}.`);
  try {
    const summaries = log
      .summaries()
      .filter(
        ({ started, roots }) =>
          started && (folders.length === 0 || roots.some((root) => folders.includes(homeOf(root)))),
      );
    return chat === undefined ? list(summaries, period) : messages(log, summaries, { chat, role, ...period });
  } finally {
    log.close();
  }
}

function list(summaries: readonly Summary[], period: Period): number {
  for (const record of chatRecords(summaries, period)) say(record);
  return 0;
}

function messages(
  log: Peek,
  summaries: readonly Summary[],
  { chat, ...wanted }: Period & { readonly chat: string; readonly role: string | undefined },
): number {
  const session = summaries.find(({ chats }) => chats.some(({ id }) => id === chat));
  if (!session) throw new Error(`Chat "${chat}" not found. Leave out --chat-id to list all chats.`);
  const { state, unreadable } = log.state(session.id);
  for (const message of messageRecords(state, chat, wanted)) say(message);
  if (unreadable) printError(`parley: A part of this chat cannot be read: ${unreadable.message}\n`);
  return unreadable ? 1 : 0;
}

function say(record: object): void {
  print(`${jsonText(kebab(record))}\n`);
}

/** Renames members to the form that ECA stores. The arguments of tools are data and stay as they are. */
function kebab(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(kebab);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      key === 'arguments' || key === 'input' ? inner : kebab(inner),
    ]),
  );
}

const units = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

function readTime(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,9})([mhd])$/.exec(text) ?? [];
  if (unit === 'm' || unit === 'h' || unit === 'd') return Date.now() - Number(amount) * units[unit];
  const time = /^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(
      `Invalid time "${text}" for --${name}. Examples: 30m, 2h, 1d, 2026-01-31, 2026-01-31T12:00:00Z`,
    );
  return time;
}

function readFolder(path: string): string {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--workspace ${path} is not a folder.`);
  return homeOf(folder);
}

/** Work trees of one repository share their chats. */
function homeOf(root: string): string {
  return mainTree(canonical(root));
}
