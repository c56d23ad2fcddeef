// An action on its way out, before it has a number.
import type { StateAction } from '../../../../protocols/ahp/v1_0/actions.ts';
import type { ChatId } from '../../../../model/event.ts';
import { chatTarget } from '../../channels/target.ts';
import type { Target } from '../../channels/target.ts';

/** An action and its channel. `echo` marks the echo of a client's own action. */
export interface TargetedAction {
  readonly target: Target;
  readonly action: StateAction;
  readonly echo?: true;
}

/** A chat's id stands for its channel. */
export function on(target: Target | ChatId, action: StateAction): TargetedAction {
  return { target: typeof target === 'string' ? chatTarget(target) : target, action };
}

export function echo(target: Target | ChatId, action: StateAction): TargetedAction {
  return { ...on(target, action), echo: true };
}
