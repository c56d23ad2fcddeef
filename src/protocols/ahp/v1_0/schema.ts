// Checks what a host of AHP 1.0 receives. Import it where messages arrive: it brings the
// schema library along.
import { receiver } from '../receive.ts';
import { actionSince } from './actions.ts';
import { clientActionSchemas } from './schema/actions.ts';
import { notificationSchemas, requestSchemas } from './schema/requests.ts';

export const messageChecks = receiver({
  requests: requestSchemas,
  notifications: notificationSchemas,
  actions: clientActionSchemas,
  hostActions: actionSince,
});
