// The past of a chat as a new session can begin with it. Pure; reads nothing and knows no protocol.
import type { ChatId, Entry, Event, EventKind, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { Past } from './session.ts';

export interface CopyWish {
  /** The session as it stands; the copy has its settings. */
  readonly state: State;
  readonly chat: ChatId;
  readonly as: SessionId;
  readonly title: string;
  /** The last message, text or call that is kept; what came of it is not. All of the chat where it is absent. */
  readonly until?: string | undefined;
}

/** Copies a chat from the entries of its session. What waits in its queue, what its agent remembers and the chats inside it stay behind. */
export function pastOf(entries: readonly Entry[], wish: CopyWish): readonly Past[] {
  const { state, chat, as, title, until } = wish;
  const own = entries.flatMap(({ at, by, event }) =>
    'chat' in event && event.chat === chat && !left.has(event.kind) ? [{ at, by, event }] : [],
  );
  const last = until === undefined ? -1 : own.findLastIndex(({ event }) => isAbout(event, until));
  const kept = last < 0 ? own : own.slice(0, last + 1);
  const { agent, roots, model, mode, options } = state;
  const first = entries[0];
  if (!first) return [];
  const settings = {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    options,
  };
  return [
    {
      ...first,
      event: {
        kind: 'session.created',
        session: as,
        agent,
        roots,
        ...settings,
        ...(title === '' ? {} : { title }),
      },
    },
    { ...first, event: { kind: 'chat.created', chat: as, origin: { type: 'user' } } },
    ...closed(kept).map(({ event, ...rest }) => ({ ...rest, event: { ...event, chat: as } })),
  ];
}

interface InChat extends Past {
  readonly event: Extract<Event, { readonly chat: ChatId }>;
}

const left: ReadonlySet<EventKind> = new Set<EventKind>([
  'chat.created',
  'chat.changed',
  'chat.removed',
  'agent.bound',
  'message.queued',
  'message.removed',
  'message.reordered',
  'draft.set',
  'files.restored',
  'hook.ran',
]);

function isAbout(event: Event, id: string | undefined): boolean {
  if (event.kind === 'turn.started' || event.kind === 'message.steered') return event.message.id === id;
  return ('item' in event && event.item === id) || ('tool' in event && event.tool === id);
}

/** A turn that would be left running ends here: nobody works on it in the copy. */
function closed(entries: readonly InChat[]): readonly InChat[] {
  const begun = entries.findLast(({ event }) => event.kind === 'turn.started');
  const last = entries.at(-1);
  if (begun?.event.kind !== 'turn.started' || !last) return entries;
  const { chat, turn } = begun.event;
  const end = entries.findLast(
    ({ event }) => (event.kind === 'turn.ended' || event.kind === 'turn.resumed') && event.turn === turn,
  );
  const over = end?.event.kind === 'turn.ended';
  return over
    ? entries
    : [
        ...entries,
        {
          at: last.at,
          by: last.by,
          event: { kind: 'turn.ended', chat, turn, outcome: { kind: 'completed' } },
        },
      ];
}
