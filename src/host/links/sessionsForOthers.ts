// What this host does for the others: carries out commands of their clients, tells them what was stored, and
// lets idle sessions go.
import { errorText } from '../../base/errorText.ts';
import { reject } from '../../model/command.ts';
import type { Command, Rejection } from '../../model/command.ts';
import type { Origin, SessionId } from '../../model/event.ts';
import { isTaken, refuseForwarding } from '../ownership/forwardable.ts';
import type { Session } from '../session/session.ts';
import type { LinkAnswer, LinkCommand, LinkFollower, LinkService } from '../ownership/hostLinks.ts';

export interface SessionsForOthersOptions {
  /** The name of this host. */
  readonly name: string;
  /** A session that is open here and belongs to this host. */
  readonly owned: (session: SessionId) => Session | undefined;
  readonly letGo: (session: SessionId, to: string) => Promise<boolean>;
}

/** How many answers are remembered, for hosts that ask again after their connection broke. */
const remembered = 1_000;

export class SessionsForOthers implements LinkService {
  readonly #options: SessionsForOthersOptions;
  readonly #answers = new Map<string, Promise<LinkAnswer>>();
  readonly #followers = new Map<SessionId, Set<() => void>>();

  constructor(options: SessionsForOthersOptions) {
    this.#options = options;
  }

  command(given: LinkCommand): Promise<LinkAnswer> {
    const known = this.#answers.get(given.id);
    if (known) return known;
    const answer = this.#carryOut(given);
    this.#answers.set(given.id, answer);
    const oldest = this.#answers.size > remembered ? this.#answers.keys().next() : undefined;
    if (oldest && !oldest.done) this.#answers.delete(oldest.value);
    return answer;
  }

  letGo(session: SessionId, to: string): Promise<boolean> {
    return this.#options.letGo(session, to);
  }

  follow(id: SessionId, on: LinkFollower): (() => void) | undefined {
    const session = this.#options.owned(id);
    if (!session) return undefined;
    const unfollow = session.follow(() => on.stored(), 'host');
    const followers = this.#followers.get(id) ?? new Set();
    const leave = () => {
      unfollow();
      followers.delete(gone);
      if (followers.size === 0) this.#followers.delete(id);
    };
    const gone = () => {
      leave();
      on.gone();
    };
    this.#followers.set(id, followers.add(gone));
    return leave;
  }

  /** This host has given a session up. */
  gaveUp(session: SessionId): void {
    for (const gone of [...(this.#followers.get(session) ?? [])]) gone();
  }

  async #carryOut({ session: id, command, by, lends }: LinkCommand): Promise<LinkAnswer> {
    const session = this.#options.owned(id);
    if (!session) return { gone: true };
    const refused = refuseForwarding(command, by, this.#options.name) ?? carryOutOnce(session, command, by);
    if (refused) return refused;
    if (lends) this.#tellLending(session, command);
    const { seq } = session.head;
    try {
      await session.settled();
      return { seq };
    } catch (error) {
      return reject('elsewhere', errorText(error, String(error)));
    }
  }

  /** Who lends something learns in the turn that it is not used. */
  #tellLending(session: Session, command: LinkCommand['command']): void {
    const chat = 'chat' in command ? session.head.chats[command.chat] : undefined;
    if (!chat?.active) return;
    const text =
      `This session runs on the host ${this.#options.name}, so it does not see the unsaved files, terminals and ` +
      'tools of an editor that is connected to another host.';
    session.dispatch(
      {
        kind: 'report',
        chat: chat.id,
        turn: chat.active.id,
        report: { kind: 'notice.added', level: 'info', text },
      },
      { kind: 'host' },
    );
  }
}

/** Another owner may have stored it before, and could not tell. */
function carryOutOnce(session: Session, command: Command, by: Origin): Rejection | undefined {
  return isTaken(session.head, command) ? undefined : session.dispatch(command, by);
}
