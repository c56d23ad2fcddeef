// What the host says unasked, checked as far as the console relies on it and handed to who keeps it.
import type { Signal } from '@preact/signals';
import type { HostNotifications } from '../../src/protocols/ahp/v1_0/commands.ts';
import type { ActionEnvelope } from '../../src/protocols/ahp/v1_0/state.ts';
import type { Catalogue } from './catalogue.ts';
import { isRecord } from '../../src/base/isRecord.ts';
import type { Fields } from './incoming.ts';

export type AuthRequired = HostNotifications['auth/required'];

interface Keepers {
  readonly receive: (envelope: ActionEnvelope) => void;
  readonly catalogue: Catalogue;
  readonly authRequired: Signal<ReadonlyMap<string, AuthRequired>>;
}

/** Unknown notifications are from the future, and broken ones help nobody: both are passed over. */
export function hearing({
  receive,
  catalogue,
  authRequired,
}: Keepers): (method: string, params: Fields) => void {
  return (method, params) => {
    if (isHeard('action', method, params)) receive(params);
    else if (isHeard('root/sessionAdded', method, params)) catalogue.added(params);
    else if (isHeard('root/sessionRemoved', method, params)) catalogue.removed(params);
    else if (isHeard('root/sessionSummaryChanged', method, params)) catalogue.changed(params);
    else if (isHeard('auth/required', method, params)) {
      authRequired.value = new Map(authRequired.value).set(params.resource.resource, params);
    }
  };
}

type Heard =
  | 'action'
  | 'root/sessionAdded'
  | 'root/sessionRemoved'
  | 'root/sessionSummaryChanged'
  | 'auth/required';

const wellFormed: Readonly<Record<Heard, (params: Fields) => boolean>> = {
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

function isHeard<Method extends Heard>(
  wanted: Method,
  method: string,
  params: Fields,
): params is Fields & HostNotifications[Method] {
  return method === wanted && wellFormed[wanted](params);
}
