// Checks a whole store: the file, every entry, and that the catalogue matches the entries. Changes nothing.
import { setImmediate as nextBeat } from 'node:timers/promises';
import { summarize } from '../../../host/session/summary.ts';
import { CatalogueTable, isSameSummary } from './catalogue.ts';
import { query } from './database.ts';
import type { Database } from './database.ts';
import { EntryReader } from './reader.ts';
import { storeError } from './storeError.ts';
import type { StoreDamage } from '../durableStore.ts';

/** Reads everything from the file and uses no cached state. */
export async function verifyLog(database: Database): Promise<readonly StoreDamage[]> {
  const findings = checkFile(database);
  const reader = new EntryReader(database);
  const catalogue = new CatalogueTable(database, reader);
  for (const session of catalogue.ids()) {
    const { state, damage } = reader.fold(session, catalogue.vouched(session));
    const row = catalogue.row(session);
    if (damage) findings.push({ part: 'log', session, seq: damage.seq, problem: damage.message });
    else if (!row) findings.push({ part: 'catalogue', session, problem: 'The session has no readable row.' });
    else if (!isSameSummary(row, summarize(state)))
      findings.push({ part: 'catalogue', session, problem: 'The row does not match the entries.' });
    await nextBeat();
  }
  return findings;
}

function checkFile(database: Database): StoreDamage[] {
  try {
    const lines = query(database, 'PRAGMA integrity_check')().map(([line]) => String(line));
    return lines.filter((line) => line !== 'ok').map((problem) => ({ part: 'database', problem }));
  } catch (error) {
    return [{ part: 'database', problem: storeError(error, 'Checking the database').message }];
  }
}
