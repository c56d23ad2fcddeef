// A session as AHP shows it: its state, and its line in the list; pure functions of our state
// and our catalogue row.
import type { ChatId } from '../../../../model/event.ts';
import { modeChooser } from '../../../../model/howItRan.ts';
import type { Summary } from '../../../../host/session/summary.ts';
import type { Chat, OpenAsk, State } from '../../../../model/state.ts';
import { findTool } from '../../../../model/state.ts';
import { present } from '../../../../base/present.ts';
import type { Meta } from '../../../../protocols/ahp/v1_0/content.ts';
import type {
  SessionInputRequest,
  SessionState,
  SessionSummary,
} from '../../../../protocols/ahp/v1_0/state.ts';
import { statusBits } from '../../../../protocols/ahp/status.ts';
import { chatUri } from '../../channels/channels.ts';
import { fileUri, baseName } from '../../../../base/fileUri.ts';
import { sessionConfigOf } from '../../inbound/sessionConfig.ts';
import { toActiveClient } from '../../sessionClients.ts';
import { activityOf, iso, withMarks } from '../../outbound/chat.ts';
import { chatSummary } from './chatState.ts';
import { changesets } from './changesets.ts';
import { offeredAnswers } from '../../outbound/offeredAnswers.ts';
import { inputRequest } from '../../outbound/questions.ts';
import { pendingCall, toolCallIn } from '../../outbound/toolCall.ts';

export function sessionState(state: State): SessionState {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const [first] = state.order;
  const needed = inputNeeded(state);
  return {
    provider: state.firstAgent,
    title: state.title,
    status: statusOf(state, needed),
    lifecycle: 'ready',
    workingDirectories: workingDirectories(state),
    activeClients: state.clients.map(toActiveClient),
    chats: chats.map((chat) => chatSummary(state, chat)),
    config: sessionConfigOf(state),
    changesets: changesets(state),
    ...(first === undefined ? {} : { defaultChat: chatUri(first) }),
    ...present({ activity: sessionActivity(state), _meta: sessionMeta(state) }),
    ...(needed.length > 0 ? { inputNeeded: needed } : {}),
  };
}

/**
 * What AHP has no word for: who works here now where that is another agent, the model that was chosen for the
 * session, who chose the permission mode, and what the agents plan to do, by chat.
 */
export function sessionMeta({ agent, firstAgent, model, autonomy, order, chats }: State): Meta | undefined {
  const plans = order.flatMap((id) => {
    const plan = chats[id]?.plan ?? [];
    return plan.length > 0
      ? [[chatUri(id), plan.map(({ text, status, priority }) => ({ text, status, priority }))] as const]
      : [];
  });
  const meta = present({
    agent: agent === firstAgent ? undefined : agent,
    model,
    permissionsChosenBy: autonomy && modeChooser(autonomy),
    plans: plans.length > 0 ? Object.fromEntries(plans) : undefined,
  });
  return Object.keys(meta).length > 0 ? meta : undefined;
}

/** The session's activity is that of its first chat that works or stops; failures appear in their chats. */
export function sessionActivity({ order, chats }: State): string | undefined {
  for (const id of order) {
    const chat = chats[id];
    const activity = chat?.active ? activityOf(chat) : (chat?.stopping ?? undefined);
    if (activity !== undefined) return activity;
  }
  return undefined;
}

export function sessionSummary(summary: Summary, resource: string): SessionSummary {
  const [first] = summary.chats;
  const chats = first
    ? {
        defaultChat: chatUri(first.id),
        chats: summary.chats.map(({ id, title, status }) => ({
          resource: chatUri(id),
          title: title === '' && id === first.id ? summary.title : title,
          status: activities[status],
        })),
      }
    : {};
  return {
    resource,
    provider: summary.agent,
    title: summary.title,
    status: withMarks(activities[summary.status], summary),
    createdAt: iso(summary.createdAt),
    modifiedAt: iso(summary.modifiedAt),
    workingDirectories: summary.roots.map((path) => fileUri(path)),
    ...projectOf(summary.roots),
    changes: {
      additions: summary.changes.added,
      deletions: summary.changes.removed,
      files: summary.changes.files,
    },
    ...chats,
    // Always there: a change of the list cannot take a member away.
    _meta: present({
      failure: summary.failure,
      permissions: summary.autonomy === 'full' ? 'full' : undefined,
    }),
  };
}

/**
 * The first folder is the project of the session. Only the list can report a change of it, so only the list
 * contains it.
 */
function projectOf([root]: readonly string[]): Pick<SessionSummary, 'project'> {
  return root === undefined ? {} : { project: { uri: fileUri(root), displayName: baseName(root) } };
}

/**
 * What the chats of a session wait for: questions in the order in which they came up, then
 * what clients have to do.
 */
export function inputNeeded(state: State): readonly SessionInputRequest[] {
  const chats = state.order.flatMap((id) => state.chats[id] ?? []);
  const open = chats.flatMap((chat) => Object.values(chat.asks).map((ask) => ({ chat, ask })));
  const asked = open
    .toSorted((a, b) => a.ask.seq - b.ask.seq)
    .flatMap(({ chat, ask }) => askedBy(state, chat, ask) ?? []);
  return [...asked, ...chats.flatMap((chat) => executions(state, chat))];
}

function askedBy(state: State, chat: Chat, { ask: asked, turn }: OpenAsk): SessionInputRequest | undefined {
  const ask = offeredAnswers(state, asked);
  const place = { id: neededId(chat.id, ask.id), chat: chatUri(chat.id) };
  if (ask.kind !== 'approval') return { ...place, kind: 'chatInput', request: inputRequest(ask) };
  const tool = findTool(chat.active, ask.tool);
  if (!tool) return undefined;
  return {
    ...place,
    kind: 'toolConfirmation',
    turnId: turn,
    toolCall: pendingCall(tool, { session: state.id, chat: chat.id, turn, tool: tool.id }, ask),
  };
}

/** Calls that a client must run, and calls whose result a user must confirm. */
function executions(state: State, chat: Chat): readonly SessionInputRequest[] {
  const { active } = chat;
  if (!active) return [];
  return active.items.flatMap((item): readonly SessionInputRequest[] => {
    if (item.type !== 'tool' || item.source !== 'client' || item.status !== 'running') return [];
    const place = { id: neededId(chat.id, item.id), chat: chatUri(chat.id), turnId: active.id };
    const toolCall = toolCallIn(state, { chat, turn: active }, item);
    if (toolCall.status === 'pending-result-confirmation')
      return [{ ...place, kind: 'toolConfirmation', toolCall }];
    return item.server === undefined
      ? []
      : [{ ...place, kind: 'toolClientExecution', clientId: item.server, toolCall }];
  });
}

function neededId(chat: ChatId, ask: string): string {
  return `${chatUri(chat)}#${ask}`;
}

export function workingDirectories({ roots }: State): readonly string[] {
  return [...new Set(roots.map((path) => fileUri(path)))];
}

/**
 * The session's channel has no action for a turn that starts or ends: its reducers know only that
 * input is needed, and fall back to "in progress" once it is not. How busy a session is stands in its
 * chats and in the list.
 */
function statusOf(state: State, needed: readonly SessionInputRequest[]): number {
  if (needed.some(({ kind }) => kind !== 'toolClientExecution'))
    return withMarks(statusBits.inputNeeded, state);
  return withMarks(state.asked ? statusBits.inProgress : statusBits.idle, state);
}

const activities = {
  idle: statusBits.idle,
  running: statusBits.inProgress,
  asking: statusBits.inputNeeded,
  failed: statusBits.error,
} as const;
