// Checks what a host receives against the schemas of one version. It knows no message.
import type { z } from 'zod';
import { parse } from './shapes.ts';
import type { ParseResult } from './shapes.ts';

/** Unknown, forbidden and malformed are three different things to a host. */
export type ReceivedAction<Action> =
  | { readonly kind: 'accepted'; readonly action: Action }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'hostOnly'; readonly type: string }
  | { readonly kind: 'malformed'; readonly problem: string };

type Schemas = Readonly<Record<string, z.ZodType>>;

interface VersionSchemas<Requests, Notifications, Actions> {
  readonly requests: Requests;
  readonly notifications: Notifications;
  /** The actions that a client may dispatch. */
  readonly actions: Actions;
  /** Every type that the host sends, so that an unknown one can be told from a forbidden one. */
  readonly hostActions: object;
}

export function receiver<Requests extends Schemas, Notifications extends Schemas, Actions extends Schemas>({
  requests,
  notifications,
  actions,
  hostActions,
}: VersionSchemas<Requests, Notifications, Actions>) {
  return {
    isRequestMethod: (method: string): method is keyof Requests & string => Object.hasOwn(requests, method),
    /** Params may be left out of a request that needs none. */
    parseRequest: <Method extends keyof Requests>(method: Method, params: unknown) =>
      check(requests, method, params ?? {}),
    parseNotification: <Method extends keyof Notifications>(method: Method, params: unknown) =>
      check(notifications, method, params ?? {}),
    parseClientAction(value: unknown): ReceivedAction<z.output<Actions[keyof Actions]>> {
      const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
      if (typeof type !== 'string') return { kind: 'malformed', problem: 'type: an action needs a type' };
      if (!Object.hasOwn(actions, type))
        return { kind: Object.hasOwn(hostActions, type) ? 'hostOnly' : 'unknown', type };
      const parsed = check<keyof Actions, Actions>(actions, type, value);
      return parsed.ok
        ? { kind: 'accepted', action: parsed.value }
        : { kind: 'malformed', problem: parsed.problem };
    },
  };
}

function check<Name extends PropertyKey, All extends Readonly<Record<Name, z.ZodType>>>(
  schemas: All,
  name: Name,
  value: unknown,
): ParseResult<z.output<All[Name]>> {
  return parse<All[Name]>(schemas[name], value);
}
