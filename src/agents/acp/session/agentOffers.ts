// Tracks what an agent offers: settings, commands, title and cost. Reports changes.
import { present } from '../../../base/present.ts';
import type { AgentInfo, SessionReporter } from '../../../host/agent.ts';
import { configAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { InitializeAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { ReadUpdate } from '../../../protocols/acp/v1/updateSchema.ts';
import type { OpenedSession } from './openSession.ts';
import type { SessionSettingsOfAgent } from './settings.ts';

/** `usual` is there only after a new conversation: a known one may have other settings than a new one. */
export type LearnedOffers = Partial<
  Pick<AgentInfo, 'models' | 'modes' | 'usual' | 'options' | 'commands' | 'accepts' | 'forgets'>
>;

export class AgentOffers {
  readonly #aside: SessionReporter;
  readonly #learned: (learned: LearnedOffers) => void;
  #cost = 0;

  constructor(aside: SessionReporter, learned: (learned: LearnedOffers) => void) {
    this.#aside = aside;
    this.#learned = learned;
  }

  /** The cost of the conversation so far, as the agent reports it. */
  get cost(): number {
    return this.#cost;
  }

  opened(
    settings: SessionSettingsOfAgent,
    {
      agentCapabilities: {
        promptCapabilities: { image, audio },
        sessionCapabilities,
      },
    }: InitializeAnswer,
    how: OpenedSession['how'],
  ): void {
    const systemPrompt = sessionCapabilities.systemPrompt?.mode?.override ? 'override' : 'append';
    const { mode, model } = settings.current();
    const usual = how === 'new' ? { usual: present({ mode, model }) } : {};
    this.#learned({
      ...settings.offers(),
      ...usual,
      accepts: { images: image, audio, systemPrompt },
      forgets: sessionCapabilities.delete !== undefined,
    });
  }

  /** Without chosen settings, the session shows the agent's own. */
  settled(settings: SessionSettingsOfAgent): void {
    const { mode, model, options } = settings.current();
    this.#aside.change({
      ...present({ mode, model }),
      ...(Object.keys(options).length === 0 ? {} : { options }),
    });
  }

  take(update: ReadUpdate, settings: SessionSettingsOfAgent | undefined): void {
    // The others are taken elsewhere, each by its own name.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    switch (update.sessionUpdate) {
      case 'available_commands_update': {
        const commands = update.availableCommands.map(({ name, description, input }) => ({
          name,
          description,
          ...(input?.hint === undefined ? {} : { hint: input.hint }),
        }));
        return this.#learned({ commands });
      }
      case 'current_mode_update':
        settings?.modeIs(update.currentModeId);
        return this.#aside.change({ mode: update.currentModeId });
      case 'config_option_update': {
        const before = settings?.current();
        settings?.optionsAre(update.configOptions);
        return settings && before ? this.#changed(settings, before) : undefined;
      }
      case 'session_info_update':
        if (update.title !== undefined) this.#aside.change({ title: update.title });
        return;
      case 'usage_update':
        if (update.cost?.currency === 'USD') this.#cost = update.cost.amount;
        return;
      // Everything else is part of the conversation itself.
      default:
        return;
    }
  }

  /** The answer to a changed option tells them all, for one may change others. */
  answered(answer: unknown, settings: SessionSettingsOfAgent): void {
    const read = configAnswer.safeParse(answer);
    if (!read.success) return;
    const before = settings.current();
    settings.optionsAre(read.data.configOptions);
    this.#changed(settings, before);
  }

  #changed(settings: SessionSettingsOfAgent, before: ReturnType<SessionSettingsOfAgent['current']>): void {
    const { mode, model, options } = settings.current();
    const fresh = Object.entries(options).filter(([id, value]) => before.options[id] !== value);
    this.#learned(settings.offers());
    this.#aside.change({
      ...(mode === undefined || mode === before.mode ? {} : { mode }),
      ...(model === undefined || model === before.model ? {} : { model }),
      ...(fresh.length === 0 ? {} : { options: Object.fromEntries(fresh) }),
    });
  }
}
