// The rules for every session: those that users allowed always, in the host's own log, and those of the
// settings.
import { withRules } from '../../model/decideAsk.ts';
import type { Rule } from '../../model/event.ts';
import type { Settings } from '../settings/settings.ts';
import type { Session } from './session.ts';

export class LastingRules {
  readonly #own: Session;
  readonly #settings: Settings | undefined;

  constructor(own: Session, settings: Settings | undefined) {
    this.#own = own;
    this.#settings = settings;
  }

  of(roots: readonly string[]): readonly Rule[] {
    return [...this.#own.head.rules, ...(this.#settings?.of(roots).approvals ?? [])];
  }

  add(rules: readonly Rule[]): void {
    this.#own.dispatch(
      { kind: 'changeSession', changes: { rules: withRules(this.#own.head.rules, rules) } },
      { kind: 'host' },
    );
  }
}
