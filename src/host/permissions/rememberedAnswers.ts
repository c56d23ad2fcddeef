// Every answer that holds for more than one call: which rule, where, who gave it and when. Lists them and
// takes them back.
import { present } from '../../base/present.ts';
import { isRejection } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { Origin, Rule, SessionId } from '../../model/event.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import type { Session } from '../session/session.ts';
import type { Summary } from '../session/summary.ts';
import { isUnconfirmed } from './lastingRules.ts';
import type { LastingRules } from './lastingRules.ts';
import { ruleInWords } from './ruleWords.ts';

export interface RememberedAnswer {
  readonly id: string;
  readonly effect: Rule['effect'];
  /** The rule in words. */
  readonly rule: string;
  readonly scope: 'session' | 'folder' | 'everywhere';
  readonly folders?: readonly string[];
  /** The session that it holds in, or in which it was given. */
  readonly session?: { readonly id: SessionId; readonly title: string };
  readonly by?: Origin;
  readonly at?: number;
  /** False if the answer does not count until it is confirmed. */
  readonly confirmed: boolean;
}

export interface AnswerSources {
  readonly lasting: LastingRules;
  readonly summaries: () => readonly Summary[];
  /** Those in memory. */
  readonly sessions: () => readonly Session[];
  readonly titleOf: (id: SessionId) => string | undefined;
  readonly open: (id: SessionId) => Promise<Session | Rejection>;
}

/** A rule that holds in one session. */
interface SessionRule {
  readonly rule: Rule;
  readonly session: SessionId;
}

export class RememberedAnswers {
  readonly #sources: AnswerSources;

  constructor(sources: AnswerSources) {
    this.#sources = sources;
  }

  /** The newest first. */
  list(): readonly RememberedAnswer[] {
    const all = [
      ...this.#sources.lasting.answered.map((rule) => this.#lasting(rule)),
      ...this.#inSessions().map((found) => this.#ofSession(found)),
    ];
    return all.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  }

  /**
   * Takes an answer back, in every session that shares it. False if there is none; the owner if it was given
   * on another host that is alive; the refusal of a session that cannot be changed.
   */
  async revoke(id: string, by: Origin): Promise<boolean | SessionOwner | Rejection> {
    const holders = this.#inSessions().filter(({ rule }) => rule.id === id);
    let refused: Rejection | undefined;
    for (const { session } of holders) refused = (await this.#revokeIn(session, id, by)) ?? refused;
    const isLasting = await this.#sources.lasting.revoke(id, by);
    return refused ?? (isLasting || holders.length > 0);
  }

  async #revokeIn(holder: SessionId, id: string, by: Origin): Promise<Rejection | undefined> {
    const session = await this.#sources.open(holder);
    if (isRejection(session)) return session;
    const rules = session.head.rules.filter((rule) => rule.id !== id);
    const refused = session.dispatch({ kind: 'changeSession', changes: { rules } }, by);
    await session.settled();
    return refused;
  }

  /** Lets an answer of an earlier version count again. False if there is none. */
  confirm(id: string, by: Origin): boolean {
    return this.#sources.lasting.confirm(id, by);
  }

  #lasting(rule: Rule): RememberedAnswer {
    const { id, effect, folders, made } = rule;
    const scope = folders ? 'folder' : 'everywhere';
    const session = made?.session === undefined ? undefined : this.#session(made.session);
    return {
      id,
      effect,
      rule: ruleInWords(rule),
      scope,
      confirmed: !isUnconfirmed(rule),
      ...present({ folders, session, by: made?.by, at: made?.at }),
    };
  }

  /** A session that is in memory may be ahead of its summary. */
  #inSessions(): readonly SessionRule[] {
    const { summaries, sessions } = this.#sources;
    const open = new Map(sessions().map(({ id, head }) => [id, head]));
    const closed = summaries().filter(({ id }) => !open.has(id));
    return [
      ...[...open].map(([session, head]) => ({ session, rules: head.rules })),
      ...closed.map(({ id: session, rules = [] }) => ({ session, rules })),
    ].flatMap(({ session, rules }) => rules.map((rule) => ({ rule, session })));
  }

  #ofSession({ rule, session }: SessionRule): RememberedAnswer {
    const { id, effect, made } = rule;
    return {
      id,
      effect,
      rule: ruleInWords(rule),
      scope: 'session',
      confirmed: true,
      session: this.#session(session),
      ...present({ by: made?.by, at: made?.at }),
    };
  }

  #session(id: SessionId): { readonly id: SessionId; readonly title: string } {
    return { id, title: this.#sources.titleOf(id) ?? '' };
  }
}
