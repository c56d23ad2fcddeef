// An action on its way out, before it has a number.
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { Place } from '../../delivery/outgoing.ts';

/** An action and the channel it is for. `echo` marks the one that a client's own dispatch comes back as. */
export interface Shown {
  readonly place: Place;
  readonly action: StateAction;
  readonly echo?: true;
}

export function on(place: Place, action: StateAction): Shown {
  return { place, action };
}

export function echo(place: Place, action: StateAction): Shown {
  return { place, action, echo: true };
}
