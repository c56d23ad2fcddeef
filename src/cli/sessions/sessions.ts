// `parley sessions`: lists, shows, searches, exports, imports, renames, archives, deletes
// and verifies sessions.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { errorCode, errorText } from '../../base/errorText.ts';
import type { Summary } from '../../host/session/summary.ts';
import type { StoreDamage } from '../../io/store/durableStore.ts';
import type { Entry } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { Peer } from '../../rpc/peer.ts';
import { startedHost } from '../client/controlClient.ts';
import {
  age,
  columns,
  confirm,
  noMore,
  onlyWord,
  readArgs,
  short,
  UsageError,
  showProgress,
} from '../say.ts';
import { shortIds } from '../shortIds.ts';
import { unknownWord } from '../suggest.ts';
import type { EntryPage, SessionRow } from '../../app/control/sessions.ts';
import { entryLine, headerLine } from '../../host/session/sessionLines.ts';
import { findIn, sessionColumns } from './find.ts';
import type { SearchResult } from '../../host/session/search.ts';
import { transcriptOf } from './transcript.ts';
import { paintFor, print, printError } from '../output.ts';
import { jsonText } from '../../base/jsonText.ts';

type Connect = () => Promise<Peer>;

interface CommandInput {
  /** Connects on first use, so that wrong usage starts no host. */
  readonly host: Connect;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly all: boolean;
  readonly yes: boolean;
  readonly limit: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArgs(args, {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    yes: { type: 'boolean', short: 'y', default: false },
    limit: { type: 'string', default: '20' },
  });
  const [verb = 'list', ...words] = positionals;
  const work = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!work) throw unknownWord('sessions', verb);
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError('--limit must be a number from 1 to 1000.');
  let connected: Promise<Peer> | undefined;
  const host = () => (connected ??= startedHost());
  try {
    return await work({ host, words, json: values.json, all: values.all, yes: values.yes, limit });
  } finally {
    (await connected?.catch(() => undefined))?.close();
  }
}

const verbs: { readonly [name: string]: ((input: CommandInput) => Promise<number>) | undefined } = {
  list,
  show,
  search,
  export: exportTo,
  import: importFrom,
  rename,
  delete: remove,
  verify,
  archive: (input) => change(input, true),
  unarchive: (input) => change(input, false),
};

async function list({ host, words, json, all }: CommandInput): Promise<number> {
  noMore(words);
  if (json) {
    const whole = await ask<readonly Summary[]>(host, 'sessions/list', { whole: true });
    return say(
      jsonText(
        whole.filter(({ archived }) => all || !archived),
        2,
      ),
    );
  }
  const { id, status, title, agent, folder, modifiedAt, mode, hidden } = await sessionColumns(
    await host(),
    all,
  );
  if (id.length === 0) return say('No sessions yet. Start one with parley chat, or from an editor.');
  const paint = paintFor(process.stdout);
  const ids = shortIds([...id, ...hidden]);
  const now = Date.now();
  const rows = id.map((each, at) => [
    ids.get(each) ?? each,
    status[at] ?? '',
    short(title[at] || 'Untitled', 48),
    short(agent[at] ?? '', 20),
    short(folder[at] ?? '', 40),
    age(modifiedAt[at] ?? now, now),
    mode[at] === 'full' ? paint.red('full') : (mode[at] ?? ''),
  ]);
  const names = ['ID', 'STATUS', 'TITLE', 'AGENT', 'FOLDER', 'AGE', 'MODE'];
  const [head = '', ...lines] = columns([names, ...rows]);
  return say([paint.dim(head), ...lines].join('\n'));
}

async function show({ host, words, json }: CommandInput): Promise<number> {
  const { id } = await find(host, onlyWord(words, 'session ID'));
  let state = emptyState(id);
  const damage = await eachEntry(host, id, (entry) => (state = reduce(state, entry)));
  say(json ? jsonText(state, 2) : transcriptOf(state, paintFor(process.stdout)).trimEnd());
  return warn(damage);
}

/** After so many milliseconds a search is answered from what is in the index. */
const within = 100;

async function search({ host, words, json, limit }: CommandInput): Promise<number> {
  const wanted = words.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  if (wanted.length === 0)
    throw new UsageError('Missing search words. Example: parley sessions search login bug');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  const { hits, missing, sessions } = (await (
    await host()
  ).request('sessions/search', { words: wanted, limit, within }, { signal: stop.signal })) as SearchResult;
  if (missing > 0)
    printError(
      `The search index is being built: ${sessions - missing} of ${sessions} sessions are in it. ` +
        'Search again in a moment for the rest.\n',
    );
  if (json) say(jsonText(hits, 2));
  else if (hits.length === 0) say(missing > 0 ? 'No results yet.' : 'No results.');
  else {
    const paint = paintFor(process.stdout);
    for (const { id, title, modifiedAt, lines } of hits) {
      say(
        `${paint.bold(short(title || 'Untitled', 80))}  ${paint.dim(`${id}  ${age(modifiedAt, Date.now())}`)}`,
      );
      for (const line of lines) say(`  ${short(line, 160)}`);
    }
  }
  return hits.length > 0 ? 0 : 1;
}

async function exportTo({ host, words }: CommandInput): Promise<number> {
  const [wanted, file, ...more] = words;
  noMore(more);
  const { id, title } = await find(host, onlyWord(wanted === undefined ? [] : [wanted], 'session ID'));
  const lines: string[] = [];
  const damage = await eachEntry(host, id, (entry) => void lines.push(entryLine(entry)));
  const text = headerLine({ id, title, entries: lines.length });
  if (file === undefined || file === '-') for (const line of [text, ...lines]) print(line);
  else {
    write(resolve(file), [text, ...lines]);
    printError(`Wrote ${lines.length} entries to ${resolve(file)}.\n`);
  }
  return warn(damage);
}

async function importFrom({ host, words, json }: CommandInput): Promise<number> {
  const file = resolve(onlyWord(words, 'file'));
  const done = showProgress('Reading the session');
  const { id } = await ask<{ readonly id: string }>(host, 'sessions/import', {
    file,
    roots: [process.cwd()],
  }).finally(done);
  return say(json ? jsonText({ id }) : `Imported as ${id}. Continue with parley chat ${id}.`);
}

async function rename({ host, words }: CommandInput): Promise<number> {
  const [wanted = '', ...title] = words;
  if (title.join(' ').trim() === '') throw new UsageError('Usage: parley sessions rename ID TITLE');
  const { id } = await find(host, wanted);
  await ask(host, 'sessions/change', { id, title: title.join(' ').trim() });
  return say(`Renamed ${id} to ${title.join(' ').trim()}.`);
}

async function change({ host, words }: CommandInput, archived: boolean): Promise<number> {
  const { id } = await find(host, onlyWord(words, 'session ID'));
  await ask(host, 'sessions/change', { id, archived });
  return say(archived ? `Archived ${id}. List it with parley sessions list --all.` : `Unarchived ${id}.`);
}

async function remove({ host, words, yes }: CommandInput): Promise<number> {
  const { id, title } = await find(host, onlyWord(words, 'session ID'));
  if (!yes && !(await confirm(`Delete "${short(title || 'Untitled', 60)}" (${id}) permanently?`))) {
    printError('parley: Nothing was deleted.\n');
    return 4;
  }
  await ask(host, 'sessions/delete', { id });
  return say(`Deleted ${id}.`);
}

async function verify({ host, words, json }: CommandInput): Promise<number> {
  noMore(words);
  const done = showProgress('Verifying');
  const findings = await ask<readonly StoreDamage[]>(host, 'sessions/verify', {}).finally(done);
  if (json) say(jsonText(findings, 2));
  else if (findings.length === 0) say('All sessions verified.');
  else
    for (const { part, session, seq, problem } of findings)
      say(
        [part, session, seq === undefined ? undefined : `entry ${seq}`, problem]
          .filter((word) => word !== undefined)
          .join(': '),
      );
  return findings.length === 0 ? 0 : 1;
}

/** Returns the first damage of the log, if there is any. */
async function eachEntry(
  host: Connect,
  id: string,
  take: (entry: Entry) => void,
): Promise<string | undefined> {
  let after = 0;
  let damage: string | undefined;
  for (;;) {
    const page = await ask<EntryPage>(host, 'sessions/entries', { id, after });
    for (const entry of page.entries) take(entry);
    after = page.entries.at(-1)?.seq ?? after;
    damage ??= page.damage;
    if (!page.more) return damage;
  }
}

async function find(host: Connect, wanted: string): Promise<SessionRow> {
  return findIn(await host(), wanted);
}

async function ask<T>(host: Connect, method: string, params: object): Promise<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer comes from our own host
  return (await (await host()).request(method, params)) as T;
}

/** Does not overwrite a file, and leaves no partial one behind. */
function write(file: string, lines: readonly string[]): void {
  let out: number;
  try {
    out = openSync(file, 'wx', 0o600);
  } catch (error) {
    const exists = errorCode(error) === 'EEXIST';
    throw new Error(exists ? `${file} already exists.` : `Cannot write ${file}: ${errorText(error)}`, {
      cause: error,
    });
  }
  try {
    for (const line of lines) writeSync(out, line);
    closeSync(out);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function warn(damage: string | undefined): number {
  if (damage !== undefined) printError(`parley: A part of this session cannot be read: ${damage}\n`);
  return damage === undefined ? 0 : 1;
}

function say(text: string): number {
  print(`${text}\n`);
  return 0;
}
