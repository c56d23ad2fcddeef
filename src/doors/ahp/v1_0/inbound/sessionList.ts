// The list of sessions, newest first, in pages. Sessions without a message are not listed.
import type { Json } from '../../../../model/event.ts';
import type { Summary } from '../../../../host/session/summary.ts';
import type { Requests } from '../../../../protocols/ahp/v1_0/commands.ts';
import { ahpError } from '../../errors.ts';
import { parseJson } from '../../outbound/wireJson.ts';
import type { V1_0Connection } from '../connection.ts';

/**
 * A page when the client does not say, and the most it can have. Clients that know no pages should
 * get all they can show.
 */
const pageSize = 1_000;

export function listSessions(
  client: V1_0Connection,
  { limit, cursor }: Requests['listSessions']['params'],
): Requests['listSessions']['result'] {
  if (limit !== undefined && !(Number.isInteger(limit) && limit > 0))
    throw ahpError('invalidParams', 'limit: a positive whole number');
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const all = client.host
    .summaries()
    .filter(({ started }) => started)
    .filter((summary) => !after || isAfter(summary, after));
  const page = all.slice(0, Math.min(limit ?? pageSize, pageSize));
  const last = page.at(-1);
  return {
    items: page.map((summary) => client.summaryOf(summary)),
    ...(last && page.length < all.length ? { nextCursor: writeCursor(last) } : {}),
  };
}

type Mark = Pick<Summary, 'modifiedAt' | 'id'>;

/** A session that moves up meanwhile is simply not on a later page, and none is shown twice. */
function isAfter({ modifiedAt, id }: Summary, mark: Mark): boolean {
  return modifiedAt < mark.modifiedAt || (modifiedAt === mark.modifiedAt && id > mark.id);
}

function writeCursor({ modifiedAt, id }: Mark): string {
  return Buffer.from(JSON.stringify([modifiedAt, id])).toString('base64url');
}

function readCursor(cursor: string): Mark {
  const read = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'));
  const [modifiedAt, id] = Array.isArray(read) ? (read as readonly Json[]) : [];
  if (typeof modifiedAt === 'number' && typeof id === 'string') return { modifiedAt, id };
  throw ahpError('invalidParams', 'cursor: unknown cursor');
}
