// The settings of a conversation and their choices, in any form an agent reports them: config options, modes,
// or models. Sends nothing itself; returns the requests to send.
import type { AgentInfo, ChosenSettings } from '../../../host/agent.ts';
import type { Json } from '../../../model/event.ts';
import type { SessionSettingsAnswer } from '../../../protocols/acp/v1/answerSchema.ts';
import type { ReadConfigOption } from '../../../protocols/acp/v1/settingsSchema.ts';

type Modes = NonNullable<SessionSettingsAnswer['modes']>;
type Models = NonNullable<SessionSettingsAnswer['models']>;

/** A request that applies one setting; `done` gets its answer. */
export interface SettingStep {
  readonly what: string;
  readonly method: string;
  readonly params: { readonly [key: string]: unknown };
  readonly done: () => void;
}

export class SessionSettingsOfAgent {
  #modes: Modes | undefined;
  #models: Models | undefined;
  #options: readonly ReadConfigOption[];

  constructor(answer: SessionSettingsAnswer) {
    this.#modes = answer.modes;
    this.#models = answer.models;
    this.#options = answer.configOptions ?? [];
  }

  /** The agent has changed the mode on its own. */
  modeIs(mode: string): void {
    if (this.#modes) this.#modes = { ...this.#modes, currentModeId: mode };
    this.#options = this.#options.map((option) =>
      option.type === 'select' && option.category === 'mode' ? { ...option, currentValue: mode } : option,
    );
  }

  /** The list is always complete. */
  optionsAre(options: readonly ReadConfigOption[]): void {
    this.#options = options;
  }

  /** The current settings. */
  current(): ChosenSettings {
    const options = this.#rest().map(({ id, currentValue }): [string, Json] => [id, currentValue]);
    return {
      mode: this.#option('mode')?.currentValue ?? this.#modes?.currentModeId,
      model: this.#option('model')?.currentValue ?? this.#models?.currentModelId,
      options: Object.fromEntries(options),
    };
  }

  /** The available choices. */
  offers(): Pick<AgentInfo, 'models' | 'modes' | 'options'> {
    const modes =
      this.#option('mode')?.options.map(({ value, ...rest }) => ({ id: value, ...rest })) ??
      this.#modes?.availableModes ??
      [];
    const models =
      this.#option('model')?.options.map(({ value, name }) => ({ id: value, name })) ??
      this.#models?.availableModels.map(({ modelId, name }) => ({ id: modelId, name })) ??
      [];
    return {
      models: models.map(({ id, name }) => ({ id, name: name || id })),
      modes: modes.map(({ id, name, description }) => ({
        id,
        name: name || id,
        ...(description === undefined ? {} : { description }),
      })),
      options: this.#rest().map(optionOf),
    };
  }

  /** The requests that apply the chosen settings, and the chosen values that the agent does not offer. */
  towards(
    session: string,
    chosen: ChosenSettings,
  ): { readonly steps: readonly SettingStep[]; readonly unknown: readonly string[] } {
    const wishes = [
      this.#mode(chosen.mode),
      this.#model(chosen.model),
      ...Object.entries(chosen.options).map(([id, value]) => this.#setting(id, value)),
    ];
    const steps = wishes.flatMap((wish) =>
      typeof wish === 'object' ? [{ ...wish, params: { sessionId: session, ...wish.params } }] : [],
    );
    return { steps, unknown: wishes.flatMap((wish) => (typeof wish === 'string' ? [wish] : [])) };
  }

  #mode(mode: string | undefined): SettingStep | string | undefined {
    if (mode === undefined || mode === this.current().mode) return undefined;
    const option = this.#option('mode');
    if (option?.options.some(({ value }) => value === mode)) return this.#choose(option, mode);
    if (!this.#modes?.availableModes.some(({ id }) => id === mode)) return `the mode ${mode}`;
    return {
      what: `the mode ${mode}`,
      method: 'session/set_mode',
      params: { modeId: mode },
      done: () => this.modeIs(mode),
    };
  }

  #model(model: string | undefined): SettingStep | string | undefined {
    if (model === undefined || model === this.current().model) return undefined;
    const option = this.#option('model');
    if (option?.options.some(({ value }) => value === model)) return this.#choose(option, model);
    const models = this.#models;
    if (option || !models?.availableModels.some(({ modelId }) => modelId === model))
      return `the model ${model}`;
    const done = () => void (this.#models = { ...models, currentModelId: model });
    return { what: `the model ${model}`, method: 'session/set_model', params: { modelId: model }, done };
  }

  /** Session options may belong to another agent, so unknown ones are ignored. */
  #setting(id: string, value: Json): SettingStep | undefined {
    const option = this.#rest().find((one) => one.id === id);
    if (!option || option.currentValue === value) return undefined;
    if (option.type === 'boolean')
      return typeof value === 'boolean' ? this.#choose(option, value) : undefined;
    return typeof value === 'string' && option.options.some((choice) => choice.value === value)
      ? this.#choose(option, value)
      : undefined;
  }

  #choose(option: ReadConfigOption, value: string | boolean): SettingStep {
    const params = { configId: option.id, value, ...(typeof value === 'boolean' ? { type: 'boolean' } : {}) };
    return {
      what: `${option.name || option.id}: ${value}`,
      method: 'session/set_config_option',
      params,
      done: () => {},
    };
  }

  #option(category: 'mode' | 'model'): Extract<ReadConfigOption, { readonly type: 'select' }> | undefined {
    return this.#options.flatMap((option) =>
      option.type === 'select' && option.category === category ? [option] : [],
    )[0];
  }

  /** Everything that is neither the mode nor the model. */
  #rest(): readonly ReadConfigOption[] {
    const taken = [this.#option('mode')?.id, this.#option('model')?.id];
    return this.#options.filter(({ id }) => !taken.includes(id));
  }
}

function optionOf(option: ReadConfigOption): NonNullable<AgentInfo['options']>[number] {
  const { id, name, description, category, currentValue: value } = option;
  const choices =
    option.type === 'select'
      ? option.options.map((choice) => ({
          id: choice.value,
          label: choice.name || choice.value,
          ...(choice.description === undefined ? {} : { description: choice.description }),
        }))
      : undefined;
  return {
    id,
    name: name || id,
    value,
    ...(description === undefined ? {} : { description }),
    ...(category === undefined ? {} : { category }),
    ...(choices ? { choices } : {}),
  };
}
