// Translates the actions that clients dispatch on a session's channels into commands. Every refusal is a
// sentence that goes back to the sender alone.
import type { Command } from '../../../model/command.ts';
import { present } from '../../../base/present.ts';
import type { ActionOf, ClientAction, ClientActionType } from '../../../protocols/ahp/v1_0/actions.ts';
import { takeNote } from '../notes.ts';
import { fromActiveClient } from '../sessionClients.ts';
import { filePath } from '../../../base/fileUri.ts';
import { dispatch, currentChat, dispatchBounded, maxStoredLength, maxToolListLength } from './applyAction.ts';
import type { ActionContext, Handle } from './applyAction.ts';
import { completeInput, changeAnswer } from './answers.ts';
import { changeToolContent, completeTool, confirmResult } from './clientTools.ts';
import { confirmTool } from './approvals.ts';
import { cancelTurn, changeDraft, removePending, setPending, startTurn } from './prompts.ts';
import { configuredAgent, clearedConfig, configChanges } from './sessionConfig.ts';

/** Applies an action; returns the reason if it cannot. */
export function applyAction(on: ActionContext, action: ClientAction): string | undefined {
  // The type chooses the handle, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const handle = handles[action.type] as Handle<ClientActionType> | undefined;
  if (!handle) return `This host does not support ${action.type}.`;
  if (
    !action.type.startsWith(on.channel === 'session' ? 'session/' : 'chat/') &&
    action.type !== 'session/titleChanged'
  )
    return `${action.type} does not belong on this channel.`;
  return handle(on, action);
}

const handles: { readonly [Type in ClientActionType]?: Handle<Type> } = {
  'session/titleChanged': changeTitle,
  'session/isReadChanged': (on, { isRead }) =>
    dispatch(on, { kind: 'changeSession', changes: { read: isRead } }),
  'session/isArchivedChanged': (on, { isArchived }) =>
    dispatch(on, { kind: 'changeSession', changes: { archived: isArchived } }),
  'session/configChanged': changeConfig,
  'session/activeClientSet': setActiveClient,
  'session/activeClientRemoved': removeActiveClient,
  'session/workingDirectorySet': (on, { directory }) =>
    changeRoots(on, directory, (roots, path) => [...roots.filter((root) => root !== path), path]),
  'session/workingDirectoryRemoved': (on, { directory }) =>
    changeRoots(on, directory, (roots, path) => roots.filter((root) => root !== path)),
  'session/workingDirectoryReplaced': (on, { directory, replacement }) => {
    const next = filePath(replacement);
    if (next === undefined) return 'Only folders of this machine can be working directories.';
    return changeRoots(on, directory, (roots, path) => [
      ...new Set(roots.map((root) => (root === path ? next : root))),
    ]);
  },
  'chat/workingDirectorySet': () => folders,
  'chat/workingDirectoryRemoved': () => folders,
  'chat/turnStarted': startTurn,
  'chat/turnCancelled': cancelTurn,
  'chat/turnResume': (on, { turnId }) => dispatch(on, { kind: 'resumeTurn', chat: on.chat, turn: turnId }),
  'chat/isReadChanged': (on, { isRead }) => dispatch(on, { kind: 'changeChat', chat: on.chat, read: isRead }),
  'chat/isArchivedChanged': (on, { isArchived }) =>
    dispatch(on, { kind: 'changeChat', chat: on.chat, archived: isArchived }),
  'chat/truncated': truncate,
  'chat/toolCallComplete': completeTool,
  'chat/toolCallResultConfirmed': confirmResult,
  'chat/toolCallContentChanged': changeToolContent,
  'chat/toolCallConfirmed': confirmTool,
  'chat/pendingMessageSet': setPending,
  'chat/pendingMessageRemoved': removePending,
  'chat/queuedMessagesReordered': (on, { order }) =>
    dispatch(on, { kind: 'reorderQueue', chat: on.chat, order }),
  'chat/draftChanged': changeDraft,
  'chat/inputAnswerChanged': changeAnswer,
  'chat/inputCompleted': completeInput,
};

const folders = 'A chat uses the working directories of its session.';

/**
 * VS Code names a session on the channel of its chat; the event has no action there, so the action is echoed
 * separately.
 */
function changeTitle(on: ActionContext, action: ActionOf<'session/titleChanged'>): string | undefined {
  const change: Command = { kind: 'changeSession', changes: { title: action.title } };
  if (on.channel === 'session') return dispatch(on, change);
  return (
    dispatch(unmarked(on), change) ??
    dispatchBounded(on, takeNote({ note: 'titled', chat: on.chat, title: action.title }))
  );
}

/** A session keeps at least one folder; a change without effect is refused. */
function changeRoots(
  on: ActionContext,
  directory: string,
  change: (roots: readonly string[], path: string) => readonly string[],
): string | undefined {
  const path = filePath(directory);
  if (path === undefined) return 'Only folders of this machine can be working directories.';
  const { roots } = on.session.head;
  const wanted = roots.includes(path) && change(roots, path).includes(path) ? roots : change(roots, path);
  if (wanted.length === 0) return 'A session keeps at least one working directory.';
  if (wanted.length === roots.length && wanted.every((root, i) => root === roots[i]))
    return 'The session already has these working directories.';
  return dispatch(on, { kind: 'changeSession', changes: { roots: wanted } });
}

/**
 * Options that the agent knows are applied; the others that the session was created with are stored and
 * shown. The host derives no rule from them.
 */
function changeConfig(
  on: ActionContext,
  { config, replace }: ActionOf<'session/configChanged'>,
): string | undefined {
  const { head } = on.session;
  const agent = configuredAgent(on.host, head.agent, head.roots);
  const changes = configChanges(agent, {
    config,
    old: replace ? clearedConfig(agent, head) : head,
    misfits: 'refused',
  });
  if (typeof changes === 'string') return changes;
  if (JSON.stringify([changes.options, changes.clientOptions]).length > maxStoredLength)
    return 'These settings are too large.';
  return dispatch(on, { kind: 'changeSession', changes });
}

/** A client that comes sees to it that those are gone which a host long ago may have left here. */
function setActiveClient(
  on: ActionContext,
  { activeClient }: ActionOf<'session/activeClientSet'>,
): string | undefined {
  if (activeClient.clientId !== on.client) return 'A client can only declare itself active.';
  for (const { id } of on.session.head.clients)
    if (id !== on.client && !on.clients.counts(id)) on.clients.drop(id, on.session);
  const client = fromActiveClient(activeClient);
  const joined: Command = { kind: 'record', fact: { kind: 'client.joined', client } };
  const refused = dispatchBounded(on, joined, maxToolListLength);
  if (refused === undefined) on.clients.setActive(on.client, on.session, client.tools);
  return refused;
}

function removeActiveClient(
  on: ActionContext,
  { clientId }: ActionOf<'session/activeClientRemoved'>,
): string | undefined {
  if (clientId !== on.client) return 'A client can only declare itself inactive.';
  on.clients.setActive(clientId, on.session, undefined);
  return dispatch(on, { kind: 'record', fact: { kind: 'client.left', client: clientId } });
}

/** With a turn running two entries follow, and the first would look like a cancelled turn to the sender. */
function truncate(on: ActionContext, action: ActionOf<'chat/truncated'>): string | undefined {
  const command: Command = {
    kind: 'truncateChat',
    chat: on.chat,
    ...(action.turnId === undefined ? {} : { after: action.turnId }),
  };
  if (!currentChat(on)?.active) return dispatch(on, command);
  return (
    dispatch(unmarked(on), command) ??
    dispatchBounded(
      on,
      takeNote(present({ note: 'truncated' as const, chat: on.chat, after: action.turnId })),
    )
  );
}

/** Drops the client's sequence number, so that the change is news for everyone, the sender included. */
function unmarked(on: ActionContext): ActionContext {
  const { mark: _, ...by } = on.by;
  return { ...on, by };
}
