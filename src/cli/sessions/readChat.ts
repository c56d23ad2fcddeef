// `parley read-chat`: chats and their messages as lines of JSON, in the words of ECA's own command, for scripts and hooks. Reads what is stored; needs no host and changes nothing.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { rowsOf } from '../../doors/eca/inbound/chats.ts';
import { storedMessages } from '../../doors/eca/remote/stored.ts';
import type { Summary } from '../../host/session/summary.ts';
import { canonical } from '../../io/files/canonical.ts';
import { peekLog } from '../../io/store/sqlite/peek.ts';
import type { Peek } from '../../io/store/sqlite/peek.ts';
import { mainTree } from '../../io/files/gitMainTree.ts';
import { dataDirectory } from '../../io/settings/dataPaths.ts';
import { jsonText, print, printError } from '../output.ts';
import { endWithReader, noMore, readArgs, UsageError } from '../say.ts';

export async function run(args: readonly string[]): Promise<number> {
  endWithReader();
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
    throw new UsageError('say either --db-cache-path or --workspace, not both.');
  if (cache === undefined && workspace.length === 0)
    throw new UsageError('say where the chats are: --workspace DIR, or --db-cache-path DIR.');
  if (role !== undefined && chat === undefined)
    throw new UsageError('--role needs --chat-id: only messages have a role.');
  const within = {
    since: momentOf('since', values.since) ?? -Infinity,
    until: momentOf('until', values.until) ?? Infinity,
  };
  const folders = workspace.map(folderOf);
  const directory = cache === undefined ? dataDirectory(process.env) : resolve(cache);
  const log = await peekLog(directory);
  if (!log) throw new Error(`there are no chats in ${directory}.`);
  try {
    const summaries = log
      .summaries()
      .filter(
        ({ started, roots }) =>
          started && (folders.length === 0 || roots.some((root) => folders.includes(homeOf(root)))),
      );
    return chat === undefined ? list(summaries, within) : messages(log, summaries, { chat, role, ...within });
  } finally {
    log.close();
  }
}

interface Within {
  readonly since: number;
  readonly until: number;
}

function list(summaries: readonly Summary[], { since, until }: Within): number {
  const rows = summaries.flatMap((summary) =>
    rowsOf(summary).map((row) => ({
      ...row,
      prompts: summary.chats.find(({ id }) => id === row.id)?.turns ?? 0,
    })),
  );
  for (const { messageCount: _, prompts: userPromptCount, ...row } of rows.toSorted(
    (a, b) => b.updatedAt - a.updatedAt,
  )) {
    if (row.updatedAt >= since && row.updatedAt < until) say({ ...row, userPromptCount });
  }
  return 0;
}

function messages(
  log: Peek,
  summaries: readonly Summary[],
  { chat, role, since, until }: Within & { readonly chat: string; readonly role: string | undefined },
): number {
  const found = summaries.find(({ chats }) => chats.some(({ id }) => id === chat));
  if (!found) throw new Error(`there is no chat ${chat} here; without --chat-id all are listed.`);
  const { state, unreadable } = log.state(found.id);
  for (const { message } of storedMessages(state, chat)) {
    if (
      (role === undefined || message.role === role) &&
      message.createdAt >= since &&
      message.createdAt < until
    )
      say(message);
  }
  if (unreadable) printError(`parley: the log of this chat cannot be read further: ${unreadable.message}\n`);
  return unreadable ? 1 : 0;
}

function say(record: object): void {
  print(`${jsonText(kebab(record))}\n`);
}

/** Scripts know the members as ECA stores them. What tools were given is data and stays as it is. */
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

function momentOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const [, amount, unit] = /^(\d{1,9})([mhd])$/.exec(given) ?? [];
  if (unit === 'm' || unit === 'h' || unit === 'd') return Date.now() - Number(amount) * units[unit];
  const moment = /^\d{4}-\d{2}-\d{2}(?:T.+)?$/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(moment))
    throw new UsageError(
      `--${name} ${given} is no time: say 30m, 2h or 1d, a date such as 2026-01-31, or a moment such as 2026-01-31T12:00:00Z.`,
    );
  return moment;
}

function folderOf(given: string): string {
  const folder = resolve(given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(`--workspace ${given} is no folder.`);
  return homeOf(folder);
}

/** Work trees of one repository have their chats in common. */
function homeOf(root: string): string {
  return mainTree(canonical(root));
}
