// What a client of version 1 dispatches: which resource it means, in which order it is
// done, and what refuses it.
import { isRecord } from '../../../../base/isRecord.ts';
import type { EditedCall } from '../../../../host/session/editChecks.ts';
import type { Session } from '../../../../host/session/session.ts';
import type { ActionOf } from '../../../../protocols/ahp/integer1/actions.ts';
import { messageChecks } from '../../../../protocols/ahp/integer1/schema.ts';
import { rootResource } from '../../../../protocols/ahp/integer1/state.ts';
import type { DispatchedAction } from '../../connection.ts';
import { readToolTerminal } from '../../outbound/content.ts';
import {
  actionFailed,
  changeRootConfig,
  refusalReason,
  onlyToBeSeen,
} from '../../inbound/dispatchedActions.ts';
import { openForAction } from '../../channels/locate.ts';
import type { ChatId } from '../../../../model/event.ts';
import type { Integer1Connection } from '../connection.ts';
import { checkEdit, hasEdit } from '../../inbound/approvals.ts';
import { applyAction } from './actions.ts';
import { locate } from './locate.ts';
import { ownerOf } from './terminals.ts';

/** The action names its resource; actions on an unknown resource are ignored. */
export function dispatched(client: Integer1Connection, params: unknown): void {
  const parsed = messageChecks.parseNotification('dispatchAction', params);
  if (!parsed.ok) return refuseUntyped(client, params);
  const given = parsed.value;
  const { host } = client;
  const uri = resourceOf(given.action);
  if (uri !== undefined && given.action.type.startsWith('terminal/'))
    return dispatchedLive(client, uri, given);
  const located = uri === undefined ? undefined : locate(host, uri);
  if (uri === undefined || located === undefined) return;
  const opened = located === 'root' ? host.own : host.opened(located.id);
  let edit: EditedCall | undefined;
  const check = async (session: Session) => {
    const chat = located === 'root' ? undefined : located.chatIn(session.head);
    if (chat !== undefined) edit = await checkEdit(session, chat, given.action);
  };
  client.dispatchQueue.run(opened, {
    open: async () => (located === 'root' ? host.own : await openForAction(host, located)),
    before: hasEdit(given.action, opened) ? check : undefined,
    run: (session) => {
      const chat = located === 'root' ? undefined : located.chatIn(session.head);
      if (located !== 'root' && chat === undefined) return;
      client.names.remember(uri);
      const reason = perform(client, { session, chat: chat ?? session.id, edit }, given);
      client.settle(given, reason, session);
    },
    failed: (error) => actionFailed(client, given, error),
  });
}

/**
 * An action without a type names no resource. It goes back to its sender, who otherwise keeps its own copy
 * for ever.
 */
function refuseUntyped(client: Integer1Connection, params: unknown): void {
  if (!isRecord(params) || !('action' in params)) return;
  const parsed = messageChecks.parseNotification('dispatchAction', { ...params, action: { type: '' } });
  if (!parsed.ok) return;
  client.reject({ ...parsed.value, action: params['action'] }, 'action: must be an object with a type');
}

function resourceOf(action: {
  readonly type: string;
  readonly session?: unknown;
  readonly terminal?: unknown;
}): string | undefined {
  if (action.type.startsWith('root/')) return rootResource;
  const named = action.type.startsWith('terminal/') ? action.terminal : action.session;
  return typeof named === 'string' ? named : undefined;
}

function dispatchedLive(client: Integer1Connection, uri: string, given: DispatchedAction): void {
  const { own } = client.host;
  if (readToolTerminal(uri)) return client.reject(given, onlyToBeSeen, own);
  if (!client.liveResources.knows(uri)) return;
  const read = messageChecks.parseClientAction(given.action);
  if (read.kind !== 'accepted') return client.reject(given, refusalReason(read), own);
  const wanted = read.action;
  const next = wanted.type === 'terminal/claimed' ? ownerOf(client, wanted.claim) : undefined;
  client.liveResources.dispatch(uri, { clientSeq: given.clientSeq, action: { ...wanted }, next });
}

function perform(
  client: Integer1Connection,
  {
    session,
    chat,
    edit,
  }: { readonly session: Session; readonly chat: ChatId; readonly edit: EditedCall | undefined },
  given: DispatchedAction,
): string | undefined {
  const read = messageChecks.parseClientAction(given.action);
  if (read.kind !== 'accepted') return refusalReason(read);
  const { action } = read;
  if (action.type === 'root/configChanged') return changeRootConfig(client, given, action);
  if (action.type === 'session/customizationToggled') return toggle(client, session, { ...given, action });
  return applyAction(
    {
      host: client.host,
      clients: client.clients,
      session,
      channel: 'chat',
      chat,
      client: client.opening.client.id,
      role: client.role,
      edit,
      by: client.origin(given.clientSeq),
    },
    action,
  );
}

function toggle(
  client: Integer1Connection,
  session: Session,
  given: DispatchedAction & { readonly action: ActionOf<'session/customizationToggled'> },
): string | undefined {
  const { session: uri, uri: thing, enabled } = given.action;
  const id = client.customizations.idAt(uri, thing);
  if (id === undefined) return 'There is no such customization in this session.';
  const reason = client.customizations.toggle(uri, session, {
    id,
    wish: enabled ? 'on' : 'off',
    by: client.origin(),
  });
  if (reason === undefined) client.echoAction(given);
  return reason;
}
