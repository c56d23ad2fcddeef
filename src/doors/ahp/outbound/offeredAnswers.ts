// Which answers clients of a role are offered: those that they may give. A projection is made once for each
// role and shared by the clients of that role.
import { shareLive } from '../../../host/session/live.ts';
import type { Live, Projection } from '../../../host/session/live.ts';
import { mayAs, questionsFor } from '../../../host/policy/roles.ts';
import type { Role } from '../../../host/policy/roles.ts';
import type { Session, Step } from '../../../host/session/session.ts';
import { isLasting } from '../../../model/decideAsk.ts';
import type { Ask } from '../../../model/event.ts';
import type { State } from '../../../model/state.ts';
import type { Outgoing } from '../delivery/outgoing.ts';

/** A session's state with the role of those who are shown it; without a role it is shown in full. */
export interface ShownState extends State {
  readonly shownTo?: Role;
}

export function shownTo(role: Role, state: State): ShownState {
  return mayAs(role, 'control') ? state : { ...state, shownTo: role };
}

/** The question with the answers that those who are shown the state may give. */
export function offeredAnswers<T extends Ask>({ shownTo: role }: ShownState, ask: T): T {
  if (role === undefined) return ask;
  if (ask.kind !== 'approval') return questionsFor(ask, role);
  // Who changes the arguments decides what runs, which takes control.
  return { ...ask, editable: false, options: ask.options.filter((option) => !isLasting(option)) };
}

export function stepShownTo(role: Role, { entry, before, after }: Step): Step {
  return { entry, before: shownTo(role, before), after: shownTo(role, after) };
}

export interface SharedProjection {
  readonly project: Projection<Outgoing>;
  /** The shared live form of the same projection. */
  readonly liveOf: (session: Session) => Live<Outgoing>;
}

export type ProjectionsByRole = Readonly<Record<Role, SharedProjection>>;

export function projectionsByRole(project: Projection<Outgoing>): ProjectionsByRole {
  const shared = (role: Role): SharedProjection => {
    const shown: Projection<Outgoing> = mayAs(role, 'control')
      ? project
      : (step) => project(stepShownTo(role, step));
    return { project: shown, liveOf: shareLive(shown) };
  };
  return { observe: shared('observe'), approve: shared('approve'), control: shared('control') };
}
