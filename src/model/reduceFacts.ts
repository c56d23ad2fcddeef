// Folds facts that are stored unchanged: drafts, clients, hooks, private notes. Pure helpers of the reducer.
import type { RecordableFact } from './command.ts';
import type { EventOf } from './event.ts';
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
  'edits.reverted': (state, { edits }) => ({ ...state, revertedEdits: [...state.revertedEdits, ...edits] }),
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

/** All reverts since the same turn are combined. */
function withRestored(
  { restored: old }: Chat,
  { after, restored, left }: EventOf<'files.restored'>,
): NonNullable<Chat['restored']> {
  const earlier = old?.after === after ? old.restored : [];
  return { after, restored: [...new Set([...earlier, ...restored])], left };
}

/** A client that joins again keeps its place. */
function withClient(clients: State['clients'], client: State['clients'][number]): State['clients'] {
  const at = clients.findIndex(({ id }) => id === client.id);
  return at < 0 ? [...clients, client] : clients.with(at, client);
}
