// The catalogue's summary of a session. Derived from the state, so it can be rebuilt.
import { memoPerObject } from '../../base/memo.ts';
import type { Autonomy, ChatId, ChatOrigin, Rule, SessionId } from '../../model/event.ts';
import { factsOf } from '../../model/lazyTurn.ts';
import { brokeBy } from '../../model/reduceTurn.ts';
import type { Chat, State } from '../../model/state.ts';
import { changedLines } from './changedLines.ts';
import type { ChangedLines } from './changedLines.ts';
import { chatEdits } from './chatEdits.ts';
import type { EditedFile } from './chatEdits.ts';

export type Status = 'idle' | 'running' | 'asking' | 'failed';

export interface Summary {
  readonly id: SessionId;
  /** The last entry that this summary includes. */
  readonly seq: number;
  readonly title: string;
  readonly agent: string;
  readonly model?: string;
  readonly roots: readonly string[];
  readonly createdAt: number;
  readonly modifiedAt: number;
  readonly archived: boolean;
  readonly read: boolean;
  readonly status: Status;
  /** Why it failed, in short; absent in rows of earlier versions. */
  readonly failure?: string;
  /** Whether it has a message; other sessions are stored but not listed. */
  readonly started: boolean;
  readonly chats: readonly ChatSummary[];
  readonly changes: ChangedLines;
  /** The answers that hold in it; absent if there are none, and in rows of earlier versions. */
  readonly rules?: readonly Rule[];
  /** The permission mode that was chosen for it; absent if none was, and in rows of earlier versions. */
  readonly autonomy?: Autonomy;
  /** Why the log cannot be read to its end; absent for a sound log. */
  readonly damage?: string;
  /** Set if a newer version of Parley wrote the log; this one reads only the part before. */
  readonly newer?: true;
}

export interface ChatSummary {
  readonly id: ChatId;
  readonly title: string;
  readonly origin: ChatOrigin;
  readonly status: Status;
  readonly modifiedAt: number;
  /** The number of turns, including the running one. */
  readonly turns: number;
  /** Messages, thoughts, calls and notices of the ended turns; absent in rows of earlier versions. */
  readonly items?: number;
  readonly edits: readonly EditedFile[];
}

export function summarize(state: State): Summary {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const status = sessionStatus(chats);
  return {
    id: state.id,
    seq: state.seq,
    title: state.title,
    agent: state.agent,
    ...(state.model === undefined ? {} : { model: state.model }),
    roots: state.roots,
    createdAt: state.createdAt,
    modifiedAt: state.modifiedAt,
    archived: state.archived,
    read: state.read,
    status,
    ...(status === 'failed' ? failureIn(chats) : {}),
    started: chats.some((chat) => chat.active || chat.turns.length > 0 || chat.queue.length > 0),
    chats: chats.map((chat) => ({
      id: chat.id,
      title: chat.title,
      origin: chat.origin,
      status: chatStatus(chat),
      modifiedAt: chat.modifiedAt,
      turns: chat.turns.length + (chat.active ? 1 : 0),
      items: itemsOf(chat.turns, countItems),
      edits: chatEdits(state, chat),
    })),
    changes: changedLines(state),
    ...(state.rules.length === 0 ? {} : { rules: state.rules }),
    ...(state.autonomy ? { autonomy: state.autonomy.level } : {}),
  };
}

const itemsOf = memoPerObject<Chat['turns'], number>();

function countItems(turns: Chat['turns']): number {
  return turns.reduce((sum, turn) => sum + 1 + factsOf(turn).items, 0);
}

/** The title of a session that a newer version has written, for lists and clients. */
export function newerTitle(title: string): string {
  const mark = ' (written by a newer version of Parley)';
  return title.endsWith(mark) ? title : `${title === '' ? 'Untitled' : title}${mark}`;
}

/** Whether a turn was running or waiting when the summary was written. */
export function isUnfinished({ status, damage, newer }: Summary): boolean {
  return damage === undefined && !newer && (status === 'running' || status === 'asking');
}

function chatStatus(chat: Chat): Status {
  if (Object.keys(chat.asks).length > 0) return 'asking';
  if (chat.active) return 'running';
  const last = chat.turns.at(-1)?.outcome.kind;
  return last === 'failed' || last === 'interrupted' ? 'failed' : 'idle';
}

const longestFailure = 200;

/** A long message is cut: the list is sent whole. Half of a surrogate pair is not a character. */
function failureIn(chats: readonly Chat[]): Pick<Summary, 'failure'> {
  const last = chats.find((chat) => chatStatus(chat) === 'failed')?.turns.at(-1);
  const message = last && brokeBy(last.outcome)?.message;
  if (message === undefined) return {};
  return { failure: message.slice(0, longestFailure).replace(/[\uD800-\uDBFF]$/, '') };
}

/** The most urgent status of its chats. */
function sessionStatus(chats: readonly Chat[]): Status {
  const all = chats.map(chatStatus);
  return (['asking', 'running', 'failed'] as const).find((status) => all.includes(status)) ?? 'idle';
}
