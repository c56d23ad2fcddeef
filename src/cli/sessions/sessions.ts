// `parley sessions`: the catalogue of the host, and one session shown, found, carried elsewhere, renamed, put away or deleted.
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Summary } from '../../host/session/summary.ts';
import type { Finding } from '../../io/store/sqlite/verify.ts';
import type { Entry } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { Peer } from '../../rpc/peer.ts';
import { hostControl } from '../client/controlClient.ts';
import { jsonText, paintFor, print, printError } from '../output.ts';
import {
  age,
  columns,
  confirmed,
  endWithReader,
  noMore,
  onlyWord,
  readArgs,
  short,
  UsageError,
  working,
} from '../say.ts';
import type { EntryPage } from '../../app/control/sessions.ts';
import { entryLine, headerLine } from '../../app/sessions/sessionFile.ts';
import { findIn, summaries } from './find.ts';
import type { Hit } from '../../host/session/search.ts';
import { transcriptOf } from './transcript.ts';

type Reach = () => Promise<Peer>;

interface Given {
  /** Reached when it is first needed: a command that was written wrongly starts none. */
  readonly host: Reach;
  readonly words: readonly string[];
  readonly json: boolean;
  readonly all: boolean;
  readonly yes: boolean;
  readonly limit: number;
}

export async function run(args: readonly string[]): Promise<number> {
  endWithReader();
  const { values, positionals } = readArgs(args, {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    yes: { type: 'boolean', short: 'y', default: false },
    limit: { type: 'string', default: '20' },
  });
  const [verb = 'list', ...words] = positionals;
  const work = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  if (!work)
    throw new UsageError(`there is no parley sessions ${verb}. Try ${Object.keys(verbs).join(', ')}.`);
  const limit = Number(values.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000)
    throw new UsageError('--limit is a number from 1 to 1000.');
  let reached: Promise<Peer> | undefined;
  const host = () => (reached ??= reachHost());
  try {
    return await work({ host, words, json: values.json, all: values.all, yes: values.yes, limit });
  } finally {
    (await reached?.catch(() => undefined))?.close();
  }
}

async function reachHost(): Promise<Peer> {
  const host = await hostControl('start');
  if (!host) throw new Error('the host cannot be reached.');
  return host;
}

const verbs: { readonly [name: string]: ((given: Given) => Promise<number>) | undefined } = {
  list,
  show,
  search,
  export: exportTo,
  import: importFrom,
  rename,
  delete: remove,
  verify,
  archive: (given) => change(given, true),
  unarchive: (given) => change(given, false),
};

async function list({ host, words, json, all }: Given): Promise<number> {
  noMore(words);
  const sessions = (await summaries(await host())).filter(({ archived }) => all || !archived);
  if (json) return say(jsonText(sessions, 2));
  if (sessions.length === 0)
    return say('There are no sessions yet. Start one with parley chat, or from an editor.');
  const paint = paintFor(process.stdout);
  const rows = sessions
    .map((one) => [one, statusWord(one)] as const)
    .map(([{ id, title, agent, roots, modifiedAt }, status]) => [
      shortId(id, sessions),
      status,
      short(title || 'Untitled', 48),
      short(agent, 20),
      short(roots[0] ?? '', 40),
      age(modifiedAt, Date.now()),
    ]);
  const [head = '', ...lines] = columns([['ID', 'STATUS', 'TITLE', 'AGENT', 'FOLDER', 'AGE'], ...rows]);
  return say([paint.dim(head), ...lines].join('\n'));
}

function statusWord({ damage, newer, archived, status }: Summary): string {
  if (newer) return 'newer';
  if (damage !== undefined) return 'damaged';
  return archived ? 'archived' : status;
}

async function show({ host, words, json }: Given): Promise<number> {
  const { id } = await find(host, onlyWord(words, 'the session by its id'));
  let state = emptyState(id);
  const damage = await eachEntry(host, id, (entry) => (state = reduce(state, entry)));
  say(json ? jsonText(state, 2) : transcriptOf(state, paintFor(process.stdout)).trimEnd());
  return warn(damage);
}

async function search({ host, words, json, limit }: Given): Promise<number> {
  const wanted = words.flatMap((word) => word.split(/\s+/)).filter(Boolean);
  if (wanted.length === 0)
    throw new UsageError('say what to look for, as in parley sessions search login bug.');
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
  const hits = (await (
    await host()
  ).request('sessions/search', { words: wanted, limit }, { signal: stop.signal })) as readonly Hit[];
  if (json) say(jsonText(hits, 2));
  else if (hits.length === 0) say('Nothing was found.');
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

async function exportTo({ host, words }: Given): Promise<number> {
  const [wanted, file, ...more] = words;
  noMore(more);
  const { id, title } = await find(
    host,
    onlyWord(wanted === undefined ? [] : [wanted], 'the session by its id'),
  );
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

async function importFrom({ host, words, json }: Given): Promise<number> {
  const file = resolve(onlyWord(words, 'the file'));
  const done = working('Reading the session');
  const { id } = await ask<{ readonly id: string }>(host, 'sessions/import', {
    file,
    roots: [process.cwd()],
  }).finally(done);
  return say(json ? jsonText({ id }) : `Imported as ${id}. Go on with parley chat ${id}.`);
}

async function rename({ host, words }: Given): Promise<number> {
  const [wanted = '', ...title] = words;
  if (title.join(' ').trim() === '') throw new UsageError('say parley sessions rename ID NEW TITLE.');
  const { id } = await find(host, wanted);
  await ask(host, 'sessions/change', { id, title: title.join(' ').trim() });
  return say(`${id} is now called ${title.join(' ').trim()}.`);
}

async function change({ host, words }: Given, archived: boolean): Promise<number> {
  const { id } = await find(host, onlyWord(words, 'the session by its id'));
  await ask(host, 'sessions/change', { id, archived });
  return say(
    archived ? `${id} is archived; parley sessions list --all shows it.` : `${id} is back in the list.`,
  );
}

async function remove({ host, words, yes }: Given): Promise<number> {
  const { id, title } = await find(host, onlyWord(words, 'the session by its id'));
  if (!yes && !(await confirmed(`Delete "${short(title || 'Untitled', 60)}" (${id}) for good?`))) {
    printError('parley: nothing was deleted.\n');
    return 4;
  }
  await ask(host, 'sessions/delete', { id });
  return say(`${id} is deleted.`);
}

async function verify({ host, words, json }: Given): Promise<number> {
  noMore(words);
  const done = working('Looking at every byte');
  const findings = await ask<readonly Finding[]>(host, 'sessions/verify', {}).finally(done);
  if (json) say(jsonText(findings, 2));
  else if (findings.length === 0) say('Everything that is stored is as it was written.');
  else
    for (const { part, session, seq, problem } of findings)
      say(
        [part, session, seq === undefined ? undefined : `entry ${seq}`, problem]
          .filter((word) => word !== undefined)
          .join(': '),
      );
  return findings.length === 0 ? 0 : 1;
}

function shortId(id: string, all: readonly Summary[]): string {
  for (let length = 8; length < id.length; length += 1) {
    if (all.filter((other) => other.id.startsWith(id.slice(0, length))).length === 1)
      return id.slice(0, length);
  }
  return id;
}

/** Returns what keeps the log from being read to its end. */
async function eachEntry(host: Reach, id: string, take: (entry: Entry) => void): Promise<string | undefined> {
  let after = 0;
  for (;;) {
    const { entries, more, damage } = await ask<EntryPage>(host, 'sessions/entries', { id, after });
    for (const entry of entries) take(entry);
    after = entries.at(-1)?.seq ?? after;
    if (!more) return damage;
  }
}

async function find(host: Reach, wanted: string): Promise<Summary> {
  return findIn(await host(), wanted);
}

async function ask<T>(host: Reach, method: string, params: object): Promise<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own host says what our own program reads
  return (await (await host()).request(method, params)) as T;
}

/** Nothing that exists is overwritten, and nothing half is left behind. */
function write(file: string, lines: readonly string[]): void {
  let out: number;
  try {
    out = openSync(file, 'wx', 0o600);
  } catch (error) {
    throw new Error(
      `${file} cannot be written: ${error instanceof Error && 'code' in error && error.code === 'EEXIST' ? 'there is something already.' : String(error)}`,
      { cause: error },
    );
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
  if (damage !== undefined) printError(`parley: the log of this session cannot be read further: ${damage}\n`);
  return damage === undefined ? 0 : 1;
}

function say(text: string): number {
  print(`${text}\n`);
  return 0;
}
