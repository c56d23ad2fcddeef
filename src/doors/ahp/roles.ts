// Which role a request or an action of a client needs. What is not listed needs the highest: nothing is
// allowed by being forgotten.
import type { Role } from '../../host/policy/roles.ts';
import { isRecorded } from './resources/resources.ts';

export function roleForRequest(method: string, params: unknown): Role {
  // An observer may read recorded content, but not the files of the machine.
  if (method === 'resourceRead') return isRecorded(String(member(params, 'uri'))) ? 'observe' : 'control';
  return looking.has(method) ? 'observe' : 'control';
}

export function roleForNotification(method: string, params: unknown): Role {
  if (method !== 'dispatchAction') return looking.has(method) ? 'observe' : 'control';
  const action = member(params, 'action');
  const type = String(member(action, 'type'));
  // Joining a session writes to the log, which viewers may not do.
  if (type === 'session/activeClientRemoved') return 'approve';
  if (type === 'session/activeClientSet') return lendsNothing(action) ? 'approve' : 'control';
  // A client that changes the arguments decides what runs, which takes more than the right to approve.
  if (type === 'chat/toolCallConfirmed' || type === 'session/toolCallConfirmed')
    return member(action, 'editedToolInput') === undefined ? 'approve' : 'control';
  return answering.has(type) ? 'approve' : 'control';
}

const looking: ReadonlySet<string> = new Set([
  'initialize',
  'reconnect',
  'ping',
  'subscribe',
  'unsubscribe',
  'listSessions',
  'fetchTurns',
]);

const answering: ReadonlySet<string> = new Set([
  'chat/toolCallResultConfirmed',
  'chat/inputAnswerChanged',
  'chat/inputCompleted',
  'session/isReadChanged',
  'chat/isReadChanged',
  // The names that version 1 has for the same.
  'session/toolCallResultConfirmed',
  'session/inputAnswerChanged',
  'session/inputCompleted',
]);

/** Joining alone changes little; contributing tools or settings needs more rights. */
function lendsNothing(action: unknown): boolean {
  const client = member(action, 'activeClient');
  return ['tools', 'customizations'].every((name) => {
    const lent = member(client, name);
    return lent === undefined || (Array.isArray(lent) && lent.length === 0);
  });
}

function member(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}
