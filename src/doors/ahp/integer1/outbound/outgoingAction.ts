// An action of version 1 on its way out, before it has a number and before it is known how a client spells its session.
import type { StateAction } from '../../../../protocols/ahp/integer1/actions.ts';
import type { Place } from '../../delivery/outgoing.ts';

/** An action without the name of its session, which every client may spell differently. */
export type Said = StateAction extends infer One
  ? One extends unknown
    ? Omit<One, 'session' | 'terminal'> & { readonly type: string }
    : never
  : never;

/** `echo` marks what a client's own dispatch comes back as. */
export interface Shown {
  readonly place: Place;
  readonly action: Said;
  readonly echo?: true;
}

export function on(place: Place, action: Said): Shown {
  return { place, action };
}

export function echo(place: Place, action: Said): Shown {
  return { place, action, echo: true };
}
