// Tells everybody on a session, by its log, that a file of settings is broken and the last good ones hold, or
// that it is not trusted: with the next turn, or at once in one that runs. Tells in the same way which
// earlier answers do not count any more, and that the mode auto has no sandbox.
import type { ChatId, TurnId } from '../../model/event.ts';
import { contains } from '../../base/paths.ts';
import type { World } from '../world.ts';
import type { LastingRules } from '../permissions/lastingRules.ts';
import type { Session } from '../session/session.ts';
import { withoutDecided } from '../settings/withoutDecided.ts';

export interface NewsSources {
  readonly session: Session;
  readonly world: World;
  readonly lasting: Pick<LastingRules, 'news'>;
}

export class SettingsNews {
  readonly #session: Session;
  readonly #world: World;
  readonly #lasting: NewsSources['lasting'];
  /** Each problem is reported once, and again if it returns after a fix. */
  #told: ReadonlySet<string> = new Set();
  #sandboxTold = false;

  constructor({ session, world, lasting }: NewsSources) {
    this.#session = session;
    this.#world = world;
    this.#lasting = lasting;
  }

  tell(chat: ChatId, turn: TurnId): void {
    const { roots } = this.#session.head;
    const all = this.#world.settings?.problems() ?? [];
    const here = withoutDecided(all, roots, this.#world.settings?.trust).filter(
      ({ folder }) => folder === undefined || roots.some((root) => contains(root, folder)),
    );
    const say = (level: 'info' | 'warning', text: string) =>
      this.#session.dispatch(
        { kind: 'report', chat, turn, report: { kind: 'notice.added', level, text } },
        { kind: 'host' },
      );
    for (const { kind, message } of here.filter((problem) => !this.#told.has(problem.message)))
      say(kind === 'untrusted' ? 'info' : 'warning', message);
    const news = this.#lasting.news();
    if (news !== undefined) say('warning', news);
    this.#told = new Set(here.map(({ message }) => message));
    void this.#tellSandbox((text) => say('warning', text));
  }

  /** Once for a session that is in auto where nothing can be confined: it asks, and people must know why. */
  async #tellSandbox(say: (text: string) => unknown): Promise<void> {
    if (this.#session.head.autonomy?.level !== 'auto' || this.#sandboxTold) return;
    const status = await this.#world.programs?.sandbox?.status();
    if (this.#sandboxTold || !status || status.available) return;
    this.#sandboxTold = true;
    say(
      `The permission mode is auto, but there is no sandbox, so everything asks as in the mode ask. ` +
        `${status.why} ${status.cure}`,
    );
  }
}
