// What a client of AHP 1.0 dispatches: which channel it means, in which order it is
// done, and what refuses it.
import type { EditedCall } from '../../../../host/session/editChecks.ts';
import type { Session } from '../../../../host/session/session.ts';
import type { SessionId } from '../../../../model/event.ts';
import type { ActionOf, ClientAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import { isRecord } from '../../../../base/isRecord.ts';
import { messageChecks } from '../../../../protocols/ahp/v1_0/schema.ts';
import type { DispatchedAction } from '../../connection.ts';
import { readToolTerminal } from '../../outbound/content.ts';
import {
  actionFailed,
  changeRootConfig,
  refusalReason,
  onlyToBeSeen,
} from '../../inbound/dispatchedActions.ts';
import { checkEdit, hasEdit } from '../../inbound/approvals.ts';
import { applyAction } from '../../inbound/actions.ts';
import type { DispatchTask } from '../../inbound/dispatchQueue.ts';
import { locate, openForAction, targetIn } from '../../channels/locate.ts';
import { rootTarget } from '../../channels/target.ts';
import type { Target } from '../../channels/target.ts';
import { reviewFiles } from './changesetOperations.ts';
import { readChangeset } from '../outbound/changesets.ts';
import type { V1_0Connection } from '../connection.ts';
import { ownerOf } from './terminals.ts';

type Dispatched = DispatchedAction & { readonly channel: string };

/** Ignores actions on unknown channels; keeps the order while a session opens. */
export function dispatched(client: V1_0Connection, params: unknown): void {
  const parsed = messageChecks.parseNotification('dispatchAction', params);
  if (!parsed.ok) return refuseUntyped(client, params);
  const given: Dispatched = parsed.value;
  const { channel } = given;
  if (client.liveResources.knows(channel)) return dispatchedLive(client, given);
  if (readToolTerminal(channel)) return client.reject(given, onlyToBeSeen);
  const changeset = readChangeset(channel);
  if (changeset) return reviewed(client, changeset.session, given);
  const located = locate(client, channel);
  if (located === undefined) return;
  const find = (session: Session) => (located === 'root' ? rootTarget : targetIn(session.head, located));
  const opened = located === 'root' ? undefined : client.host.opened(located.id);
  let edit: EditedCall | undefined;
  const check = async (session: Session) => {
    const target = find(session);
    if (target?.kind === 'chat') edit = await checkEdit(session, target.chat, given.action);
  };
  inLine(client, located === 'root' ? undefined : located.id, {
    given,
    before: hasEdit(given.action, opened) ? check : undefined,
    run: (session) => {
      const target = find(session);
      if (target === undefined) return;
      client.names.remember(channel);
      const reason = perform(client, { session, target, edit }, given);
      client.settle(given, reason, session);
    },
  });
}

/** An action without a type goes back to its sender too, which otherwise keeps its own copy for ever. */
function refuseUntyped(client: V1_0Connection, params: unknown): void {
  if (!isRecord(params) || !('action' in params)) return;
  const parsed = messageChecks.parseNotification('dispatchAction', { ...params, action: { type: '' } });
  if (!parsed.ok || locate(client, parsed.value.channel) === undefined) return;
  client.reject({ ...parsed.value, action: params['action'] }, 'action: must be an object with a type');
}

/** Without an id it is the host's own log. */
function inLine(
  client: V1_0Connection,
  id: SessionId | undefined,
  { given, ...todo }: Pick<DispatchTask, 'run' | 'before'> & { readonly given: Dispatched },
): void {
  const { host, dispatchQueue } = client;
  dispatchQueue.run(id === undefined ? host.own : host.opened(id), {
    open: async () => (id === undefined ? host.own : await openForAction(host, { id })),
    ...todo,
    failed: (error) => actionFailed(client, given, error),
  });
}

/** The only thing a client does with changes is to say which it has looked at. */
function reviewed(client: V1_0Connection, id: SessionId, given: Dispatched): void {
  if (!client.host.opened(id) && !client.host.summary(id)) return;
  const run = (session: Session) => {
    const read = messageChecks.parseClientAction(given.action);
    const fits =
      read.kind === 'accepted' && read.action.type === 'changeset/filesReviewChanged'
        ? read.action
        : undefined;
    const reason = fits ? reviewFiles(client, session, { ...given, action: fits }) : refusalReason(read);
    client.settle(given, reason, session);
  };
  inLine(client, id, { given, run });
}

function dispatchedLive(client: V1_0Connection, given: Dispatched): void {
  const read = messageChecks.parseClientAction(given.action);
  if (read.kind !== 'accepted') return client.reject(given, refusalReason(read));
  const wanted = read.action;
  const next = wanted.type === 'terminal/claimed' ? ownerOf(client, wanted.claim) : undefined;
  client.liveResources.dispatch(given.channel, { clientSeq: given.clientSeq, action: { ...wanted }, next });
}

interface Performed {
  readonly session: Session;
  readonly target: Target;
  readonly edit: EditedCall | undefined;
}

function perform(
  client: V1_0Connection,
  { session, target, edit }: Performed,
  given: Dispatched,
): string | undefined {
  const read = messageChecks.parseClientAction(given.action);
  if (read.kind !== 'accepted') return refusalReason(read);
  const { action } = read;
  if (target.kind === 'root')
    return action.type === 'root/configChanged'
      ? changeRootConfig(client, given, action)
      : refusalReason(read);
  if (action.type === 'session/customizationToggled') return toggle(client, session, { ...given, action });
  if (isServerWish(action)) return runServer(client, { ...given, action });
  return applyAction(
    {
      host: client.host,
      clients: client.clients,
      session,
      channel: target.kind === 'chat' ? 'chat' : 'session',
      chat: target.kind === 'chat' ? target.chat : session.id,
      client: client.opening.client.id,
      role: client.role,
      edit,
      by: client.origin(given.clientSeq),
    },
    action,
  );
}

function toggle(
  client: V1_0Connection,
  session: Session,
  given: Dispatched & { readonly action: ActionOf<'session/customizationToggled'> },
): string | undefined {
  const {
    id,
    enablement: [first],
  } = given.action;
  if (first && first.kind !== 'session')
    return 'Only the entry of this session can be changed here; change the settings for other scopes.';
  const reason = client.customizations.toggle(given.channel, session, {
    id,
    wish: first?.enabled === false ? 'off' : 'on',
    by: client.origin(),
  });
  if (reason === undefined) client.echoAction(given);
  return reason;
}

/** Tool-server requests are not logged: the sender gets its action back; all clients see the new state. */
type ServerWish = ActionOf<
  | 'session/mcpServerStartRequested'
  | 'session/mcpServerStopRequested'
  | 'session/mcpServerBackgroundRequested'
>;

function isServerWish(action: ClientAction): action is ServerWish {
  return (
    action.type === 'session/mcpServerStartRequested' ||
    action.type === 'session/mcpServerStopRequested' ||
    action.type === 'session/mcpServerBackgroundRequested'
  );
}

function runServer(
  client: V1_0Connection,
  given: Dispatched & { readonly action: ServerWish },
): string | undefined {
  const {
    channel,
    action: { id, type },
  } = given;
  if (!client.customizations.hasServer(channel, id)) return 'There is no such server in this session.';
  client.echoAction(given);
  if (type !== 'session/mcpServerBackgroundRequested')
    client.customizations.run(channel, id, type === 'session/mcpServerStartRequested' ? 'start' : 'stop');
  return undefined;
}
