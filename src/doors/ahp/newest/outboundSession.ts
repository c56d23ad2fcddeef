// What an entry changes on the session's own channel: its chats, what it waits for, its marks and settings.
import type { Step } from '../../../host/session.ts';
import type { ChatId, EventOf } from '../../../model/event.ts';
import type { Chat, OpenAsk } from '../../../model/state.ts';
import type { StateAction } from '../../../protocols/ahp/newest/actions.ts';
import type { ChatSummary } from '../../../protocols/ahp/newest/state.ts';
import { chatUri } from '../channels.ts';
import { chatOf, chatSummary } from './chatState.ts';
import { configOf, directories, inputNeededBy, neededId } from './sessionState.ts';

/** What follows on the session's channel from something that happened in one of its chats. */
export function followUps(step: Step, id: ChatId): readonly StateAction[] {
  const { before, after } = step;
  const [old, chat] = [chatOf(before, id), chatOf(after, id)];
  if (!old || !chat) return [];
  const unread: readonly StateAction[] = before.read === after.read ? [] : [{ type: 'session/isReadChanged', isRead: after.read }];
  return [...askChanges(step, old, chat), ...chatChange(step, old, chat), ...unread];
}

/** The first action is the one that a client may have asked for. */
export function sessionChanged({ changes }: EventOf<'session.changed'>, step: Step): readonly StateAction[] {
  const { before, after } = step;
  const actions: StateAction[] = [];
  if (changes.title !== undefined) actions.push({ type: 'session/titleChanged', title: after.title });
  if (changes.read !== undefined) actions.push({ type: 'session/isReadChanged', isRead: after.read });
  if (changes.archived !== undefined) actions.push({ type: 'session/isArchivedChanged', isArchived: after.archived });
  if (changes.options !== undefined) actions.push({ type: 'session/configChanged', config: configOf(after).values, replace: true });
  if (changes.roots !== undefined) actions.push(...directoryChanges(directories(before), directories(after)));
  const [first] = after.order;
  const [old, chat] = first === undefined ? [] : [chatOf(before, first), chatOf(after, first)];
  return old && chat ? [...actions, ...chatChange(step, old, chat)] : actions;
}

export function chatCreated(id: ChatId, { after }: Step): readonly StateAction[] {
  const chat = chatOf(after, id);
  if (!chat) return [];
  const added: StateAction = { type: 'session/chatAdded', summary: chatSummary(after, chat) };
  return after.order[0] === id ? [added, { type: 'session/defaultChatChanged', defaultChat: chatUri(id) }] : [added];
}

function askChanges({ before, after, entry }: Step, old: Chat, chat: Chat): readonly StateAction[] {
  const ready = entry.event.kind === 'tool.ready' ? entry.event.tool : undefined;
  if (old.asks === chat.asks && ready === undefined) return [];
  const gone = bySeq(old).filter(({ ask }) => !Object.hasOwn(chat.asks, ask.id));
  const fresh = bySeq(chat).filter((open) => !Object.hasOwn(old.asks, open.ask.id) || (open.ask.kind === 'approval' && open.ask.tool === ready));
  return [
    ...gone.flatMap(({ ask, turn }): readonly StateAction[] =>
      inputNeededBy(before, old, { ask, turn, at: 0, seq: 0 }) ? [{ type: 'session/inputNeededRemoved', id: neededId(old.id, ask.id) }] : []),
    ...fresh.flatMap((open): readonly StateAction[] => {
      const request = inputNeededBy(after, chat, open);
      return request ? [{ type: 'session/inputNeededSet', request }] : [];
    }),
  ];
}

function bySeq({ asks }: Chat): readonly OpenAsk[] {
  return Object.values(asks).toSorted((a, b) => a.seq - b.seq);
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
    ...old.slice(kept).map((directory): StateAction => ({ type: 'session/workingDirectoryRemoved', directory })),
    ...now.slice(kept).map((directory): StateAction => ({ type: 'session/workingDirectorySet', directory })),
  ];
}
