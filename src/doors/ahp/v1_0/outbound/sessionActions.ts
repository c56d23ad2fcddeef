// The actions that an entry causes on the session's channel: chats, pending input, flags and settings.
import type { Step } from '../../../../host/session/session.ts';
import type { ChatId, EventOf } from '../../../../model/event.ts';
import type { Chat } from '../../../../model/state.ts';
import { diff } from '../../../../protocols/ahp/difference.ts';
import { present } from '../../../../base/present.ts';
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { ChatSummary } from '../../../../protocols/ahp/v1_0/state.ts';
import { chatUri } from '../../channels/channels.ts';
import { chatOf } from '../../outbound/chat.ts';
import { chatSummary } from './chatState.ts';
import { sessionConfigOf } from '../../inbound/sessionConfig.ts';
import { workingDirectories, inputNeeded, sessionActivity, sessionMeta } from './sessionState.ts';

/** What follows on the session's channel from something that happened in one of its chats. */
export function followUps(step: Step, id: ChatId): readonly StateAction[] {
  const { before, after } = step;
  const [old, chat] = [chatOf(before, id), chatOf(after, id)];
  if (!old || !chat) return [];
  const unread: readonly StateAction[] =
    before.read === after.read ? [] : [{ type: 'session/isReadChanged', isRead: after.read }];
  return [...needChanges(step), ...chatChange(step, old, chat), ...activityChange(step), ...unread];
}

/** The first action is the one that a client may have asked for. */
export function sessionChanged({ changes }: EventOf<'session.changed'>, step: Step): readonly StateAction[] {
  const { before, after } = step;
  const actions: StateAction[] = [];
  if (changes.title !== undefined) actions.push({ type: 'session/titleChanged', title: after.title });
  if (changes.read !== undefined) actions.push({ type: 'session/isReadChanged', isRead: after.read });
  if (changes.archived !== undefined)
    actions.push({ type: 'session/isArchivedChanged', isArchived: after.archived });
  if (
    changes.options !== undefined ||
    diff(sessionConfigOf(before).values, sessionConfigOf(after).values).length > 0
  )
    actions.push({ type: 'session/configChanged', config: sessionConfigOf(after).values, replace: true });
  if (changes.roots !== undefined)
    actions.push(...directoryChanges(workingDirectories(before), workingDirectories(after)));
  actions.push(...metaChange(step));
  const [first] = after.order;
  const [old, chat] = first === undefined ? [] : [chatOf(before, first), chatOf(after, first)];
  return old && chat ? [...actions, ...chatChange(step, old, chat)] : actions;
}

export function chatCreated(id: ChatId, { after }: Step): readonly StateAction[] {
  const chat = chatOf(after, id);
  if (!chat) return [];
  const added: StateAction = { type: 'session/chatAdded', summary: chatSummary(after, chat) };
  return after.order[0] === id
    ? [added, { type: 'session/defaultChatChanged', defaultChat: chatUri(id) }]
    : [added];
}

/** Removals first. Lists can only be appended to, so a moved element is removed and added again. */
function needChanges({ before, after }: Step): readonly StateAction[] {
  const [was, is] = [inputNeeded(before), inputNeeded(after)];
  const left = was.filter(({ id }) => is.some((request) => request.id === id));
  const differs = left.findIndex(({ id }, at) => is[at]?.id !== id);
  const kept = differs < 0 ? left : left.slice(0, differs);
  const removed = was.filter((request) => !kept.includes(request));
  return [
    ...removed.map(({ id }): StateAction => ({ type: 'session/inputNeededRemoved', id })),
    ...is
      .filter((request, at) => diff(kept[at] ?? null, request).length > 0)
      .map((request): StateAction => ({ type: 'session/inputNeededSet', request })),
  ];
}

export function metaChange({ before, after }: Step): readonly StateAction[] {
  const [was, is] = [sessionMeta(before), sessionMeta(after)];
  return diff(was ?? null, is ?? null).length > 0
    ? [present({ type: 'session/metaChanged' as const, _meta: is })]
    : [];
}

export function activityChange({ before, after }: Step): readonly StateAction[] {
  const activity = sessionActivity(after);
  return sessionActivity(before) === activity
    ? []
    : [present({ type: 'session/activityChanged' as const, activity })];
}

function chatChange({ before, after }: Step, old: Chat, chat: Chat): readonly StateAction[] {
  const [was, is] = [chatSummary(before, old), chatSummary(after, chat)];
  const changes = {
    ...(was.title === is.title ? {} : { title: is.title }),
    ...(was.status === is.status ? {} : { status: is.status }),
    ...(was.modifiedAt === is.modifiedAt ? {} : { modifiedAt: is.modifiedAt }),
  } satisfies Partial<ChatSummary>;
  return Object.keys(changes).length > 0 ? [{ type: 'session/chatUpdated', chat: is.resource, changes }] : [];
}

/** Directories can only be taken away and appended, so everything behind the first difference is replaced. */
function directoryChanges(old: readonly string[], now: readonly string[]): readonly StateAction[] {
  const differs = old.findIndex((directory, i) => directory !== now[i]);
  const kept = differs < 0 ? old.length : differs;
  return [
    ...old
      .slice(kept)
      .map((directory): StateAction => ({ type: 'session/workingDirectoryRemoved', directory })),
    ...now.slice(kept).map((directory): StateAction => ({ type: 'session/workingDirectorySet', directory })),
  ];
}
