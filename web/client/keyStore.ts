// One record in the browser's database, which each origin has for itself: the page's keys and the device
// they belong to.

export interface KeyRecord {
  readonly keys: CryptoKeyPair;
  /** Absent until the host has accepted the key. */
  readonly device?: string;
}

const table = 'keys';
const recordName = 'page';

export async function readRecord(): Promise<KeyRecord | undefined> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only writeRecord writes here
  return run('readonly', (store) => store.get(recordName)) as Promise<KeyRecord | undefined>;
}

export async function writeRecord(record: KeyRecord): Promise<void> {
  await run('readwrite', (store) => store.put(record, recordName));
}

async function run(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const opening = indexedDB.open('parley', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(table));
  const database = await resultOf(opening);
  try {
    return await resultOf(act(database.transaction(table, mode).objectStore(table)));
  } finally {
    database.close();
  }
}

function resultOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () =>
      reject(request.error ?? new Error('The browser stores nothing.')),
    );
  });
}
