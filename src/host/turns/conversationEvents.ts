// What a conversation may report outside a turn. Reports of a closed conversation are dropped.
import { maxTitleLength } from '../../model/decide.ts';
import type { ChatId, Json, Origin } from '../../model/event.ts';
import type { SessionReporter, TurnWork } from '../agent.ts';
import type { World } from '../world.ts';
import type { Session } from '../session/session.ts';

export interface SessionReporterOptions {
  readonly session: Session;
  readonly world: World;
  readonly chat: ChatId;
  readonly agent: string;
  /** Whether the conversation is closed. */
  readonly closed: () => boolean;
  /** Registers the work of a turn that is about to start. */
  readonly woken: (turn: string, work: TurnWork | undefined) => void;
}

export function createSessionReporter(options: SessionReporterOptions): SessionReporter {
  const { session, world, chat, agent, closed } = options;
  const origin: Origin = { kind: 'agent', agent };
  const told = (about: string, tell: () => ReturnType<Session['dispatch']>) => {
    const refused = closed() ? undefined : tell();
    if (refused) world.report(refused, `${about} of session ${session.id}`);
    return !refused;
  };
  return {
    bind: (ref) =>
      void told('the name of a conversation', () =>
        session.dispatch({ kind: 'bindAgent', chat, agent, ref }, origin),
      ),
    record: (fact) => void told('a fact', () => session.dispatch({ kind: 'record', fact }, origin)),
    change: ({ title, ...changes }) => {
      if (title !== undefined) giveTitle({ session, chat, origin, closed }, title);
      const fresh = freshOf(session, changes);
      if (Object.keys(fresh).length > 0)
        told('a setting', () => session.dispatch({ kind: 'changeSession', changes: fresh }, origin));
    },
    wake: (text, work) => wake(options, text, work),
    room: () => session.room(),
  };
}

/** The first chat has the title of its session; any other chat keeps the title it has. */
export function giveTitle(
  {
    session,
    chat,
    origin,
    closed,
  }: Pick<SessionReporterOptions, 'session' | 'chat' | 'closed'> & { readonly origin: Origin },
  wanted: string,
): void {
  const { head } = session;
  // Half of a surrogate pair is not a character.
  const title = wanted.slice(0, maxTitleLength).replace(/[\uD800-\uDBFF]$/, '');
  if (closed() || title === '' || !head.chats[chat]) return;
  if (head.order[0] !== chat) {
    if (head.chats[chat]?.title === '') session.dispatch({ kind: 'changeChat', chat, title }, origin);
  } else if (head.titleBy !== 'client' && head.title !== title)
    session.dispatch({ kind: 'changeSession', changes: { title } }, origin);
}

type Settings = Omit<Parameters<SessionReporter['change']>[0], 'title'>;

/**
 * The settings that differ from the current ones. Agents report options one by one; the
 * session stores all of them.
 */
function freshOf({ head }: Session, { model, mode, options }: Settings): Settings {
  const differs = Object.entries(options ?? {}).some(([key, value]) => head.options[key] !== value);
  const merged: { readonly [key: string]: Json } = { ...head.options, ...options };
  return {
    ...(model === undefined || model === head.model ? {} : { model }),
    ...(mode === undefined || mode === head.mode ? {} : { mode }),
    ...(differs ? { options: merged } : {}),
  };
}

function wake(
  { session, world, chat, agent, closed, woken }: SessionReporterOptions,
  text: string,
  work: TurnWork,
): boolean {
  const { held = false, queue = [] } = session.head.chats[chat] ?? {};
  // The end of the turn would start the messages that the user holds.
  if (closed() || (held && queue.length > 0)) return false;
  const turn = world.ids.next();
  woken(turn, work);
  const refused = session.dispatch(
    { kind: 'startTurn', chat, turn, message: { id: world.ids.next(), text, from: 'agent' } },
    { kind: 'agent', agent },
  );
  if (refused) woken(turn, undefined);
  return !refused;
}
