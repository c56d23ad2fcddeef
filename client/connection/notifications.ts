// Checks the host's notifications as far as the console relies on them, and passes them to their receivers.
import type { Signal } from '@preact/signals';
import type { HostNotifications } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { ActionEnvelope } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Catalogue } from './catalogue.ts';
import { isRecord } from '../../src/base/isRecord.ts';
import type { JsonObject } from './incoming.ts';

export type AuthRequired = HostNotifications['auth/required'];

interface NotificationTargets {
  readonly receive: (envelope: ActionEnvelope) => void;
  readonly catalogue: Catalogue;
  readonly authRequired: Signal<ReadonlyMap<string, AuthRequired>>;
}

/** Ignores unknown notifications, which come from newer hosts, and malformed ones. */
export function notificationHandler({
  receive,
  catalogue,
  authRequired,
}: NotificationTargets): (method: string, params: JsonObject) => void {
  return (method, params) => {
    if (isNotification('action', method, params)) receive(params);
    else if (isNotification('root/sessionAdded', method, params)) catalogue.added(params);
    else if (isNotification('root/sessionRemoved', method, params)) catalogue.removed(params);
    else if (isNotification('root/sessionSummaryChanged', method, params)) catalogue.changed(params);
    else if (isNotification('auth/required', method, params)) {
      authRequired.value = new Map(authRequired.value).set(params.resource.resource, params);
    }
  };
}

type HandledMethod =
  | 'action'
  | 'root/sessionAdded'
  | 'root/sessionRemoved'
  | 'root/sessionSummaryChanged'
  | 'auth/required';

const wellFormed: Readonly<Record<HandledMethod, (params: JsonObject) => boolean>> = {
  action: ({ channel, action, serverSeq }) =>
    typeof channel === 'string' &&
    typeof serverSeq === 'number' &&
    isRecord(action) &&
    typeof action['type'] === 'string',
  'root/sessionAdded': ({ summary }) =>
    isRecord(summary) && typeof summary['resource'] === 'string' && typeof summary['status'] === 'number',
  'root/sessionRemoved': ({ session }) => typeof session === 'string',
  'root/sessionSummaryChanged': ({ session, changes }) => typeof session === 'string' && isRecord(changes),
  'auth/required': ({ resource }) => isRecord(resource) && typeof resource['resource'] === 'string',
};

function isNotification<Method extends HandledMethod>(
  wanted: Method,
  method: string,
  params: JsonObject,
): params is JsonObject & HostNotifications[Method] {
  return method === wanted && wellFormed[wanted](params);
}
