// The chats that were created in one editor: they share the approvals that the user told us to remember.
import type { Host } from '../../../host/host.ts';
import type { Session } from '../../../host/session/session.ts';
import { withRules } from '../../../model/decideAsk.ts';
import type { Rule, SessionId } from '../../../model/event.ts';
import type { ClientProfile } from '../client/clientProfile.ts';

export class StartedChats {
  readonly #host: Host;
  readonly #profile: ClientProfile;
  readonly #sessions = new Set<SessionId>();
  #rules: readonly Rule[] = [];

  constructor(host: Host, profile: ClientProfile) {
    this.#host = host;
    this.#profile = profile;
  }

  /** Adds a new session and gives it the approvals that were remembered before and hold still. */
  add(session: Session): void {
    const others = this.opened();
    this.#rules = this.#rules.filter(({ id }) => others.every((other) => hasRule(other, id)));
    this.#sessions.add(session.id);
    this.#allow(session, this.#rules);
  }

  /** The sessions that are in memory. */
  opened(): readonly Session[] {
    return [...this.#sessions].flatMap((id) => this.#host.opened(id) ?? []);
  }

  /** Gives the rules that an approval has added to one session to all the others. */
  remember(session: Session, before: readonly Rule[]): void {
    const added = session.head.rules.filter((rule) => !before.includes(rule));
    if (added.length === 0 || !this.#sessions.has(session.id)) return;
    this.#rules = withRules(this.#rules, added);
    for (const other of this.opened()) if (other !== session) this.#allow(other, added);
  }

  #allow(session: Session, given: readonly Rule[]): void {
    const missing = given.filter((rule) => !session.head.rules.includes(rule));
    if (missing.length === 0) return;
    const rules = withRules(session.head.rules, missing);
    session.dispatch({ kind: 'changeSession', changes: { rules } }, this.#profile.origin);
  }
}

/** A rule that one of the chats lacks was revoked there. */
function hasRule({ head: { rules } }: Session, id: string): boolean {
  return rules.some((rule) => rule.id === id);
}
