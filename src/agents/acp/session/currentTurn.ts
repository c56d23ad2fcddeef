// The running turn of a conversation, for the objects that need its facts.
import type { TurnContext } from '../../../host/agent.ts';
import { secretFile } from '../../../host/policy/policy.ts';
import type { Ruling } from '../../../host/policy/policy.ts';
import { isSecretFile } from '../../../host/policy/secretFiles.ts';
import type { Json } from '../../../model/event.ts';

export class CurrentTurn {
  readonly #roots: readonly string[];
  readonly #home: string;
  #context: TurnContext | undefined;
  #lastContext: TurnContext | undefined;

  /**
   * `roots` are the folders of the conversation while no turn runs; `home` is where one
   * without folders works.
   */
  constructor(roots: readonly string[], home: string) {
    this.#roots = roots;
    this.#home = home;
  }

  get context(): TurnContext | undefined {
    return this.#context;
  }

  /** Never empty. */
  get roots(): readonly string[] {
    const roots = this.#context?.session.roots ?? this.#roots;
    return roots.length > 0 ? roots : [this.#home];
  }

  begin(context: TurnContext): void {
    this.#context = context;
    this.#lastContext = context;
  }

  /** Between turns the rules of the last one apply; before the first there are none. */
  async judgeReading(file: {
    name: string;
    path: string;
    input: Json;
  }): Promise<Pick<Ruling, 'effect' | 'rule'>> {
    const { name, path, input } = file;
    const judge = this.#lastContext?.judge({ name, toolKind: 'read', input, paths: [path] });
    return (await judge) ?? { effect: isSecretFile(path, this.roots) ? 'ask' : 'allow', rule: secretFile };
  }

  /** Ignored for a turn that another one has replaced. */
  end(context: TurnContext): void {
    if (this.#context === context) this.#context = undefined;
  }

  /** Adds a notice to the turn; does nothing without a turn. */
  notice(level: 'info' | 'warning', text: string): void {
    this.#context?.report({ kind: 'notice.added', level, text });
  }
}
