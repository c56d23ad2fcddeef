// Actions that clients dispatch, as far as both versions treat them the same: why one is refused, and
// settings that clients share.
import { diff } from '../../../protocols/ahp/difference.ts';
import type { ReceivedAction as Read } from '../../../protocols/ahp/receive.ts';
import { RpcError } from '../../../rpc/rpcError.ts';
import { explainLoss } from '../errors.ts';
import { maxStoredLength } from './applyAction.ts';
import type { AhpConnection, DispatchedAction } from '../connection.ts';
import { json, jsonRecord } from '../outbound/wireJson.ts';
import { hostConfig, takeNote } from '../notes.ts';
import type { Action } from '../delivery/outgoing.ts';

/** Why an action cannot be taken on its channel. */
export function refusalReason(read: Read<Action>): string {
  switch (read.kind) {
    case 'unknown':
      return 'This host does not know that action.';
    case 'hostOnly':
      return `Only the host may dispatch ${read.type}.`;
    case 'malformed':
      return `Malformed action: ${read.problem}`;
    case 'accepted':
      return `${read.action.type} does not belong on this channel.`;
    default:
      return read satisfies never;
  }
}

/** Tells the sender of an action that it has no effect; an error nobody expects is reported, too. */
export function actionFailed(client: AhpConnection, given: DispatchedAction, error: unknown): void {
  const told = explainLoss(error);
  if (told instanceof RpcError) return client.reject(given, told.message);
  client.host.report(error, 'an action of an AHP client');
  client.reject(given, 'The host failed at this action; its log says why.');
}

export const onlyToBeSeen = 'This terminal belongs to a tool call and is read-only.';

interface ConfigChange {
  readonly config: Readonly<Record<string, unknown>>;
  readonly replace?: boolean;
}

/**
 * Settings that clients share through the root are stored and shown, and do not change what the host allows.
 * VS Code sends all of them at every start; unchanged settings are only echoed.
 */
export function changeRootConfig(
  client: AhpConnection,
  dispatched: DispatchedAction,
  { config, replace }: ConfigChange,
): string | undefined {
  const { own } = client.host;
  const old = hostConfig(own.head);
  const values = jsonRecord(json(replace ? config : { ...old, ...config }));
  if (JSON.stringify(values).length > maxStoredLength) return 'These settings are too large.';
  if (diff(old, values).length > 0 || !client.subscriptions.isLive)
    return own.dispatch(takeNote({ note: 'config', values }), client.origin(dispatched.clientSeq))?.message;
  if (client.followsRoot) client.echoAction(dispatched);
  return undefined;
}
