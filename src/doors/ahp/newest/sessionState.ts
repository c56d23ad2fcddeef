// A session as AHP shows it: its state, and its line in the list; pure functions of our state and our catalogue row.
import type { ChatId } from '../../../model/event.ts';
import type { Summary } from '../../../host/summary.ts';
import type { Chat, OpenAsk, State } from '../../../model/state.ts';
import { findTool } from '../../../model/state.ts';
import type { SessionConfigState } from '../../../protocols/ahp/newest/content.ts';
import type { SessionInputRequest, SessionState, SessionSummary } from '../../../protocols/ahp/newest/state.ts';
import { statusBits, withFlag } from '../../../protocols/ahp/status.ts';
import { chatUri } from '../channels.ts';
import { fileUri } from '../fileUri.ts';
import { jsonRecord } from '../json.ts';
import type { JsonRecord } from '../json.ts';
import { activeClients } from '../notes.ts';
import { chatSummary, iso } from './chatState.ts';
import { changesets } from './changesets.ts';
import { inputRequest } from './questions.ts';
import { pendingCall } from './toolCall.ts';

export function sessionState(state: State): SessionState {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const [first] = state.order;
  const needed = inputNeeded(state, chats);
  return {
    provider: state.agent, title: state.title, status: statusOf(state, needed), lifecycle: 'ready',
    workingDirectories: directories(state), activeClients: activeClients(state).flatMap(({ active }) => active ?? []),
    chats: chats.map((chat) => chatSummary(state, chat)), config: configOf(state), changesets: changesets(state),
    ...(first === undefined ? {} : { defaultChat: chatUri(first) }),
    ...(needed.length > 0 ? { inputNeeded: needed } : {}),
  };
}

/** What older peers know of a line in the list, and what came with 1.0. */
export type SummaryFields = 'basic' | 'withChats';

export function sessionSummary(summary: Summary, resource: string, fields: SummaryFields): SessionSummary {
  const [first] = summary.chats;
  const chats = fields === 'withChats' && first
    ? {
        defaultChat: chatUri(first.id),
        chats: summary.chats.map(({ id, title, status }) => ({ resource: chatUri(id), title: title === '' && id === first.id ? summary.title : title, status: activities[status] })),
      }
    : {};
  return {
    resource, provider: summary.agent, title: summary.title, status: withMarks(activities[summary.status], summary),
    createdAt: iso(summary.createdAt), modifiedAt: iso(summary.modifiedAt), workingDirectories: summary.roots.map(fileUri), ...chats,
  };
}

/** An open question as the session's own channel shows it. */
export function inputNeededBy(state: State, chat: Chat, open: OpenAsk): SessionInputRequest | undefined {
  const { ask, turn } = open;
  const place = { id: neededId(chat.id, ask.id), chat: chatUri(chat.id) };
  if (ask.kind !== 'approval') return { ...place, kind: 'chatInput', request: inputRequest(ask) };
  const tool = findTool(chat.active, ask.tool);
  if (!tool) return undefined;
  return { ...place, kind: 'toolConfirmation', turnId: turn, toolCall: pendingCall(tool, { session: state.id, chat: chat.id, turn, tool: tool.id }, ask) };
}

export function neededId(chat: ChatId, ask: string): string {
  return `${chatUri(chat)}#${ask}`;
}

export function directories({ roots }: State): readonly string[] {
  return [...new Set(roots.map(fileUri))];
}

/** The choices that AHP clients made for a session. They are told to clients and mean nothing to the host. */
export function configOf({ options }: State): SessionConfigState & { readonly values: JsonRecord } {
  return { schema: { type: 'object', properties: {} }, values: jsonRecord(options['ahp']) };
}

function inputNeeded(state: State, chats: readonly Chat[]): readonly SessionInputRequest[] {
  const open = chats.flatMap((chat) => Object.values(chat.asks).map((ask) => ({ chat, ask })));
  return open.toSorted((a, b) => a.ask.seq - b.ask.seq).flatMap(({ chat, ask }) => inputNeededBy(state, chat, ask) ?? []);
}

/**
 * The session's channel has no action for a turn that starts or ends: its reducers know only that input is needed, and fall back to
 * "in progress" once it is not. How busy a session is stands in its chats and in the list.
 */
function statusOf(state: State, needed: readonly SessionInputRequest[]): number {
  if (needed.length > 0) return withMarks(statusBits.inputNeeded, state);
  return withMarks(state.asked ? statusBits.inProgress : statusBits.idle, state);
}

const activities = { idle: statusBits.idle, running: statusBits.inProgress, asking: statusBits.inputNeeded, failed: statusBits.error } as const;

function withMarks(activity: number, { read, archived }: { readonly read: boolean; readonly archived: boolean }): number {
  return withFlag(withFlag(activity, statusBits.isRead, read), statusBits.isArchived, archived);
}
