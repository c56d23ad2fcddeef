// What the client said about itself in `initialize`, and the origin that its commands carry.
import { present } from '../../../base/present.ts';
import type { Origin } from '../../../model/event.ts';
import type { DraftClient } from '../draft/dialect.ts';

export interface ClientFacts {
  readonly name: string | undefined;
  /** The client can put questions to its user. */
  readonly asksQuestions: boolean;
  /** The `initializationOptions` of the client. */
  readonly initializationOptions: { readonly [key: string]: unknown };
  /** Present for a client of the first draft of the protocol. */
  readonly draft: DraftClient | undefined;
}

export class ClientProfile {
  readonly #id: string;
  #facts: ClientFacts = {
    name: undefined,
    asksQuestions: false,
    initializationOptions: {},
    draft: undefined,
  };

  constructor(id: string) {
    this.#id = id;
  }

  introduce(facts: ClientFacts): void {
    this.#facts = facts;
  }

  get name(): string | undefined {
    return this.#facts.name;
  }

  get asksQuestions(): boolean {
    return this.#facts.asksQuestions;
  }

  get initializationOptions(): ClientFacts['initializationOptions'] {
    return this.#facts.initializationOptions;
  }

  get draft(): DraftClient | undefined {
    return this.#facts.draft;
  }

  /** The extension for VS Code keeps only the last configuration, for a panel that is made later. */
  get keepsLastConfig(): boolean {
    return /^vs ?code/i.test(this.name ?? '');
  }

  /** Who dispatches the commands of this client; other clients see the name. */
  get origin(): Extract<Origin, { kind: 'client' }> {
    return present({ kind: 'client' as const, door: 'eca', client: this.#id, name: this.name });
  }

  isOrigin(by: Origin | undefined): boolean {
    return by?.kind === 'client' && by.door === 'eca' && by.client === this.#id;
  }
}
