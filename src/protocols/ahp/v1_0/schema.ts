// Checks what a host of the newest dialect receives. Import it where messages arrive: it brings the schema library along.
import type { z } from 'zod';
import { checkDispatch } from '../dispatch.ts';
import type { Dispatched } from '../dispatch.ts';
import { parse } from '../shapes.ts';
import type { Parsed } from '../shapes.ts';
import type { ClientAction } from './actions.ts';
import { actionSince } from './actions.ts';
import type { ClientNotificationMethod, ClientNotifications, RequestMethod, Requests } from './commands.ts';
import { clientActionSchemas } from './schema/actions.ts';
import { notificationSchemas, requestSchemas } from './schema/requests.ts';

export function isRequestMethod(method: string): method is RequestMethod {
  return Object.hasOwn(requestSchemas, method);
}

export function isNotificationMethod(method: string): method is ClientNotificationMethod {
  return Object.hasOwn(notificationSchemas, method);
}

/** Params may be left out of a request that needs none. */
export function parseRequest<Method extends RequestMethod>(
  method: Method,
  params: unknown,
): Parsed<Requests[Method]['params']> {
  return parse<Requests[Method]['params']>(requestSchemas[method], params ?? {});
}

export function parseNotification<Method extends ClientNotificationMethod>(
  method: Method,
  params: unknown,
): Parsed<ClientNotifications[Method]> {
  return parse<ClientNotifications[Method]>(notificationSchemas[method], params ?? {});
}

export function parseClientAction(value: unknown): Dispatched<ClientAction> {
  return checkDispatch(value, {
    schemas: actionSchemas,
    hostOnly: (type) => Object.hasOwn(actionSince, type),
  });
}

const actionSchemas: ReadonlyMap<string, z.ZodType<ClientAction>> = new Map(
  Object.entries(clientActionSchemas),
);
