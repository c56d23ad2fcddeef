// Brings a conversation to the settings that somebody has chosen, and says what there is not.
import type { Chosen, TurnContext } from '../../../host/agent.ts';
import type { Link } from '../process/agentProcess.ts';
import type { Novelties } from './agentOffers.ts';
import type { AgentProgram, Times } from '../process/program.ts';
import type { Settings } from './settings.ts';
import { wordsOf } from '../turn/outcome.ts';

/** A conversation that is open on a running program. */
export interface Open {
  readonly link: Link;
  readonly id: string;
  readonly settings: Settings;
}

export interface ChoosingOptions {
  readonly program: AgentProgram;
  readonly times: Times;
  readonly novelties: Novelties;
  /** The turn in which people can be told something now. */
  readonly context: () => TurnContext | undefined;
}

export class Choosing {
  readonly #options: ChoosingOptions;
  #missing = '';

  constructor(options: ChoosingOptions) {
    this.#options = options;
  }

  /** What somebody has chosen and there is not is said once. */
  tellMissing({ id, settings }: Open, chosen: Chosen): void {
    const missing = settings.towards(id, chosen).unknown.join(' and ');
    if (missing !== '' && missing !== this.#missing)
      this.#warn(`${this.#options.program.name} has not ${missing}.`);
    this.#missing = missing;
  }

  async choose({ link, id, settings }: Open, chosen: Chosen): Promise<void> {
    const { program, times, novelties } = this.#options;
    for (const { method, params, what, done } of settings.towards(id, chosen).steps) {
      try {
        const answer = await link.request(method, params, times.setup);
        done();
        novelties.answered(answer, settings);
      } catch (error) {
        this.#warn(`${program.name} did not take ${what}: ${wordsOf(error)}`);
        if (!link.alive) throw error;
      }
    }
    novelties.settled(settings);
  }

  #warn(text: string): void {
    this.#options.context()?.report({ kind: 'notice.added', level: 'warning', text });
  }
}
