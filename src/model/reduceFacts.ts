// Folds facts that are stored unchanged: drafts, clients, hooks, private notes. Pure helpers of the reducer.
import type { RecordableFact } from './command.ts';
import { editKey } from './edits.ts';
import type { ChatId, EventOf, TurnId } from './event.ts';
import { changeChat } from './reduceTurn.ts';
import type { Chat, State } from './state.ts';

type FactFolder<K extends RecordableFact['kind']> = (state: State, event: EventOf<K>) => State | undefined;

export const factFolders: { readonly [K in RecordableFact['kind']]: FactFolder<K> } = {
  'turn.prepared': (state, { turn, stage, early }) => ({
    ...state,
    preparations: { ...state.preparations, [turn]: { stage, early } },
  }),
  // Doors show hooks; the state does not contain them.
  'hook.ran': (state, { chat }) => (Object.hasOwn(state.chats, chat) ? { ...state } : undefined),
  // The log says who wrote; nothing that is shown follows from it.
  'job.written': (state, { chat }) => (Object.hasOwn(state.chats, chat) ? { ...state } : undefined),
  'edits.reverted': (state, { edits, amended = [] }) => ({
    ...state,
    revertedEdits: [...state.revertedEdits, ...edits],
    amendedEdits: [...state.amendedEdits, ...amended],
  }),
  'edits.redone': (state, { edits }) => {
    const redone = new Set(edits.map(editKey));
    const turns = new Set(edits.map(({ turn }) => turn));
    const chats = Object.entries(state.chats).map(([id, chat]): [ChatId, Chat] => [
      id,
      withoutReverted(chat, turns),
    ]);
    return {
      ...state,
      revertedEdits: state.revertedEdits.filter((edit) => !redone.has(editKey(edit))),
      chats: Object.fromEntries(chats),
    };
  },
  'files.restored': (state, event) =>
    changeChat(state, event.chat, (chat) => ({ ...chat, restored: withRestored(chat, event) })),
  'turns.reverted': (state, { chat, turns }) =>
    changeChat(state, chat, (old) => ({
      ...old,
      revertedTurns: [...new Set([...old.revertedTurns, ...turns])],
    })),
  'images.refused': (state, { chat, upTo }) =>
    changeChat(state, chat, (old) => ({ ...old, refusedImages: { ...old.refusedImages, ...upTo } })),
  'prompt.pinned': (state, { chat, prompt }) =>
    changeChat(state, chat, (old) => ({ ...old, pinnedPrompt: prompt ?? undefined })),
  'input.resolved': (state, { message, input }) => ({
    ...state,
    inputs: { ...state.inputs, [message]: input },
  }),
  'session.instructed': (state, { extensions, prompt }) => ({
    ...state,
    ...(extensions ? { extensions } : {}),
    ...(prompt ? { systemPrompt: prompt } : {}),
  }),
  'features.disabled': (state, { ids }) => ({ ...state, disabledFeatures: ids }),
  'draft.set': (state, { chat, draft }) =>
    changeChat(state, chat, (old) => ({ ...old, draft: draft ?? undefined })),
  'client.joined': (state, { client }) => ({ ...state, clients: withClient(state.clients, client) }),
  'client.left': (state, { client }) => {
    const clients = state.clients.filter(({ id }) => id !== client);
    return clients.length < state.clients.length ? { ...state, clients } : undefined;
  },
  note: (state, { owner, key, value }) => {
    const { [key]: _, ...others } = state.notes[owner] ?? {};
    const notes = value === null ? others : { ...state.notes[owner], [key]: value };
    return { ...state, notes: { ...state.notes, [owner]: notes } };
  },
};

/** The undo command may revert these turns again. */
function withoutReverted(chat: Chat, turns: ReadonlySet<TurnId>): Chat {
  return chat.revertedTurns.some((id) => turns.has(id))
    ? { ...chat, revertedTurns: chat.revertedTurns.filter((id) => !turns.has(id)) }
    : chat;
}

/**
 * All reverts since the same turn are combined. What is reverted and redone between two turns is as the agent
 * knows it, so it is in neither list.
 */
function withRestored(
  { restored: old }: Chat,
  { after, restored, left, redone: isRedo }: EventOf<'files.restored'>,
): NonNullable<Chat['restored']> {
  const earlier = old?.after === after ? old : undefined;
  const now = new Set(restored);
  const [same, opposite] = isRedo
    ? [earlier?.redone, earlier?.restored]
    : [earlier?.restored, earlier?.redone];
  const known = new Set(opposite);
  const added = [...new Set([...(same ?? []), ...restored.filter((path) => !known.has(path))])];
  const others = (opposite ?? []).filter((path) => !now.has(path));
  const redone = isRedo ? added : others;
  return { after, restored: isRedo ? others : added, left, ...(redone.length > 0 ? { redone } : {}) };
}

/** A client that joins again keeps its place. */
function withClient(clients: State['clients'], client: State['clients'][number]): State['clients'] {
  const at = clients.findIndex(({ id }) => id === client.id);
  return at < 0 ? [...clients, client] : clients.with(at, client);
}
