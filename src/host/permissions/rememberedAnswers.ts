// Every answer that holds for more than one call: which rule, where, who gave it and when. Lists them and
// takes them back.
import { present } from '../../base/present.ts';
import type { Origin, Rule, RuleOrigin, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { SessionOwner } from '../ownership/hostLinks.ts';
import type { Session } from '../session/session.ts';
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
  readonly sessions: () => readonly Session[];
  readonly titleOf: (id: SessionId) => string | undefined;
}

export class RememberedAnswers {
  readonly #sources: AnswerSources;

  constructor(sources: AnswerSources) {
    this.#sources = sources;
  }

  /** The newest first; answers for one session only of sessions that are open in this host. */
  list(): readonly RememberedAnswer[] {
    const { lasting, sessions } = this.#sources;
    const all = [
      ...lasting.answered.map((rule) => this.#lasting(rule)),
      ...sessions().flatMap(({ head }) => head.rules.map((rule) => this.#ofSession(head, rule))),
    ];
    return all.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  }

  /**
   * Takes an answer back, in every session that shares it. False if there is none; the owner if it was given
   * on another host that is alive.
   */
  async revoke(id: string, by: Origin): Promise<boolean | SessionOwner> {
    const { lasting, sessions } = this.#sources;
    const holding = sessions().filter(({ head }) => head.rules.some((rule) => rule.id === id));
    for (const session of holding) {
      const rules = session.head.rules.filter((rule) => rule.id !== id);
      session.dispatch({ kind: 'changeSession', changes: { rules } }, by);
    }
    return (await lasting.revoke(id, by)) || holding.length > 0;
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

  #ofSession(state: State, rule: Rule): RememberedAnswer {
    const { id, effect } = rule;
    const made = answerFor(state, id);
    return {
      id,
      effect,
      rule: ruleInWords(rule),
      scope: 'session',
      confirmed: true,
      ...present({ session: this.#session(state.id), by: made?.by, at: made?.at }),
    };
  }

  #session(id: SessionId): RememberedAnswer['session'] {
    return { id, title: this.#sources.titleOf(id) ?? '' };
  }
}

/** The answer that made a rule of the session: the rule has the id of its question, or ends with it. */
function answerFor({ chats }: State, rule: string): RuleOrigin | undefined {
  for (const { turns, active } of Object.values(chats))
    for (const { items } of [...turns, ...(active ? [active] : [])])
      for (const item of items) {
        const approval = item.type === 'tool' ? item.approval : undefined;
        if (item.type !== 'tool' || !approval) continue;
        // Earlier versions wrote the number behind.
        if (rule.replace(/^\d{1,3}-/, '') === approval.ask || rule.startsWith(`${approval.ask}-`))
          return { by: approval.by, at: item.runningAt ?? item.at };
      }
  return undefined;
}
