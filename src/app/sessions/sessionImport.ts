// Makes a session of this host out of an exported one. What was said and done is kept; what would give it
// power here is left behind.
import type { Host } from '../../host/host.ts';
import type { ImportedEvent } from '../../host/session/session.ts';
import { isRejection } from '../../model/command.ts';
import type {
  ChatId,
  Content,
  Entry,
  Event,
  EventKind,
  SessionChanges,
  SessionId,
} from '../../model/event.ts';
import { reduce } from '../../model/reduce.ts';
import { emptyState } from '../../model/state.ts';
import type { State } from '../../model/state.ts';
import type { ReadSession } from './sessionFile.ts';

export interface SessionImport {
  readonly session: ReadSession;
  /**
   * The folders it works in from now on: those of the file belong to another machine, or
   * to somebody with plans.
   */
  readonly roots: readonly string[];
}

export async function importSession(
  host: Host,
  { session, roots }: SessionImport,
): Promise<{ readonly id: SessionId } | { readonly problem: string }> {
  const id = isFree(host, session.id) ? session.id : host.ids.next();
  const names = newNames(host, session, id);
  const agent = agentFor(host, session);
  const kept = session.past.flatMap(({ at, by, event }) => {
    const safe = harmless(renamed(event, names));
    return safe
      ? [{ at, by, event: safe.kind === 'session.created' ? { ...safe, roots, agent } : safe }]
      : [];
  });
  const restored = await host.restore(ended(kept, id));
  return isRejection(restored) ? { problem: restored.message } : { id: restored.id };
}

/**
 * Waiting messages, agents' conversations, clients and private notes are of no use elsewhere; instructions
 * and resolved input would steer the agent here.
 */
const left: ReadonlySet<EventKind> = new Set<EventKind>([
  'message.queued',
  'message.removed',
  'message.reordered',
  'agent.bound',
  'turn.prepared',
  'tool.held',
  'hook.ran',
  'job.written',
  'edits.reverted',
  'edits.redone',
  'files.restored',
  'turns.reverted',
  'images.refused',
  'prompt.pinned',
  'input.resolved',
  'session.instructed',
  'features.disabled',
  'draft.set',
  'client.joined',
  'client.left',
  'note',
  'retired',
]);

/** Rules, options and modes decide what runs without asking, so a received file must not set them. */
function harmless(event: Event): Event | undefined {
  if (left.has(event.kind)) return undefined;
  if (event.kind === 'session.created') {
    const { options: _, mode: __, autonomy: ___, autonomyFrom: ____, ...rest } = event;
    return rest;
  }
  if (event.kind === 'chat.changed') {
    // Nobody here waits for the agent.
    const { stopping: _, ...rest } = event;
    return Object.keys(rest).length > 2 ? rest : undefined;
  }
  if (event.kind !== 'session.changed') return unseen(event);
  const { title, model, archived, read } = event.changes;
  const changes: SessionChanges = {
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(archived === undefined ? {} : { archived }),
    ...(read === undefined ? {} : { read }),
  };
  return Object.keys(changes).length > 0 ? { ...event, changes } : undefined;
}

/**
 * This host has not seen what the calls did, whoever made them. So an undo writes none of the texts of the
 * file into the workspace.
 */
function unseen(event: Event): Event {
  if (event.kind === 'tool.started' && event.source === 'native') return { ...event, source: 'agent' };
  if (event.kind === 'tool.ready' && event.preview)
    return { ...event, preview: event.preview.map(unseenEdit) };
  if (event.kind === 'tool.output' && 'replace' in event.output)
    return { ...event, output: { replace: event.output.replace.map(unseenEdit) } };
  if (event.kind === 'tool.ended' && event.result.status !== 'denied')
    return { ...event, result: { ...event.result, content: event.result.content.map(unseenEdit) } };
  return event;
}

function unseenEdit(content: Content): Content {
  if (content.type !== 'edit') return content;
  const { observed: _, folder: __, ...claim } = content;
  return claim;
}

/** A turn that was running when the session was exported has no agent any more. */
function ended(past: readonly ImportedEvent[], id: SessionId): readonly ImportedEvent[] {
  const last = past.at(-1);
  const state = past.reduce<State>(
    (before, { at, by, event }, index) =>
      reduce(before, { seq: index + 1, pos: index + 1, at, by, event } satisfies Entry),
    emptyState(id),
  );
  const open = Object.values(state.chats).flatMap(({ id: chat, active }) =>
    active ? [{ chat, turn: active.id }] : [],
  );
  return [
    ...past,
    ...open.map(({ chat, turn }): ImportedEvent => ({
      at: last?.at ?? 0,
      by: { kind: 'host' },
      event: { kind: 'turn.ended', chat, turn, outcome: { kind: 'interrupted' } },
    })),
  ];
}

/** The session and its first chat share one name; other chats keep theirs where nobody here has it. */
function newNames(host: Host, { id: old, past }: ReadSession, id: SessionId): ReadonlyMap<ChatId, ChatId> {
  const chats = past.flatMap(({ event }) =>
    event.kind === 'chat.created' && event.chat !== old ? [event.chat] : [],
  );
  return new Map([
    ...chats.map((chat): [ChatId, ChatId] => [chat, isFree(host, chat) ? chat : host.ids.next()]),
    [old, id],
  ]);
}

function isFree(host: Host, id: string): boolean {
  return !host.summary(id) && host.sessionOf(id) === undefined && !host.opened(id);
}

function agentFor(host: Host, { past }: ReadSession): string {
  const created = past[0]?.event;
  const known = host.agents().map(({ id }) => id);
  const wanted = created?.kind === 'session.created' ? created.agent : '';
  return known.includes(wanted) ? wanted : (known[0] ?? '');
}

/** Every place that names a chat or the session is called `chat` or `session`. */
function renamed<T>(value: T, names: ReadonlyMap<string, string>): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only strings are exchanged for strings
  return exchange(value, names) as T;
}

function exchange(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((each) => exchange(each, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => {
      const named =
        (key === 'chat' || key === 'session') && typeof each === 'string' ? names.get(each) : undefined;
      return [key, named ?? exchange(each, names)];
    }),
  );
}
