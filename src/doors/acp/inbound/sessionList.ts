// session/list: pages of sessions, newest first. Pure.
import type { Summary } from '../../../host/session/summary.ts';
import type { ListSessionsResponse, SessionInfo } from '../../../protocols/acp/v1/messages.ts';
import type { ListSessionsParams } from '../../../protocols/acp/v1/agentSchema.ts';
import { invalidParams } from '../errors.ts';
import { samePath } from '../../../base/fileUri.ts';

/** Throws an error for the client on an invalid cursor. */
export function listSessions(
  summaries: readonly Summary[],
  { cwd, cursor, archived }: ListSessionsParams,
  pageSize: number,
): ListSessionsResponse {
  const after = cursor == null ? undefined : readCursor(cursor);
  const rows = summaries
    .filter(
      (summary) =>
        summary.started && isWanted(summary, archived) && (cwd == null || samePath(cwdOf(summary), cwd)),
    )
    .flatMap(rowsOf)
    .toSorted(newestFirst);
  const rest = after === undefined ? rows : rows.filter((row) => newestFirst(after, row) < 0);
  const page = rest.slice(0, pageSize);
  const last = page.at(-1);
  return {
    sessions: page.map(({ info, away }) =>
      archived == null || archived === 'exclude' ? info : { ...info, archived: away },
    ),
    ...(last && rest.length > page.length && { nextCursor: writeCursor(last) }),
  };
}

/** The working directory; the root for a session without one, which only other clients create. */
export function cwdOf({ roots }: Pick<Summary, 'roots'>): string {
  return roots[0] ?? '/';
}

/** The sort key of a row, which is also the content of a cursor. */
interface RowKey {
  readonly at: number;
  readonly id: string;
}

function isWanted({ archived }: Summary, filter: ListSessionsParams['archived']): boolean {
  return filter === 'include' || archived === (filter === 'only');
}

/** Every chat of a user is an ACP session; chats of tools belong to the chat that called the tool. */
function rowsOf(
  summary: Summary,
): readonly (RowKey & { readonly info: SessionInfo; readonly away: boolean })[] {
  return summary.chats.flatMap(({ id, title, origin, modifiedAt }, i) => {
    if (origin.type === 'tool') return [];
    const name = i === 0 ? summary.title || title : title || summary.title;
    const at = i === 0 ? summary.modifiedAt : modifiedAt;
    const others = summary.roots.slice(1);
    const info: SessionInfo = {
      sessionId: id,
      cwd: cwdOf(summary),
      ...(others.length > 0 && { additionalDirectories: others }),
      ...(name !== '' && { title: name }),
      updatedAt: new Date(at).toISOString(),
    };
    return [{ at, id, info, away: summary.archived }];
  });
}

function newestFirst(a: RowKey, b: RowKey): number {
  if (a.at !== b.at) return b.at - a.at;
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** A cursor is the sort key of the last row, so that new and removed sessions do not shift the pages. */
function writeCursor({ at, id }: RowKey): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

function readCursor(cursor: string): RowKey {
  try {
    const read: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(read) && typeof read[0] === 'number' && typeof read[1] === 'string')
      return { at: read[0], id: read[1] };
  } catch {
    // Refused below.
  }
  throw invalidParams('Invalid cursor. Start again without one.');
}
