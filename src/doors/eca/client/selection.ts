// The agent, model and variant that the client chose for new chats.
import { present } from '../../../base/present.ts';
import type { Host } from '../../../host/host.ts';
import type { ChatDefaults } from '../outbound/catalogue.ts';
import type { Workspace } from './workspace.ts';

export interface SelectionChoice {
  readonly agent?: string;
  readonly model?: string;
  readonly variant?: string;
}

export class Selection {
  readonly #host: Host;
  readonly #workspace: Workspace;
  readonly #changed: (choice: SelectionChoice) => void;
  #agent: string | undefined;
  #model: string | undefined;
  #variant: string | undefined;
  readonly #missing = new Set<string>();

  constructor(host: Host, workspace: Workspace, changed: (choice: SelectionChoice) => void) {
    this.#host = host;
    this.#workspace = workspace;
    this.#changed = changed;
  }

  /** The choice that the client made with the last host. */
  restore({ agent, model, variant }: SelectionChoice): void {
    this.#agent = agent;
    this.#model = model;
    this.#variant = variant;
    this.#tell();
  }

  /** What new chats start with: the client's choice, else the configuration's. */
  get defaults(): ChatDefaults {
    const { roots, configuration } = this.#workspace;
    return {
      agent: this.#agent ?? configuration.defaultAgent,
      model: this.#model,
      variant: this.#variant,
      configuredModel: configuration.defaultModel ?? this.#host.settings?.of(roots).defaultModel,
    };
  }

  /** The agent that the client chose, whatever the configuration says. */
  get agent(): string | undefined {
    return this.#agent;
  }

  chooseModel(model: string, variant: string | undefined): void {
    this.#model = model;
    this.#variant = variant;
    this.#tell();
  }

  chooseAgent(agent: string | undefined): void {
    this.#agent = agent;
    this.#tell();
  }

  /** Remembers that a chat was to have a model that is not there; false if that is known already. */
  noteMissing(chat: string, model: string): boolean {
    const key = JSON.stringify([chat, model]);
    const isNew = !this.#missing.has(key);
    this.#missing.add(key);
    return isNew;
  }

  /** An agent with a model of its own replaces the chosen model. */
  forgetModel(): void {
    this.#model = undefined;
    this.#tell();
  }

  #tell(): void {
    this.#changed(present({ agent: this.#agent, model: this.#model, variant: this.#variant }));
  }
}
