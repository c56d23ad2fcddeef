// Tells everybody on a session, by its log, that a file of settings is broken and the last good ones hold, or
// that it is not trusted: with the next turn, or at once in one that runs. Tells in the same way which
// earlier answers do not count any more, and what limits the permission mode.
import type { Autonomy, ChatId, TurnId } from '../../model/event.ts';
import { contains } from '../../base/paths.ts';
import type { World } from '../world.ts';
import type { LastingRules } from '../permissions/lastingRules.ts';
import type { Session } from '../session/session.ts';
import { allowedAutonomy, autonomyRefusal, lowerAutonomy, turnCap } from '../settings/autonomy.ts';
import type { SettingsProblem } from '../settings/settings.ts';
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
  /** Why the mode is lower than the one that was chosen, until a turn says it. */
  #lowered: string | undefined;
  /** The turn that said last that it may have less than its session, and what. */
  #limited: { readonly turn: TurnId; readonly cap: Autonomy } | undefined;

  constructor({ session, world, lasting }: NewsSources) {
    this.#session = session;
    this.#world = world;
    this.#lasting = lasting;
  }

  /** What the settings do not allow any more ends at once, so that every client shows what holds. */
  lowerMode(): void {
    const { roots, autonomy } = this.#session.head;
    const { settings } = this.#world;
    const level = allowedAutonomy(autonomy?.level, roots, settings);
    if (!autonomy || autonomy.level === level) return;
    const why = autonomyRefusal(autonomy.level, roots, { settings, sandbox: undefined }) ?? '';
    const change = { kind: 'changeSession', changes: { autonomy: level } } as const;
    if (!this.#session.dispatch(change, { kind: 'host' })) this.#lowered = loweredText(why, level);
  }

  /** Says once in a turn that the device whose message it works on may have less than the session. */
  tellLimit(chat: ChatId, turn: TurnId): void {
    const { head } = this.#session;
    const cap = turnCap(head, { chat, turn: { id: turn } });
    const level = head.autonomy?.level ?? 'ask';
    const isTold = this.#limited?.turn === turn && this.#limited.cap === cap;
    if (lowerAutonomy(level, cap) === level || isTold || head.chats[chat]?.origin.type === 'tool') return;
    this.#limited = { turn, cap };
    const text =
      `This turn is in the permission mode ${cap}, not ${level}: ` +
      'the device of one of its messages may have no more. See parley devices.';
    this.#say({ chat, turn }, { level: 'warning', text });
  }

  tell(chat: ChatId, turn: TurnId): void {
    const { roots } = this.#session.head;
    const all = this.#world.settings?.problems() ?? [];
    const here = withoutDecided(all, roots, this.#world.settings?.trust).filter(
      ({ folder }) => folder === undefined || roots.some((root) => contains(root, folder)),
    );
    const say = (level: 'info' | 'warning', text: string) => this.#say({ chat, turn }, { level, text });
    const notices = [...here.map(noticeOf), ...this.#unmetMode()];
    for (const { level, text } of notices) if (!this.#told.has(text)) say(level, text);
    const news = this.#lasting.news();
    if (news !== undefined) say('warning', news);
    this.lowerMode();
    const lowered = this.#lowered === undefined ? [] : [this.#lowered];
    for (const text of lowered) say('warning', text);
    this.#told = new Set([...notices.map(({ text }) => text), ...lowered]);
    this.#lowered = undefined;
    this.tellLimit(chat, turn);
    void this.#tellSandbox((text) => say('warning', text));
  }

  /** The settings want a mode that they do not allow here, or that this folder is not trusted for. */
  #unmetMode(): readonly Notice[] {
    const { roots, autonomy } = this.#session.head;
    const { settings } = this.#world;
    const wanted = settings?.of(roots).permissions?.mode;
    if (!wanted || !autonomy || autonomy.by.kind !== 'host') return [];
    const why = autonomyRefusal(wanted, roots, { settings, sandbox: undefined });
    return why === undefined ? [] : [{ level: 'warning', text: loweredText(why, autonomy.level) }];
  }

  #say(place: { readonly chat: ChatId; readonly turn: TurnId }, notice: Notice): void {
    this.#session.dispatch(
      { kind: 'report', ...place, report: { kind: 'notice.added', ...notice } },
      { kind: 'host' },
    );
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

interface Notice {
  readonly level: 'info' | 'warning';
  readonly text: string;
}

function loweredText(why: string, level: Autonomy): string {
  return `${why} This session is in ${level} now.`;
}

function noticeOf({ kind, message }: SettingsProblem): Notice {
  return { level: kind === 'untrusted' ? 'info' : 'warning', text: message };
}
