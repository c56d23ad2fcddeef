// Folds one entry into the state. Pure and total: an unknown event changes only the position.
import { present } from '../base/present.ts';
import type { Entry, EventKind, EventOf, Json, MessageId, Origin, Usage } from './event.ts';
import { endTurn, changeChat, inItem, inTurn, resumeTurn, addTurn, withItem } from './reduceTurn.ts';
import { factFolders } from './reduceFacts.ts';
import { answerAsk, addAsk, toolStep } from './reduceTool.ts';
import type { Chat, Compaction, State } from './state.ts';
import { sumUsage } from './usage.ts';

export function reduce(state: State, entry: Entry): State {
  return reduceIfFits(state, entry) ?? { ...state, seq: entry.seq, pos: entry.pos };
}

/** The same, but undefined if the entry does not apply to the state. */
export function reduceIfFits(state: State, entry: Entry): State | undefined {
  const next: { -readonly [K in keyof State]: State[K] } | undefined = fold(state, entry);
  if (!next) return undefined;
  // A fold always returns a new object, so its position is set in place instead of by another copy.
  next.seq = entry.seq;
  next.pos = entry.pos;
  return next;
}

/** The state after an entry; undefined if the entry does not apply. */
export function fold(state: State, entry: Entry): State | undefined {
  // The kind chooses the folder, which the compiler cannot follow through a union.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const folder = folders[entry.event.kind] as EventReducer<EventKind> | undefined;
  return folder?.(state, entry.event, entry);
}

export type EventReducer<K extends EventKind> = (
  state: State,
  event: EventOf<K>,
  entry: Entry,
) => State | undefined;

const folders: { readonly [K in EventKind]: EventReducer<K> } = {
  'session.created': (state, event, { at, by }) =>
    state.seq > 0
      ? undefined
      : {
          ...state,
          agent: event.agent,
          firstAgent: event.agent,
          roots: event.roots,
          title: event.title ?? '',
          titleBy: event.title ? by.kind : 'nobody',
          model: event.model,
          mode: event.mode,
          autonomy: event.autonomy && {
            level: event.autonomy,
            by: event.autonomyFrom === 'settings' ? { kind: 'host' } : by,
          },
          options: event.options ?? {},
          clientOptions: event.clientOptions ?? {},
          createdAt: at,
          modifiedAt: at,
        },
  'session.changed': (state, { changes: { autonomy, ...changes } }, { at, by }) => ({
    ...state,
    ...forgetting(state, changes),
    ...changes,
    ...(autonomy === undefined ? {} : { autonomy: { level: autonomy, by } }),
    ...(changes.title === undefined ? {} : { titleBy: by.kind }),
    ...(touches(changes) ? { modifiedAt: at } : {}),
  }),
  'agent.bound': (state, { chat, agent, ref }) =>
    changeChat(state, chat, (old) => ({ ...old, bound: { agent, ref } })),
  'chat.created': (state, { chat, origin, title }, { at }) =>
    state.chats[chat]
      ? undefined
      : {
          ...state,
          modifiedAt: at,
          order: [...state.order, chat],
          chats: { ...state.chats, [chat]: newChat({ id: chat, origin, title: title ?? '', at }) },
        },
  'chat.changed': (state, { kind: _, chat, ...changes }, { at }) =>
    changeChat(state, chat, (old) => ({
      ...old,
      ...changes,
      ...(changes.title === undefined ? {} : { modifiedAt: at }),
    })),
  'chats.ordered': (state, { order }) =>
    order.length === state.order.length && order.every((id) => Object.hasOwn(state.chats, id))
      ? { ...state, order }
      : undefined,
  'chat.removed': (state, { chat }, { at }) => {
    if (!state.chats[chat]) return undefined;
    const { [chat]: _, ...chats } = state.chats;
    return { ...state, chats, modifiedAt: at, order: state.order.filter((id) => id !== chat) };
  },
  'chat.truncated': (state, { chat, after }, { at }) =>
    changeChat(touched(state, at), chat, (old) => {
      const kept = after === undefined ? 0 : old.turns.findIndex((turn) => turn.id === after) + 1;
      if (after !== undefined && kept === 0) return undefined;
      const turns = old.turns.slice(0, kept);
      const compaction = within(old.compaction, turns);
      // The agent remembers turns that the chat does not have any more, so its conversation is not continued.
      return {
        ...old,
        turns,
        compaction,
        bound: undefined,
        active: undefined,
        asks: {},
        modifiedAt: at,
        lately: { ...old.lately, failed: false },
        held: old.queue.length > 0,
        ...present({ rolledBack: sumUsage([old.rolledBack, ...removedUsage(old, kept)]) }),
      };
    }),
  'chat.compacted': (state, { chat, summary, after, item, trigger }) =>
    changeChat(state, chat, (old) => ({
      ...old,
      compaction: {
        summary,
        after,
        ...present({ item, trigger, earlier: old.compaction }),
      },
    })),
  'message.queued': (state, { chat, lane, message }, { at, by }) =>
    changeChat(touched(state, at), chat, (old) => {
      const lists = lane === 'queue' ? 'queue' : 'steering';
      const known = old[lists].some(({ id }) => id === message.id);
      const list = known
        ? old[lists].map((m) => (m.id === message.id ? message : m))
        : [...old[lists], message];
      return { ...old, [lists]: list, modifiedAt: at, ...limitOf(old, message.id, by) };
    }),
  'message.removed': (state, { chat, message }, { at }) =>
    changeChat(touched(state, at), chat, (old) => withoutMessage(old, message)),
  'message.reordered': (state, { chat, order }) =>
    changeChat(state, chat, (old) => {
      const first = order.flatMap((id, i) =>
        order.indexOf(id) === i ? old.queue.filter((m) => m.id === id) : [],
      );
      return { ...old, queue: [...first, ...old.queue.filter((m) => !order.includes(m.id))] };
    }),
  'message.steered': (state, { chat, turn, message }, { at }) =>
    changeChat(state, chat, (old) =>
      inTurn(withoutMessage(old, message.id) ?? old, turn, (active) =>
        withItem(active, { type: 'message', id: message.id, at, message }),
      ),
    ),
  'turn.started': (state, event, entry) =>
    changeChat({ ...touched(state, entry.at), read: false }, event.chat, (old) =>
      addTurn(withoutMessage(old, event.message.id) ?? old, { event, entry }, state.model),
    ),
  'turn.ended': (state, event, entry) =>
    changeChat(touched(state, entry.at), event.chat, (old) => endTurn(old, event, entry)),
  'turn.resumed': (state, event, entry) =>
    changeChat({ ...touched(state, entry.at), read: false }, event.chat, (old) =>
      resumeTurn(old, event, entry),
    ),
  'usage.reported': (state, { chat, turn, usage }) =>
    changeChat(state, chat, (old) =>
      inTurn(old, turn, (active) => ({ ...active, usage: { ...active.usage, ...usage } })),
    ),
  'text.added': (state, { chat, turn, item, channel, text, sources, meta }, { at }) =>
    changeChat(state, chat, (old) =>
      inTurn(
        old,
        turn,
        (active) =>
          inItem(active, item, (known) =>
            known.type === 'text' && known.channel === channel
              ? { ...known, text: known.text + text, ...present({ sources, meta }) }
              : undefined,
          ) ??
          (active.items.some(({ id }) => id === item)
            ? undefined
            : withItem(active, { type: 'text', id: item, at, channel, text, ...present({ sources, meta }) })),
      ),
    ),
  'image.added': (state, { chat, turn, item, mediaType, data, meta }, { at }) =>
    changeChat(state, chat, (old) =>
      inTurn(old, turn, (active) =>
        active.items.some(({ id }) => id === item)
          ? undefined
          : withItem(active, { type: 'image', id: item, at, mediaType, data, ...metaOf(meta) }),
      ),
    ),
  'plan.set': (state, { chat, entries }) => changeChat(state, chat, (old) => ({ ...old, plan: entries })),
  'notice.added': (state, { chat, turn, level, text, waits, retry, stoppedBy }, { at, seq }) =>
    changeChat(state, chat, (old) =>
      inTurn(old, turn, (active) =>
        withItem(active, {
          type: 'notice',
          id: `notice-${seq}`,
          at,
          level,
          text,
          ...(waits ? { waits } : {}),
          ...(retry ? { retry } : {}),
          ...(stoppedBy === undefined ? {} : { stoppedBy }),
        }),
      ),
    ),
  'tool.started': (state, event, { at }) =>
    changeChat(state, event.chat, (old) =>
      inTurn(old, event.turn, (active) =>
        active.items.some(({ id }) => id === event.tool)
          ? undefined
          : withItem(active, {
              type: 'tool',
              id: event.tool,
              at,
              name: event.name,
              title: event.title,
              toolKind: event.toolKind,
              source: event.source,
              server: event.server,
              status: 'preparing',
              inputText: '',
              input: undefined,
              locations: [],
              preview: [],
              basis: undefined,
              approval: undefined,
              runningAt: undefined,
              endedAt: undefined,
              output: '',
              content: [],
              result: undefined,
            }),
      ),
    ),
  'tool.input': (state, event) =>
    toolStep(state, event, (tool) => ({ ...tool, inputText: tool.inputText + event.text })),
  'tool.ready': (state, event) =>
    toolStep(state, event, (tool) => ({
      ...tool,
      input: event.input,
      title: event.title,
      toolKind: event.toolKind,
      locations: event.locations ?? tool.locations,
      preview: event.preview ?? tool.preview,
      ...metaOf(event.meta),
    })),
  'tool.running': (state, event, { at }) =>
    toolStep(state, event, (tool) => ({
      ...tool,
      basis: event.basis,
      runningAt: at,
      ...(event.title === undefined
        ? {}
        : { original: { title: tool.title, ...present({ input: tool.input }) } }),
      ...present({ input: event.input, title: event.title, sandbox: event.sandbox }),
    })),
  'tool.output': (state, { output, ...event }) =>
    toolStep(state, event, (tool) =>
      'append' in output
        ? { ...tool, output: tool.output + output.append }
        : { ...tool, content: output.replace },
    ),
  'tool.held': (state, event) => {
    const next = toolStep(state, event, (tool) => (tool.held ? tool : { ...tool, held: event.result }));
    return next && { ...next, asked: true };
  },
  'tool.ended': (state, event, { at }) =>
    toolStep(state, event, (tool) => ({ ...tool, result: event.result, endedAt: at, ...metaOf(event.meta) })),
  'ask.opened': (state, event, entry) => addAsk(state, event, entry),
  'ask.answered': (state, event, entry) => answerAsk(state, event, entry),
  ...factFolders,
  retired: () => undefined,
};

function metaOf(meta: Json | undefined): { readonly meta?: Json } {
  return meta === undefined ? {} : { meta };
}

/** Another agent has other models, modes and options; one that comes back has what it had. */
function forgetting(state: State, { agent }: EventOf<'session.changed'>['changes']): Partial<State> {
  if (agent === undefined || agent === state.agent) return {};
  const { model, mode, options } = state;
  const former = { ...state.former, [state.agent]: { model, mode, options } };
  const back = Object.hasOwn(former, agent) ? former[agent] : undefined;
  return { model: undefined, mode: undefined, options: {}, ...back, clientOptions: {}, former };
}

function touched(state: State, at: number): State {
  return { ...state, modifiedAt: at };
}

/** `read` and `archived` are about the reader, so they do not change the modification time. */
function touches(changes: EventOf<'session.changed'>['changes']): boolean {
  return Object.keys(changes).some((key) => key !== 'read' && key !== 'archived');
}

/** The newest summary of what is left of a chat. */
function within(compaction: Compaction | undefined, turns: Chat['turns']): Compaction | undefined {
  let kept = compaction;
  while (kept && !turns.some(({ id }) => id === kept?.after)) kept = kept.earlier;
  return kept;
}

function withoutMessage(chat: Chat, id: string): Chat | undefined {
  const queue = chat.queue.filter((m) => m.id !== id);
  const steering = chat.steering.filter((m) => m.id !== id);
  return queue.length + steering.length < chat.queue.length + chat.steering.length
    ? { ...chat, queue, steering }
    : undefined;
}

function newChat({ at, ...given }: Pick<Chat, 'id' | 'origin' | 'title'> & { readonly at: number }): Chat {
  return {
    ...given,
    firstTitle: given.title,
    read: true,
    archived: false,
    createdAt: at,
    modifiedAt: at,
    lately: { at, failed: false },
    turns: [],
    active: undefined,
    queue: [],
    steering: [],
    held: false,
    asks: {},
    plan: [],
    bound: undefined,
    compaction: undefined,
    draft: undefined,
    restored: undefined,
    revertedTurns: [],
    refusedImages: {},
    pinnedPrompt: undefined,
  };
}

function removedUsage({ turns, active }: Chat, kept: number): readonly (Usage | undefined)[] {
  return [...turns.slice(kept), active].map((turn) => turn?.usage);
}

/** Who replaces the message of a device answers for it. */
function limitOf({ limits = {} }: Chat, message: MessageId, by: Origin): Pick<Chat, 'limits'> {
  const most = by.kind === 'client' ? by.most : undefined;
  if (most !== undefined) return { limits: { ...limits, [message]: most } };
  const { [message]: old, ...others } = limits;
  return old === undefined ? {} : { limits: others };
}
