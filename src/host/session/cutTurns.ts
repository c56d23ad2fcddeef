// What clients see of turns that a failed write has cut off, until their end can be stored.
import type { Entry, EventOf, TurnId } from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import type { State } from '../../model/state.ts';
import { NotStored, isTakenOver } from './logStore.ts';
import type { ImportedEvent, Session, Step } from './session.ts';

/** The ends that clients are shown before they are stored. They are stored as they were shown. */
export class CutTurns {
  /** The turns of which something is lost, until their end is stored. */
  readonly #cut = new Set<TurnId>();
  readonly #ends = new Map<TurnId, ImportedEvent & { readonly event: EventOf<'turn.ended'> }>();

  /**
   * Nothing of these turns can be stored. A session that another host has taken over shows nothing more
   * here: that host stores how its turns end.
   */
  cut({ chats }: State, cause: unknown, at: number): void {
    const problem = { code: 'storage', message: new NotStored(cause).message };
    for (const { id, active } of Object.values(chats)) {
      if (!active) continue;
      this.#cut.add(active.id);
      if (isTakenOver(cause) || this.#ends.has(active.id)) continue;
      this.#ends.set(active.id, {
        at,
        by: { kind: 'host' },
        event: { kind: 'turn.ended', chat: id, turn: active.id, outcome: { kind: 'failed', problem } },
      });
    }
  }

  /** Whether something of a turn is lost: what its agent says then would follow a gap. */
  has(turn: TurnId | undefined): boolean {
    return turn !== undefined && this.#cut.has(turn);
  }

  /** Why a turn was cut off; undefined if its end is not shown yet, or stored. */
  problemOf(turn: TurnId | undefined): string | undefined {
    const outcome = turn === undefined ? undefined : this.#ends.get(turn)?.event.outcome;
    return outcome?.kind === 'failed' ? outcome.problem.message : undefined;
  }

  /** An event as it has to be stored: the end that was shown, whatever has ended the turn. */
  asShown(decided: ImportedEvent): ImportedEvent {
    const { event } = decided;
    return (event.kind === 'turn.ended' && this.#ends.get(event.turn)) || decided;
  }

  stored({ event }: Entry): void {
    if (event.kind !== 'turn.ended') return;
    this.#ends.delete(event.turn);
    this.#cut.delete(event.turn);
  }

  /** The ends as steps that no log holds. */
  steps({ state }: Pick<Session, 'state'>): readonly Step[] {
    return [...this.#ends.values()].map((end) => {
      const entry = { ...end, seq: state.seq + 1, pos: state.pos };
      return { entry, before: state, after: reduce(state, entry) };
    });
  }
}
