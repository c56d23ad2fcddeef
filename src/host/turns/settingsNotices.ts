// Tells everybody on a session, by its log, that a file of settings is broken and the last good ones hold, or
// that it is not trusted: with the next turn, or at once in one that runs.
import type { ChatId, TurnId } from '../../model/event.ts';
import { contains } from '../../base/paths.ts';
import type { World } from '../world.ts';
import type { Session } from '../session/session.ts';

export class SettingsNews {
  readonly #session: Session;
  readonly #world: World;
  /** Each problem is reported once, and again if it returns after a fix. */
  #told: ReadonlySet<string> = new Set();

  constructor({ session, world }: { readonly session: Session; readonly world: World }) {
    this.#session = session;
    this.#world = world;
  }

  tell(chat: ChatId, turn: TurnId): void {
    const { roots } = this.#session.head;
    const all = this.#world.settings?.problems() ?? [];
    const here = all.filter(
      ({ folder }) => folder === undefined || roots.some((root) => contains(root, folder)),
    );
    for (const { kind, message: text } of here.filter(({ message }) => !this.#told.has(message))) {
      this.#session.dispatch(
        {
          kind: 'report',
          chat,
          turn,
          report: { kind: 'notice.added', level: kind === 'untrusted' ? 'info' : 'warning', text },
        },
        { kind: 'host' },
      );
    }
    this.#told = new Set(here.map(({ message }) => message));
  }
}
