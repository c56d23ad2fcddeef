// The tables of the log database: creation, migration, and refusal of foreign or newer files.
import { query } from './database.ts';
import type { Database } from './database.ts';
import { StoreError } from './storeError.ts';

/**
 * Older programs refuse a file by this number instead of taking its entries for damaged. Version 2 came with
 * log format 2, version 3 with rows of several entries.
 */
const schemaVersion = 3;

/** The letters PrLy; tells our files from any other SQLite database. */
const applicationId = 0x50_72_4c_79;

/**
 * Creates the tables in an empty file, brings older ones up to date and accepts those of today; anything else
 * is refused before a byte is changed.
 */
export function prepareSchema(database: Database): void {
  const [application, version, tables] = [
    'PRAGMA application_id',
    'PRAGMA user_version',
    'SELECT count(*) FROM sqlite_schema',
  ].map((sql) => query(database, sql)()[0]?.[0]);
  if (application === 0 && version === 0 && tables === 0) return createTables(database);
  refuseOthers(application, version);
  if (version !== schemaVersion) addColumns(database);
}

/** Refuses files of other programs and of newer versions. */
export function checkSchema(database: Database): void {
  const [application, version] = ['PRAGMA application_id', 'PRAGMA user_version'].map(
    (sql) => query(database, sql)()[0]?.[0],
  );
  refuseOthers(application, version);
}

function refuseOthers(application: unknown, version: unknown): void {
  if (application !== applicationId) throw new StoreError('foreign', 'The file belongs to another program.');
  if (Number(version) > schemaVersion)
    throw new StoreError(
      'newer',
      `The log was written by a newer Parley (schema ${Number(version)}, this one knows ${schemaVersion}).`,
    );
}

export const pageSize = 4096;

const createIndex = 'CREATE UNIQUE INDEX entries_of_session ON entries (session, seq);';

/** Files of older versions keep the pages that are not in use any more; files of today can give them back. */
export type Layout = 'keeps pages' | 'gives pages back';

/**
 * The order is part of the format: every database of a layout has its tables on the same pages, and that is
 * what lets a lost first page be replaced. The order of today is that of a file that SQLite has rewritten.
 */
export function createTables(database: Database, layout: Layout = 'gives pages back'): void {
  database.exec(`
    PRAGMA page_size = ${pageSize};
    PRAGMA auto_vacuum = ${layout === 'keeps pages' ? 'NONE' : 'INCREMENTAL'};
    BEGIN IMMEDIATE;
    CREATE TABLE entries (
      pos INTEGER PRIMARY KEY, session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL,
      by TEXT NOT NULL, event TEXT NOT NULL, format INTEGER NOT NULL, crc INTEGER NOT NULL
    );
    ${layout === 'keeps pages' ? createIndex : ''}
    CREATE TABLE sessions (
      id TEXT PRIMARY KEY, summary TEXT, crc INTEGER NOT NULL, damage TEXT, status TEXT,
      format INTEGER NOT NULL DEFAULT 1, packed INTEGER NOT NULL DEFAULT 0
    );
    CREATE TABLE meta (
      one INTEGER PRIMARY KEY CHECK (one = 1), head INTEGER NOT NULL, sessions INTEGER NOT NULL,
      digest INTEGER NOT NULL, summaries INTEGER NOT NULL
    );
    ${layout === 'keeps pages' ? '' : createIndex}
    INSERT INTO meta VALUES (1, 0, 0, 0, ${summaryFormat});
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${schemaVersion};
    COMMIT;
  `);
}

/**
 * Makes the index of the entries anew without a look at the old one, which may be damaged. The old one stays
 * if that fails.
 */
export function replaceIndex(database: Database): void {
  database.enableDefensive?.(false);
  try {
    database.exec(`
      BEGIN IMMEDIATE;
      PRAGMA writable_schema = ON;
      DELETE FROM sqlite_schema WHERE name = 'entries_of_session';
      PRAGMA writable_schema = RESET;
      ${createIndex}
      COMMIT;
    `);
  } catch (error) {
    // The old index stays: it still leads to what is readable.
    database.exec('ROLLBACK; PRAGMA writable_schema = RESET');
    throw error;
  } finally {
    database.enableDefensive?.(true);
  }
}

/**
 * Version 1 had the status of a session only in the text of its summary, and not the newest format of its
 * entries. Version 2 had not the sequence number up to which they were packed. What is there stays, also if
 * the number of the file is wrong.
 */
function addColumns(database: Database): void {
  const names = query(database, "SELECT name FROM pragma_table_info('sessions')")().map(([name]) => name);
  const missing = laterColumns.filter(({ name }) => !names.includes(name));
  const steps = missing.map(
    ({ name, type, fill = '' }) => `ALTER TABLE sessions ADD COLUMN ${name} ${type};${fill}`,
  );
  database.exec(`BEGIN IMMEDIATE; ${steps.join('')} PRAGMA user_version = ${schemaVersion}; COMMIT;`);
}

/** The status in the text of a summary, which may be damaged. */
export function statusIn(summary: string): string {
  return `CASE WHEN json_valid(${summary}) THEN json_extract(${summary}, '$.status') END`;
}

const laterColumns: readonly { readonly name: string; readonly type: string; readonly fill?: string }[] = [
  { name: 'status', type: 'TEXT', fill: `UPDATE sessions SET status = ${statusIn('summary')};` },
  { name: 'format', type: 'INTEGER NOT NULL DEFAULT 1' },
  { name: 'packed', type: 'INTEGER NOT NULL DEFAULT 0' },
];

/** The version of the catalogue's rows. If a file has another number, all rows are derived again. */
export const summaryFormat = 4;
