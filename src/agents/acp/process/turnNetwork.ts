// Which turn is asked when a confined agent program wants to reach a name on the network. Several sessions
// share one program, so nobody knows for which turn it acts: the newest running turn is asked.
import type { ReachNetwork } from '../../../host/ports.ts';

/** Undefined once the turn is over. */
type TurnReach = (...request: Parameters<ReachNetwork>) => ReturnType<ReachNetwork> | undefined;

export class TurnNetwork {
  #turns: readonly TurnReach[] = [];

  begin(turn: TurnReach): void {
    this.#turns = [turn, ...this.#turns].slice(0, mostTurns);
  }

  readonly reach: ReachNetwork = async (target, signal) => {
    for (const turn of this.#turns) {
      const asked = turn(target, signal);
      if (asked) return asked;
      this.#turns = this.#turns.filter((other) => other !== turn);
    }
    return { allowed: false, reason: 'no turn of the agent runs in which somebody could be asked' };
  };
}

/** More do not run in one program. */
const mostTurns = 50;
