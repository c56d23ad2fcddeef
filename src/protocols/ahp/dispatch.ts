// What can come of an action that a client dispatched. It knows no action type.
import type { z } from 'zod';
import { parse } from './shapes.ts';

/** Unknown, forbidden and malformed are three different things to a host. */
export type Dispatched<Action> =
  | { readonly kind: 'accepted'; readonly action: Action }
  | { readonly kind: 'unknown'; readonly type: string }
  | { readonly kind: 'hostOnly'; readonly type: string }
  | { readonly kind: 'malformed'; readonly problem: string };

interface Rules<Action> {
  readonly schemas: ReadonlyMap<string, z.ZodType<Action>>;
  readonly hostOnly: (type: string) => boolean;
}

export function checkDispatch<Action>(value: unknown, rules: Rules<Action>): Dispatched<Action> {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string') return { kind: 'malformed', problem: 'type: an action needs a type' };
  const schema = rules.schemas.get(type);
  if (schema === undefined) return { kind: rules.hostOnly(type) ? 'hostOnly' : 'unknown', type };
  const parsed = parse(schema, value);
  return parsed.ok
    ? { kind: 'accepted', action: parsed.value }
    : { kind: 'malformed', problem: parsed.problem };
}
