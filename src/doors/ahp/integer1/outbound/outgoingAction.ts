// An action of version 1 on its way out, before it has a number and before it is known how a
// client spells its session.
import type { StateAction } from '../../../../protocols/ahp/integer1/actions.ts';
import type { ChatId } from '../../../../model/event.ts';
import { chatTarget } from '../../channels/target.ts';
import type { Target } from '../../channels/target.ts';

/** An action without the name of its session, which every client may spell differently. */
export type Integer1Action = StateAction extends infer One
  ? One extends unknown
    ? Omit<One, 'session' | 'terminal'> & { readonly type: string }
    : never
  : never;

/** `echo` marks the action that a client's own dispatch is returned as. */
export interface Integer1TargetedAction {
  readonly target: Target;
  readonly action: Integer1Action;
  readonly echo?: true;
}

/** A chat's id stands for its channel. */
export function on(target: Target | ChatId, action: Integer1Action): Integer1TargetedAction {
  return { target: typeof target === 'string' ? chatTarget(target) : target, action };
}

export function echo(target: Target | ChatId, action: Integer1Action): Integer1TargetedAction {
  return { ...on(target, action), echo: true };
}
