// Finds a SQLite driver for this runtime and opens files with it. Knows no tables.
import { once } from '../../../base/memo.ts';
import { StoreError } from './storeError.ts';

/** The little of `DatabaseSync` that we use; Node's own module and the package both have it. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
  /** Whether statements are kept from changing the schema as a table; drivers differ in having it. */
  enableDefensive?(active: boolean): void;
}

export interface Statement {
  run(...values: readonly Value[]): unknown;
  /** Objects, unless arrays were asked for. */
  all(...values: readonly Value[]): readonly Row[];
  setReturnArrays?(arrays: boolean): void;
}

export type Value = string | number | null;
export type Row = readonly unknown[];
export type Query = (...values: readonly Value[]) => readonly Row[];
export type OpenDatabase = (path: string, options?: { readonly readOnly?: true }) => Database;

/** Loads the driver on first use: many clients never touch the log. */
export const loadDatabase = once((): Promise<OpenDatabase> =>
  findDriver().then(
    ({ DatabaseSync }) =>
      (path, options = {}) =>
        new DatabaseSync(path, options),
  ),
);

/** Rows come as arrays in the order of the columns: cheaper than an object each. */
export function query(database: Database, sql: string): Query {
  const statement = database.prepare(sql);
  if (!statement.setReturnArrays)
    return (...values) => statement.all(...values).map((row) => Object.values(row));
  statement.setReturnArrays(true);
  return (...values) => statement.all(...values);
}

interface Driver {
  readonly DatabaseSync: new (path: string, options: { readonly readOnly?: true }) => Database;
}

/**
 * Node's own module is silent from 24 on. Before that the package is preferred, and the module serves where
 * the package is not installed.
 */
async function findDriver(): Promise<Driver> {
  const [major = 0] = process.versions.node.split('.').map(Number);
  const builtIn = major >= 24 ? loadBuiltIn() : undefined;
  if (builtIn) return builtIn;
  try {
    return await import('@photostructure/sqlite');
  } catch (cause) {
    const last = loadBuiltIn();
    if (last) return last;
    throw new StoreError(
      'unavailable',
      'SQLite is not available: this version of Node has none, and the package @photostructure/sqlite ' +
        'is not installed.',
      { cause },
    );
  }
}

/** Asking for a built-in module by name keeps the bundler and older versions of Node out of it. */
function loadBuiltIn(): Driver | undefined {
  const warn = process.emitWarning.bind(process);
  // Only the notice that the module is experimental is dropped, and only while it loads.
  process.emitWarning = (warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith('SQLite is an experimental feature')) warn(warning, ...rest);
  };
  try {
    const found = process.getBuiltinModule('node:sqlite');
    return found && isDriver(found) ? found : undefined;
  } finally {
    process.emitWarning = warn;
  }
}

function isDriver(found: object): found is Driver {
  return 'DatabaseSync' in found;
}
