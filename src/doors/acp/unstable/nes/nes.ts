// Next-edit suggestions: sessions of their own with the texts a client has open, and what a model would change there. Offered to clients that know them.
import type { ClientCapabilities } from '../../../../protocols/acp/v1/agentSchema.ts';
import {
  acceptParams,
  closeNesParams,
  didChangeParams,
  didOpenParams,
  documentParams,
  encodings,
  rejectParams,
  startNesParams,
  suggestParams,
} from '../../../../protocols/acp/v1/nesSchema.ts';
import type { EditSuggestion, NesOffer, Suggestion } from '../../../../protocols/acp/v1/messages.ts';
import type { PositionEncoding, SuggestParams } from '../../../../protocols/acp/v1/nesSchema.ts';
import { call } from '../../inbound/readParams.ts';
import type { Caller, Feature, Heard } from '../../inbound/readParams.ts';
import type { Connection } from '../../connection.ts';
import { invalidParams, unknownSession } from '../../errors.ts';
import { Documents } from './documents.ts';
import { predict } from './predict.ts';

const capabilities: NonNullable<NesOffer['nes']> = {
  events: { document: { didOpen: {}, didChange: { syncKind: 'incremental' }, didClose: {} } },
  context: {
    editHistory: { maxCount: 5 },
    diagnostics: {},
    relatedSnippets: {},
    recentFiles: { maxCount: 2 },
  },
};

/** What is added to our capabilities for a client that shows suggestions. */
export function nesOffer({ nes, positionEncodings }: ClientCapabilities): NesOffer {
  return nes ? { nes: capabilities, positionEncoding: encodingOf(positionEncodings) } : {};
}

/** The first that the client would like; all are the same to us. */
function encodingOf(wanted: readonly PositionEncoding[] | undefined): PositionEncoding {
  return wanted?.find((encoding) => encodings.includes(encoding)) ?? 'utf-16';
}

interface NesSession {
  readonly documents: Documents;
  readonly offered: Map<string, string>;
  /** What nobody wanted is not offered again. */
  readonly refused: Set<string>;
  stop: AbortController;
}

const sessions = new WeakMap<Connection, Map<string, NesSession>>();

export const nes: Feature = [
  [
    'nes/start',
    call(startNesParams, ({ connection }) => {
      const known = sessions.get(connection) ?? new Map<string, NesSession>();
      sessions.set(connection, known);
      if (known.size >= mostSessions)
        throw invalidParams(`No more than ${mostSessions} sessions of suggestions can be open at once.`);
      const sessionId = `nes-${connection.host.ids.next()}`;
      known.set(sessionId, {
        documents: new Documents(),
        offered: new Map(),
        refused: new Set(),
        stop: new AbortController(),
      });
      connection.keep('nes', () => () => sessions.get(connection)?.forEach(({ stop }) => stop.abort()));
      return { sessionId };
    }),
  ],
  [
    'nes/suggest',
    call(suggestParams, async (caller, params, { signal }) => ({
      suggestions: await suggestions(caller, params, signal),
    })),
  ],
  [
    'nes/close',
    call(closeNesParams, ({ connection }, { sessionId }) => {
      find(connection, sessionId)?.stop.abort();
      sessions.get(connection)?.delete(sessionId);
      return {};
    }),
  ],
];

const mostSessions = 20;

export const nesNotifications: readonly Heard[] = [
  [
    'document/didOpen',
    hear(didOpenParams, ({ documents }, { uri, text, version }) => documents.open(uri, { text, version })),
  ],
  [
    'document/didChange',
    hear(didChangeParams, ({ documents }, { uri, version, contentChanges }, encoding) =>
      documents.change(uri, { version, changes: contentChanges, encoding }),
    ),
  ],
  ['document/didClose', hear(documentParams, ({ documents }, { uri }) => documents.close(uri))],
  ['nes/accept', hear(acceptParams, ({ offered }, { id }) => void offered.delete(id))],
  [
    'nes/reject',
    hear(rejectParams, ({ offered, refused }, { id, reason }) => {
      const what = offered.get(id);
      offered.delete(id);
      if (what !== undefined && reason === 'rejected') refused.add(what);
    }),
  ],
];

function find(connection: Connection, id: string): NesSession | undefined {
  return sessions.get(connection)?.get(id);
}

interface Readable<T> {
  safeParse(params: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

function hear<T extends { readonly sessionId: string }>(
  schema: Readable<T>,
  take: (session: NesSession, params: T, encoding: PositionEncoding) => void,
): Heard[1] {
  return ({ connection }, params) => {
    const read = schema.safeParse(params);
    const session = read.success ? find(connection, read.data.sessionId) : undefined;
    if (read.success && session)
      take(session, read.data, encodingOf(connection.client?.capabilities.positionEncodings));
  };
}

/** The newest question counts; an older one that is still thought about is answered with nothing. */
async function suggestions(
  { connection, options }: Caller,
  asked: SuggestParams,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const session = find(connection, asked.sessionId);
  if (!session) throw unknownSession(asked.sessionId);
  const document = session.documents.get(asked.uri);
  if (!document) throw invalidParams(`${asked.uri} is not open.`, { uri: asked.uri });
  session.stop.abort();
  const stop = new AbortController();
  session.stop = stop;
  if (document.version !== asked.version || !options.complete) return [];
  const encoding = encodingOf(connection.client?.capabilities.positionEncodings);
  const edit = await predict({
    complete: options.complete,
    text: document.text,
    asked,
    encoding,
    signal: AbortSignal.any([signal, stop.signal]),
  });
  const what = JSON.stringify(edit?.edits);
  if (!edit || stop.signal.aborted || session.refused.has(what)) return [];
  const id = connection.host.ids.next();
  session.offered.set(id, what);
  const canJump = connection.client?.capabilities.nes?.jump !== undefined;
  return [...(canJump ? jumpTo({ ...edit, id }, asked.position.line) : []), { ...edit, id }];
}

/** Leads the user to an edit that is far from the cursor. */
function jumpTo({ id, uri, edits }: EditSuggestion, line: number): readonly Suggestion[] {
  const position = edits[0]?.range.start;
  if (!position || Math.abs(position.line - line) <= farLines) return [];
  return [{ kind: 'jump', id: `${id}-jump`, uri, position }];
}

/** An edit so many lines away is worth being led to. */
const farLines = 20;
