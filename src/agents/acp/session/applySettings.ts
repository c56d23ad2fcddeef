// Applies the chosen settings to a conversation and reports those that the agent does not have.
import type { ChosenSettings } from '../../../host/agent.ts';
import type { AgentProcess } from '../process/agentProcess.ts';
import type { CurrentTurn } from './currentTurn.ts';
import type { AgentOffers } from './agentOffers.ts';
import type { AgentProgram, AgentTimes } from '../process/program.ts';
import type { SessionSettingsOfAgent } from './settings.ts';
import { failureText } from '../turn/outcome.ts';

/** A conversation that is open on a running program. */
export interface OpenConversation {
  readonly link: AgentProcess;
  readonly id: string;
  readonly settings: SessionSettingsOfAgent;
}

export interface SettingsApplierOptions {
  readonly program: AgentProgram;
  readonly times: AgentTimes;
  readonly offers: AgentOffers;
  readonly current: CurrentTurn;
}

export class SettingsApplier {
  readonly #options: SettingsApplierOptions;
  #missing = '';

  constructor(options: SettingsApplierOptions) {
    this.#options = options;
  }

  /** Each missing setting is reported once. */
  tellMissing({ id, settings }: OpenConversation, chosen: ChosenSettings): void {
    const missing = settings.towards(id, chosen).unknown.join(' and ');
    if (missing !== '' && missing !== this.#missing)
      this.#options.current.notice('warning', `${this.#options.program.name} does not offer ${missing}.`);
    this.#missing = missing;
  }

  async apply({ link, id, settings }: OpenConversation, chosen: ChosenSettings): Promise<void> {
    const { program, times, offers, current } = this.#options;
    for (const { method, params, what, done } of settings.towards(id, chosen).steps) {
      try {
        const answer = await link.request(method, params, times.setup);
        done();
        offers.answered(answer, settings);
      } catch (error) {
        current.notice('warning', `${program.name} rejected ${what}: ${failureText(error)}`);
        if (!link.alive) throw error;
      }
    }
    offers.settled(settings);
  }
}
