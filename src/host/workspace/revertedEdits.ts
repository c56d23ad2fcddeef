// What users have taken back of an agent's work on files, as the log keeps it and as the agent is told.
import type { Json, Origin, TurnId } from '../../model/event.ts';
import type { Chat, State } from '../../model/state.ts';
import type { Session } from '../session/session.ts';
import { changesOf } from './revertEdits.ts';
import type { Undone } from './revertEdits.ts';

const door = 'host';

/** Keeps for every chat of a session that has changed such files that they are as they were; its agent is told when it works on. */
export function tellUndone(
  session: Session,
  { restored, left = [] }: Pick<Undone, 'restored'> & Partial<Undone>,
  by: Origin,
): void {
  const { chats } = session.head;
  for (const chat of Object.values(chats)) {
    const own = new Set(
      changesOf(chat, { after: undefined }).flatMap((change) =>
        'from' in change ? [change.from, change.to] : [change.path],
      ),
    );
    const mine = restored.filter((path) => own.has(path));
    if (mine.length > 0)
      session.dispatch(
        {
          kind: 'note',
          door,
          key: `undone:${chat.id}`,
          value: noted(session.head, chat, {
            restored: mine,
            left: left.filter(({ path }) => own.has(path)),
          }),
        },
        by,
      );
  }
}

/** All that was taken back since the last turn of the chat. */
function noted(state: State, chat: Chat, { restored, left }: Undone): Json {
  const after = lastTurn(chat);
  const before = noteOf(state, chat);
  const earlier = before?.after === after ? before.restored : [];
  return { after, restored: [...new Set([...earlier, ...restored])], left: left.map(({ path }) => path) };
}

/** What the agent has to know before it works on; nothing where nobody has taken anything back since it last worked. */
export function undoneText(state: State, chat: Chat): string | undefined {
  const note = noteOf(state, chat);
  if (!note || note.restored.length === 0 || note.after !== lastTurn(chat)) return undefined;
  const files = note.restored.map((path) => `- ${path}`).join('\n');
  const kept =
    note.left.length === 0
      ? ''
      : `\nThese were to be taken back too and stayed as they are, since somebody has changed them meanwhile:\n${note.left.map((path) => `- ${path}`).join('\n')}`;
  return `The user has taken back changes that were made in this conversation. These files are as they were before; read them again before you rely on them:\n${files}${kept}`;
}

interface Note {
  readonly after: TurnId | null;
  readonly restored: readonly string[];
  readonly left: readonly string[];
}

function lastTurn({ turns }: Chat): TurnId | null {
  return turns.at(-1)?.id ?? null;
}

function noteOf({ notes }: Pick<State, 'notes'>, { id }: Chat): Note | undefined {
  const note = notes[`${door}:undone:${id}`];
  if (typeof note !== 'object' || note === null || !('after' in note)) return undefined;
  return {
    after: typeof note['after'] === 'string' ? note['after'] : null,
    restored: textsIn(note['restored']),
    left: textsIn(note['left']),
  };
}

function textsIn(value: Json | undefined): readonly string[] {
  return isList(value) ? value.filter((each) => typeof each === 'string') : [];
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}
