// The rules for more than one session: those that users answered, in the host's own log, and those of the
// settings.
import { contains } from '../../base/paths.ts';
import { withRules } from '../../model/decideAsk.ts';
import type { Origin, Rule } from '../../model/event.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import type { Session } from '../session/session.ts';
import type { World } from '../world.ts';
import type { OtherHostsRules } from './otherHostsRules.ts';
import { rulesInWords } from './ruleWords.ts';

export class LastingRules {
  readonly #own: Session;
  readonly #world: World;
  readonly #others: OtherHostsRules;

  constructor(own: Session, world: World, others: OtherHostsRules) {
    this.#own = own;
    this.#world = world;
    this.#others = others;
  }

  /** The rules for a session with these folders. */
  of(roots: readonly string[]): readonly Rule[] {
    const folders = roots.map((root) => this.#world.paths.canonical(root));
    const held = this.answered.filter((rule) => !isUnconfirmed(rule) && holdsIn(rule, folders));
    return [...held, ...(this.#world.settings?.of(roots).approvals ?? [])];
  }

  /** All answers that users gave for more than one session, on any host of the store. */
  get answered(): readonly Rule[] {
    return [...this.#mine, ...this.#others.rules];
  }

  add(rules: readonly Rule[]): void {
    this.#replace(withRules(this.#mine, rules), { kind: 'host' });
  }

  /** False if there is no such rule; the owner if it is in the log of another host that is alive. */
  async revoke(id: string, by: Origin): Promise<boolean | SessionOwner> {
    const left = this.#mine.filter((rule) => rule.id !== id);
    if (left.length === this.#mine.length) return this.#others.revoke(id, by);
    this.#replace(left, by);
    return true;
  }

  /** Lets an answer of an earlier version count again. False if there is no such rule. */
  confirm(id: string, by: Origin): boolean {
    if (!this.#mine.some((rule) => rule.id === id)) return false;
    const made = { by, at: this.#world.clock.now() };
    this.#replace(
      this.#mine.map((rule) => (rule.id === id && isUnconfirmed(rule) ? { ...rule, made } : rule)),
      by,
    );
    return true;
  }

  /** What users must know about answers that do not count any more; undefined after it was said of them. */
  news(): string | undefined {
    const waiting = this.answered.filter(isUnconfirmed);
    const told = this.#own.head.options[toldAnswers];
    const ids = waiting.map(({ id }) => id);
    if (ids.every((id) => Array.isArray(told) && told.includes(id))) return undefined;
    const changes = { options: { [toldAnswers]: ids } };
    this.#own.dispatch({ kind: 'changeSession', changes }, { kind: 'host' });
    return (
      'Earlier answers that held in every folder do not count until you confirm them: ' +
      `${rulesInWords(waiting)}. See "parley permissions" or the Permissions page of the console.`
    );
  }

  get #mine(): readonly Rule[] {
    return this.#own.head.rules;
  }

  #replace(rules: readonly Rule[], by: Origin): void {
    this.#own.dispatch({ kind: 'changeSession', changes: { rules } }, by);
  }
}

/** Where the host's own log says which of these answers users were told about. */
const toldAnswers = 'toldAnswers';

/** Versions that did not say what an answer allowed stored no author. Denials of theirs still hold. */
export function isUnconfirmed({ effect, made }: Rule): boolean {
  return effect === 'allow' && made === undefined;
}

function holdsIn({ folders }: Rule, roots: readonly string[]): boolean {
  return !folders || roots.every((root) => folders.some((folder) => contains(folder, root)));
}
