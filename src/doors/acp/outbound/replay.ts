// The replay of a chat for session/load: the whole log through the live projection, without truncated turns.
import type { Projection } from '../../../host/session/live.ts';
import { coalesce } from '../../../model/coalesce.ts';
import type { ChatId, Entry, TurnId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { AcpConnection } from '../connection.ts';
import type { OpenChat } from './openChat.ts';
import type { AcpUpdate } from './entries.ts';

interface Replay {
  readonly connection: AcpConnection;
  readonly chat: OpenChat;
  readonly upTo: State;
  readonly signal: AbortSignal;
}

/** Sends everything up to a state, no faster than the client reads. */
export async function replay({ connection, chat, upTo, signal }: Replay): Promise<void> {
  let at = emptyState(upTo.id);
  while (at.seq < upTo.seq && !connection.closed) {
    if (signal.aborted) throw new RpcError(rpcCodes.cancelled, 'Request cancelled');
    const entries = await readPortion(chat, at.seq, upTo.seq);
    if (entries.length === 0) return;
    const { project } = connection.version;
    const messages = replayEntries({ entries, from: at, upTo, chat: chat.id, project });
    for (let next = messages.next(); ; next = messages.next()) {
      if (next.done === true) {
        at = next.value;
        break;
      }
      chat.replay(next.value);
      await connection.drained();
    }
    await connection.pause();
  }
}

export interface ReplayRange {
  readonly entries: Iterable<Entry>;
  readonly from: State;
  /** The state at the end of the replay; turns that it no longer has are left out. */
  readonly upTo: State;
  readonly chat: ChatId;
  readonly project: Projection<AcpUpdate>;
}

/** Returns the state after the entries. Pure. */
export function* replayEntries({
  entries,
  from,
  upTo,
  chat,
  project,
}: ReplayRange): Generator<AcpUpdate, State> {
  const remaining: Remaining = {
    turns: turnsOf(upTo, chat),
    plan: (upTo.chats[chat]?.plan ?? []).length > 0,
  };
  let before = from;
  for (const entry of coalesce(entries)) {
    const after = reduce(before, entry);
    const hidden = isTruncated(entry, remaining);
    for (const message of project({ entry, before, after })) {
      if (message.chat === chat && !(hidden && isShown(message))) yield message;
    }
    before = after;
  }
  return before;
}

function isShown({ kind }: AcpUpdate): boolean {
  return kind === 'update' || kind === 'notice' || kind === 'later';
}

function turnsOf(state: State, id: ChatId): ReadonlySet<TurnId> {
  const chat = state.chats[id];
  return new Set([...(chat?.turns ?? []), ...(chat?.active ? [chat.active] : [])].map((turn) => turn.id));
}

interface Remaining {
  readonly turns: ReadonlySet<TurnId>;
  readonly plan: boolean;
}

/** A plan stays after the turn that set it. */
function isTruncated({ event }: Entry, remaining: Remaining): boolean {
  return (
    'turn' in event && !remaining.turns.has(event.turn) && !(event.kind === 'plan.set' && remaining.plan)
  );
}

/** The number of entries that are read at a time, to limit memory and delays for other clients. */
const portion = 256;

/** A finished answer is one entry. One that reaches past the end is read piece by piece. */
async function readPortion({ session }: OpenChat, after: number, last: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for (const merged of ['merged', undefined] as const) {
    for await (const entry of session.entries(after, merged)) {
      if (entry.seq > last || entries.push(entry) >= portion) break;
    }
    if (entries.length > 0) break;
  }
  return entries;
}
