// Next-edit suggestions: their sessions, the open documents of the client, and the edits
// that a model suggests.
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
import type { Caller, Feature, NotificationHandler } from '../../inbound/readParams.ts';
import type { AcpConnection } from '../../connection.ts';
import { invalidParams, unknownSession } from '../../errors.ts';
import { RpcError, rpcCodes } from '../../../../rpc/rpcError.ts';
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

/** The capabilities for clients that support suggestions. */
export function nesOffer({ nes, positionEncodings }: ClientCapabilities): NesOffer {
  return nes ? { nes: capabilities, positionEncoding: encodingOf(positionEncodings) } : {};
}

/** The first encoding that the client offers; we support all. */
function encodingOf(wanted: readonly PositionEncoding[] | undefined): PositionEncoding {
  return wanted?.find((encoding) => encodings.includes(encoding)) ?? 'utf-16';
}

export interface NesSession {
  readonly documents: Documents;
  readonly offered: Map<string, string>;
  /** Rejected suggestions are not made again. */
  readonly refused: Set<string>;
  stop: AbortController;
}

export const nes: Feature = [
  [
    'nes/start',
    call(startNesParams, ({ connection }) => {
      const { suggestions: known, client } = connection;
      if (!client?.capabilities.nes)
        throw new RpcError(rpcCodes.methodNotFound, 'Only clients that offer nes can start suggestions.');
      if (known.size >= maxSessions)
        throw invalidParams(`Only ${maxSessions} suggestion sessions can be open at the same time.`);
      const sessionId = `nes-${connection.host.ids.next()}`;
      known.set(sessionId, {
        documents: new Documents(),
        offered: new Map(),
        refused: new Set(),
        stop: new AbortController(),
      });
      connection.startOnce('nes', () => () => known.forEach(({ stop }) => stop.abort()));
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
      connection.suggestions.delete(sessionId);
      return {};
    }),
  ],
];

const maxSessions = 20;

export const nesNotifications: readonly NotificationHandler[] = [
  [
    'document/didOpen',
    handler(didOpenParams, ({ documents }, { uri, text, version }) => documents.open(uri, { text, version })),
  ],
  [
    'document/didChange',
    handler(didChangeParams, ({ documents }, { uri, version, contentChanges }, encoding) =>
      documents.change(uri, { version, changes: contentChanges, encoding }),
    ),
  ],
  ['document/didClose', handler(documentParams, ({ documents }, { uri }) => documents.close(uri))],
  ['nes/accept', handler(acceptParams, ({ offered }, { id }) => void offered.delete(id))],
  [
    'nes/reject',
    handler(rejectParams, ({ offered, refused }, { id, reason }) => {
      const what = offered.get(id);
      offered.delete(id);
      if (what !== undefined && reason === 'rejected') refused.add(what);
    }),
  ],
];

function find(connection: AcpConnection, id: string): NesSession | undefined {
  return connection.suggestions.get(id);
}

interface Readable<T> {
  safeParse(params: unknown): { readonly success: true; readonly data: T } | { readonly success: false };
}

function handler<T extends { readonly sessionId: string }>(
  schema: Readable<T>,
  take: (session: NesSession, params: T, encoding: PositionEncoding) => void,
): NotificationHandler[1] {
  return ({ connection }, params) => {
    const read = schema.safeParse(params);
    const session = read.success ? find(connection, read.data.sessionId) : undefined;
    if (read.success && session)
      take(session, read.data, encodingOf(connection.client?.capabilities.positionEncodings));
  };
}

/** Only the newest request counts: an older one that is still running gets an empty response. */
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

/** A suggestion to jump to an edit that is far from the cursor. */
function jumpTo({ id, uri, edits }: EditSuggestion, line: number): readonly Suggestion[] {
  const position = edits[0]?.range.start;
  if (!position || Math.abs(position.line - line) <= farLines) return [];
  return [{ kind: 'jump', id: `${id}-jump`, uri, position }];
}

/** The distance in lines from which a jump is suggested. */
const farLines = 20;
