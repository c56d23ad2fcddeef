// Copies the history of a chat into entries that a new session can begin with. Pure.
import type { ChatId, Entry, Event, EventKind, SessionId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { ImportedEvent } from './session.ts';

export interface CopyOptions {
  /** The current session; the copy gets its settings. */
  readonly state: State;
  readonly chat: ChatId;
  readonly as: SessionId;
  readonly title: string;
  /** The last message, text or call to copy, without its result; absent copies the whole chat. */
  readonly until?: string | undefined;
}

/**
 * Copies a chat from the entries of its session, without its queue, its agent's binding
 * and its subagent chats.
 */
export function copyPast(entries: readonly Entry[], options: CopyOptions): readonly ImportedEvent[] {
  const { state, chat, as, title, until } = options;
  const own = entries.flatMap(({ at, by, event }) =>
    'chat' in event && event.chat === chat && !excluded.has(event.kind) ? [{ at, by, event }] : [],
  );
  const last = until === undefined ? -1 : own.findLastIndex(({ event }) => isAbout(event, until));
  const kept = last < 0 ? own : own.slice(0, last + 1);
  const { agent, roots, model, mode } = state;
  const first = entries[0];
  if (!first) return [];
  const settings = {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    options: state.options,
    clientOptions: state.clientOptions,
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
    ...keptMode(state, first.at),
    { ...first, event: { kind: 'chat.created', chat: as, origin: { type: 'user' } } },
    ...closed(kept).map(({ event, ...rest }) => ({ ...rest, event: { ...event, chat: as } })),
  ];
}

/** The permission mode of a session, for another one that goes on with its work: the same person chose it. */
export function keptMode({ autonomy }: State, at: number): readonly ImportedEvent[] {
  if (!autonomy) return [];
  return [{ at, by: autonomy.by, event: { kind: 'session.changed', changes: { autonomy: autonomy.level } } }];
}

interface InChat extends ImportedEvent {
  readonly event: Extract<Event, { readonly chat: ChatId }>;
}

const excluded: ReadonlySet<EventKind> = new Set<EventKind>([
  'chat.created',
  'chat.changed',
  'chat.removed',
  'agent.bound',
  'message.queued',
  'message.removed',
  'message.reordered',
  'draft.set',
  'files.restored',
  'turns.reverted',
  'images.refused',
  'prompt.pinned',
  'hook.ran',
  'job.written',
]);

function isAbout(event: Event, id: string | undefined): boolean {
  if (event.kind === 'turn.started' || event.kind === 'message.steered') return event.message.id === id;
  return ('item' in event && event.item === id) || ('tool' in event && event.tool === id);
}

/** Ends a turn that would be left running: no agent works on it in the copy. */
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

/** The title of a copy: the first free one of "Title (2)", "Title (3)" and so on. */
export function nextTitle(title: string, taken: readonly string[]): string {
  const base = (title || 'Untitled').replace(/ \(\d+\)$/, '');
  const numbers = taken.flatMap((other) =>
    other.startsWith(`${base} (`) ? [Number(/\((\d+)\)$/.exec(other)?.[1] ?? 0)] : [],
  );
  return `${base} (${Math.max(1, ...numbers) + 1})`;
}
