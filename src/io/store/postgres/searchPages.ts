// The text of all sessions for searches, in the database. Letters are compared without case and accents.
import { foldText } from '../../search/lines.ts';
import type { NewPages, SearchPages } from '../../search/sessionIndex.ts';
import type { Connection } from './connection.ts';

/** Pages that one query returns. */
const atOnce = 64;

export function databasePages(connection: Pick<Connection, 'query'>): SearchPages {
  return {
    async known(session) {
      const [row] = await connection.query({
        text: 'SELECT seq, item FROM parley.search_sessions WHERE session = $1',
        values: [session],
      });
      return row && { seq: Number(row[0]), item: typeof row[1] === 'string' ? row[1] : undefined };
    },
    async indexed() {
      const rows = await connection.query({ text: 'SELECT session, seq FROM parley.search_sessions' });
      return new Map(rows.map(([session, seq]) => [String(session), Number(seq)]));
    },
    add: (session, pages) => add(connection, session, pages),
    async forget(session) {
      await connection.query({
        text:
          'WITH gone AS (DELETE FROM parley.search_sessions WHERE session = $1) ' +
          'DELETE FROM parley.search_pages WHERE session = $1',
        values: [session],
      });
    },
    async sessionsWith(word) {
      const part = storable(foldText(word)).replaceAll(/[\\%_]/g, String.raw`\$&`);
      const rows = await connection.query({
        text: 'SELECT DISTINCT session FROM parley.search_pages WHERE folded LIKE $1',
        values: [`%${part}%`],
      });
      return new Set(rows.map(([session]) => String(session)));
    },
    texts: (session) => texts(connection, session),
    close() {},
  };
}

/** Does nothing if another host has indexed the session meanwhile. */
async function add(connection: Pick<Connection, 'query'>, session: string, pages: NewPages): Promise<void> {
  const [[count = 0] = []] = await connection.query({
    text: 'SELECT pages FROM parley.search_sessions WHERE session = $1',
    values: [session],
  });
  const stored = pages.texts.map(storable);
  const grown = pages.goesOn && Number(count) > 0 ? (stored.shift() ?? '') : '';
  await connection.query({
    text:
      'WITH mine AS (INSERT INTO parley.search_sessions AS old VALUES ($1, $3, $4, $5) ' +
      'ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, pages = excluded.pages, ' +
      'item = excluded.item WHERE old.seq = $2 RETURNING 1), ' +
      'grown AS (UPDATE parley.search_pages SET text = text || $6, folded = folded || $7 ' +
      'WHERE session = $1 AND page = $8 AND EXISTS (SELECT 1 FROM mine)) ' +
      'INSERT INTO parley.search_pages SELECT $1, $8 + u.at, u.text, u.folded FROM unnest($9::text[], ' +
      '$10::text[]) WITH ORDINALITY AS u (text, folded, at) WHERE EXISTS (SELECT 1 FROM mine)',
    values: [
      session,
      pages.from,
      pages.seq,
      Number(count) + stored.length,
      pages.item ?? null,
      grown,
      foldText(grown),
      Number(count) - 1,
      stored,
      stored.map(foldText),
    ],
  });
}

async function* texts(connection: Pick<Connection, 'query'>, session: string): AsyncGenerator<string> {
  for (let after = -1; ;) {
    const rows = await connection.query({
      text: `SELECT page, text FROM parley.search_pages WHERE session = $1 AND page > $2 ORDER BY page LIMIT ${atOnce}`,
      values: [session, after],
    });
    for (const [, text] of rows) yield String(text);
    if (rows.length < atOnce) return;
    after = Number(rows.at(-1)?.[0]);
  }
}

/** PostgreSQL has no text with this character. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}
