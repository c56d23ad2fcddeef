// The past of a chat as session/load tells it: the whole log through the same projection as live, without what was taken back since.
import { coalesce } from '../../../model/coalesce.ts';
import type { ChatId, Entry, TurnId } from '../../../model/event.ts';
import { reduce } from '../../../model/reduce.ts';
import { emptyState } from '../../../model/state.ts';
import type { State } from '../../../model/state.ts';
import { RpcError, rpcCodes } from '../../../rpc/rpcError.ts';
import type { Connection } from '../connection.ts';
import type { OpenChat } from './openChat.ts';
import { project } from './entries.ts';
import type { AcpUpdate } from './entries.ts';

interface Replay {
  readonly connection: Connection;
  readonly chat: OpenChat;
  readonly upTo: State;
  readonly signal: AbortSignal;
}

/** Sends everything up to a state, as fast as the client reads. */
export async function replay({ connection, chat, upTo, signal }: Replay): Promise<void> {
  let at = emptyState(upTo.id);
  while (at.seq < upTo.seq && !connection.closed) {
    if (signal.aborted) throw new RpcError(rpcCodes.cancelled, 'Request cancelled');
    const entries = await readPortion(chat, at.seq, upTo.seq);
    if (entries.length === 0) return;
    const messages = replayed({ entries, from: at, upTo, chat: chat.id });
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

export interface Past {
  readonly entries: Iterable<Entry>;
  readonly from: State;
  /** The state the replay leads to; turns that are gone there are left out. */
  readonly upTo: State;
  readonly chat: ChatId;
}

/** Pure; returns the state after the entries. */
export function* replayed({ entries, from, upTo, chat }: Past): Generator<AcpUpdate, State> {
  const kept: Kept = { turns: turnsOf(upTo, chat), plan: (upTo.chats[chat]?.plan ?? []).length > 0 };
  let before = from;
  for (const entry of coalesce(entries)) {
    const after = reduce(before, entry);
    const hidden = isGone(entry, kept);
    for (const message of project({ entry, before, after })) {
      if (message.chat === chat && !(hidden && message.kind === 'update')) yield message;
    }
    before = after;
  }
  return before;
}

function turnsOf(state: State, id: ChatId): ReadonlySet<TurnId> {
  const chat = state.chats[id];
  return new Set([...(chat?.turns ?? []), ...(chat?.active ? [chat.active] : [])].map((turn) => turn.id));
}

interface Kept {
  readonly turns: ReadonlySet<TurnId>;
  readonly plan: boolean;
}

/** A plan outlives the turn that set it. */
function isGone({ event }: Entry, kept: Kept): boolean {
  return 'turn' in event && !kept.turns.has(event.turn) && !(event.kind === 'plan.set' && kept.plan);
}

/** How many entries are read at a time, so that a long past neither fills the memory nor keeps others waiting. */
const portion = 2_048;

async function readPortion({ session }: OpenChat, after: number, last: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  try {
    for await (const entry of session.entries(after)) {
      if (entry.seq > last || entries.push(entry) >= portion) break;
    }
  } catch (error) {
    // Such a log is shown as far as it can be read.
    if (!session.unreadable) throw error;
  }
  return entries;
}
