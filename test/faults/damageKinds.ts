// The kinds of damage to a data directory, and what may be lost by each.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { query } from '../../src/io/store/sqlite/database.ts';
import type { Database, OpenDatabase } from '../../src/io/store/sqlite/database.ts';
import { pageSize } from '../../src/io/store/sqlite/schema.ts';

/** A data directory that is about to be damaged. */
export interface Victim {
  readonly directory: string;
  /** The data directory as it was some turns earlier, and that of another host. */
  readonly earlier: string;
  readonly other: string;
  readonly open: OpenDatabase;
}

/**
 * How much of a session is shown: all turns; all but what was hit, with the gap marked; fewer; those before a
 * turn that only a newer version can read to its end; or none.
 */
export type Shown = 'whole' | 'gap' | 'shorter' | 'newer' | 'gone';

export interface DamageKind {
  /** The host was killed, so that the newest turns are in the write-ahead log only. */
  readonly crashed?: true;
  readonly damage: (victim: Victim) => void;
  /** What is left of the session that was hit; the default is all of it. */
  readonly hit?: Shown | readonly Shown[];
  /** What may be left of the other sessions; the default is all of them. */
  readonly others?: readonly Shown[];
  /** What the log of the host says. */
  readonly told?: RegExp;
  /** Why the host does not start. It leaves all files as they are. */
  readonly refused?: RegExp;
}

const log = ({ directory }: Victim, part = '') => join(directory, `log.db${part}`);
/** The record with the third answer. */
const thirdText = '"text":"Answer-3-of-hit';
const third = `event LIKE '%${thirdText}%'`;

const setAside = /kept as .*log\.db\.damaged-.* entries of \d sessions were saved/;
const olderLog = /The log is older than it was: \d+ entries are missing/;
const missingLog = /The log is missing\. It had \d sessions/;
const noEntryLost = /An index of the log was damaged and was built again/;

export const damageKinds: { readonly [name: string]: DamageKind } = {
  // Pages of the database.
  'a bit of the head of the file flips': {
    damage: (victim) => changeBytes(log(victim), (bytes) => flip(bytes, 5)),
    told: setAside,
  },
  'the first page is lost': {
    damage: (victim) => changeBytes(log(victim), (bytes) => bytes.fill(0, 0, pageSize)),
    told: setAside,
  },
  'the root page of the entries is lost': {
    damage: (victim) => wipePage(victim, rootOf(victim, 'entries')),
    told: setAside,
  },
  'a page with entries is lost': {
    damage: (victim) => {
      for (const at of placesOf(readFileSync(log(victim)), thirdText))
        wipePage(victim, Math.floor(at / pageSize) + 1);
    },
    hit: 'gap',
    told: /The log is damaged\. The next start of the host restores/,
  },
  'a bit of an entry flips': {
    damage: (victim) =>
      changeBytes(log(victim), (bytes) => {
        for (const at of placesOf(bytes, thirdText)) flip(bytes, at + 12);
        return bytes;
      }),
    hit: 'gap',
  },
  'the root page of the index is lost': {
    damage: (victim) => wipePage(victim, rootOf(victim, 'entries_of_session')),
    told: noEntryLost,
  },
  'a bit of the index flips': {
    damage: (victim) => {
      const root = rootOf(victim, 'entries_of_session');
      changeBytes(log(victim), (bytes) => {
        // The index of a packed log fits on its first page.
        const page = bytes.subarray((root - 1) * pageSize, root * pageSize);
        for (const at of placesOf(page, 'hit')) flip(page, at);
        return bytes;
      });
    },
    told: noEntryLost,
  },
  'the list of sessions is lost': {
    damage: (victim) => wipePage(victim, rootOf(victim, 'sessions')),
    told: setAside,
  },
  'the digest of the list is lost': {
    damage: (victim) => wipePage(victim, rootOf(victim, 'meta')),
    told: setAside,
  },
  // Files that are too short, missing, old or elsewhere.
  'the file is cut inside its last page': {
    damage: (victim) => changeBytes(log(victim), (bytes) => bytes.subarray(0, bytes.length - 100)),
    others: ['whole', 'gap'],
  },
  'the file is cut in the middle': {
    damage: (victim) => changeBytes(log(victim), (bytes) => bytes.subarray(0, bytes.length / 2)),
    told: setAside,
    hit: 'shorter',
    others: ['shorter', 'gone'],
  },
  'the file is empty': {
    damage: (victim) => writeFileSync(log(victim), ''),
    told: missingLog,
    hit: 'gone',
    others: ['gone'],
  },
  'the file is missing': {
    damage: (victim) => rmSync(log(victim)),
    told: missingLog,
    hit: 'gone',
    others: ['gone'],
  },
  'the file is a text': {
    damage: (victim) => writeFileSync(log(victim), 'This is no database. '.repeat(900)),
    told: setAside,
    hit: 'gone',
    others: ['gone'],
  },
  'the file is older': {
    damage: (victim) => cpSync(log({ ...victim, directory: victim.earlier }), log(victim)),
    told: olderLog,
    hit: 'shorter',
    others: ['shorter'],
  },
  'the file is that of another host': {
    damage: (victim) => cpSync(log({ ...victim, directory: victim.other }), log(victim)),
    told: olderLog,
    hit: 'gone',
    others: ['gone'],
  },
  'a folder is in the place of the file': {
    damage: (victim) => {
      rmSync(log(victim));
      mkdirSync(log(victim));
    },
    refused: /log\.db must be a file, but it is a folder/,
  },
  'a link is in the place of the file': {
    damage: (victim) => {
      renameSync(log(victim), log(victim, '.moved'));
      symlinkSync(log(victim, '.moved'), log(victim));
    },
    refused: /log\.db must be a file, but it is a link/,
  },
  'the file belongs to another program': {
    damage: (victim) => tamper(victim, (database) => database.exec('PRAGMA application_id = 7')),
    refused: /belongs to another program/,
  },
  'the file is of a newer schema': {
    damage: (victim) => tamper(victim, (database) => database.exec('PRAGMA user_version = 99')),
    refused: /written by a newer Parley/,
  },
  'the number of the schema is an older one': {
    damage: (victim) => tamper(victim, (database) => database.exec('PRAGMA user_version = 1')),
  },
  // The write-ahead log.
  'a bit of the newest commit flips, which packs entries': {
    crashed: true,
    damage: (victim) => changeBytes(log(victim, '-wal'), (bytes) => flip(bytes, bytes.length - 50)),
  },
  'a bit of the commits of the newest turn flips': {
    crashed: true,
    damage: (victim) =>
      changeBytes(log(victim, '-wal'), (bytes) => flip(bytes, firstPlace(bytes, 'Answer-6-of-after'))),
    others: ['whole', 'shorter'],
    told: olderLog,
  },
  'a bit of the head of the write-ahead log flips': {
    crashed: true,
    damage: (victim) => changeBytes(log(victim, '-wal'), (bytes) => flip(bytes, 9)),
    told: olderLog,
    hit: 'shorter',
    others: ['shorter'],
  },
  'the write-ahead log is cut in the middle': {
    crashed: true,
    damage: (victim) =>
      changeBytes(log(victim, '-wal'), (bytes) => bytes.subarray(0, firstPlace(bytes, 'Answer-6-of-hit'))),
    told: olderLog,
    hit: 'shorter',
    others: ['whole', 'shorter'],
  },
  'the write-ahead log is missing': {
    crashed: true,
    damage: (victim) => rmSync(log(victim, '-wal')),
    told: olderLog,
    hit: 'shorter',
    others: ['shorter'],
  },
  'only the write-ahead log is left': {
    crashed: true,
    damage: (victim) => rmSync(log(victim)),
    told: /its write-ahead log is kept as .*-wal\./,
    hit: 'gone',
    others: ['gone'],
  },
  'the log and its write-ahead log are swapped': {
    crashed: true,
    damage: (victim) => {
      renameSync(log(victim), log(victim, '.x'));
      renameSync(log(victim, '-wal'), log(victim));
      renameSync(log(victim, '.x'), log(victim, '-wal'));
    },
    told: setAside,
    hit: 'gone',
    others: ['gone'],
  },
  'the write-ahead log belongs to another file': {
    crashed: true,
    damage: (victim) => cpSync(log({ ...victim, directory: victim.other }), log(victim)),
    // SQLite cannot tell and reads the pages of the write-ahead log as those of the other file. The last two
    // turns of each session are in it, so none is gone. How much of the others is there depends on when their
    // pieces were packed, which happens in the background.
    hit: ['shorter', 'gap', 'whole'],
    others: ['shorter', 'gap', 'whole'],
    told: /The log is damaged\. The next start of the host restores/,
  },
  'the shared memory file is garbage': {
    crashed: true,
    damage: (victim) => writeFileSync(log(victim, '-shm'), 'garbage '.repeat(4_096)),
  },
  'a folder is in the place of the shared memory file': {
    damage: (victim) => mkdirSync(log(victim, '-shm')),
    refused: /log\.db-shm must be a file, but it is a folder/,
  },
  'a pipe is in the place of the write-ahead log': {
    damage: (victim) => void execFileSync('mkfifo', [log(victim, '-wal')]),
    refused: /log\.db-wal must be a file, but it is a pipe/,
  },
  // Single records.
  'the first record is damaged': {
    damage: (victim) => change(victim, "event = replace(event, 'kind', 'kinds')", 'seq = 1'),
  },
  'a record in the middle is damaged': {
    damage: (victim) => change(victim, "event = replace(event, 'Answer', 'Antwer')", third),
    hit: 'gap',
  },
  'the last record is damaged': {
    damage: (victim) =>
      change(victim, "event = 'x'", "seq = (SELECT max(seq) FROM entries WHERE session = 'hit')"),
    hit: 'gap',
  },
  'a record has a wrong checksum': {
    damage: (victim) => change(victim, 'crc = crc + 1', third),
    hit: 'gap',
  },
  'a record has a wrong number': {
    damage: (victim) => rewrite(victim, ({ seq, ...record }) => ({ ...record, seq: seq + 10_000 })),
    hit: 'gap',
  },
  'a record is missing': {
    damage: (victim) =>
      tamper(victim, (database) => database.exec(`DELETE FROM entries WHERE session = 'hit' AND ${third}`)),
    hit: 'gap',
  },
  // An event that a later release of the same format adds changes nothing here.
  'a record is of an unknown type': {
    damage: (victim) =>
      rewrite(victim, ({ event, ...record }) => ({
        ...record,
        event: event.replaceAll('"text.added"', '"moon.risen"'),
      })),
    hit: 'shorter',
  },
  'a record is of a newer format': {
    damage: (victim) => rewrite(victim, (record) => ({ ...record, format: 99 })),
    hit: 'newer',
  },
  // Files beside the log.
  'the seal of the log is garbage': { damage: (victim) => writeFileSync(log(victim, '.seal'), 'garbage') },
  'the seal of the log is missing': { damage: (victim) => rmSync(log(victim, '.seal')) },
  'the lock is garbage': {
    damage: ({ directory }) => writeFileSync(join(directory, 'lock.db'), 'garbage '.repeat(900)),
  },
  'the list of devices is garbage': {
    damage: ({ directory }) => writeFileSync(join(directory, 'devices.json'), '{"devices":'),
  },
  'the index for searches is garbage': {
    damage: ({ directory }) => writeFileSync(join(directory, 'search.db'), 'garbage '.repeat(900)),
  },
  'the settings are garbage': {
    damage: ({ directory }) => writeFileSync(join(directory, 'config.jsonc'), '{"server":'),
    told: /config\.jsonc is broken in line 1/,
  },
};

function changeBytes(path: string, changed: (bytes: Buffer) => Buffer): void {
  writeFileSync(path, changed(readFileSync(path)));
}

function flip(bytes: Buffer, at: number): Buffer {
  if (at < 0) throw new Error('There is no such place.');
  bytes.writeUInt8((bytes[at] ?? 0) ^ 4, at);
  return bytes;
}

function tamper<T>(victim: Victim, work: (database: Database) => T): T {
  const database = victim.open(log(victim));
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function rootOf(victim: Victim, name: string): number {
  const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
  return tamper(victim, (database) => Number(query(database, sql)(name)[0]?.[0]));
}

function wipePage(victim: Victim, page: number): void {
  changeBytes(log(victim), (bytes) => bytes.fill(0xff, (page - 1) * pageSize, page * pageSize));
}

/** Where a file has a text. Pages that are not in use may still have what was packed since. */
function placesOf(bytes: Buffer, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) places.push(at);
  if (places.length === 0) throw new Error(`The file does not have ${text}.`);
  return places;
}

function firstPlace(bytes: Buffer, text: string): number {
  return placesOf(bytes, text)[0] ?? 0;
}

/** Changes columns of records of the session that is hit, and leaves their checksums. */
function change(victim: Victim, columns: string, where: string): void {
  tamper(victim, (database) =>
    database.exec(`UPDATE entries SET ${columns} WHERE session = 'hit' AND ${where}`),
  );
}

interface StoredRecord {
  readonly seq: number;
  readonly pos: number;
  readonly at: number;
  readonly by: string;
  readonly event: string;
  readonly format: number;
}

/** Replaces a record of the session that is hit by one with a right checksum. */
function rewrite(victim: Victim, changed: (record: StoredRecord) => StoredRecord): void {
  tamper(victim, (database) => {
    const [row = []] = query(
      database,
      `SELECT seq, pos, at, by, event, format FROM entries WHERE session = 'hit' AND ${third}`,
    )();
    const [seq, pos, at, by, event, format] = row;
    const record = changed({
      seq: Number(seq),
      pos: Number(pos),
      at: Number(at),
      by: String(by),
      event: String(event),
      format: Number(format),
    });
    const numbers = `${record.seq} ${record.pos} ${record.at} ${record.format}`;
    database
      .prepare('UPDATE entries SET seq = ?, event = ?, format = ?, crc = ? WHERE pos = ?')
      .run(
        record.seq,
        record.event,
        record.format,
        crc32(`hit\n${numbers}\n${record.by}\n${record.event}`),
        record.pos,
      );
  });
}
