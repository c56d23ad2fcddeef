// The customizations of a session: a tree of depth two, addressed by ids that are unique in all of it.
import { put, removeAt, removeWhere, replaceAt, upsert } from '../../immutable.ts';
import type { Handlers } from '../../reducer.ts';
import type { ActionsOf } from '../../actionTypes.ts';
import type {
  ChildCustomization,
  Customization,
  EnablementEntry,
  McpServerCustomization,
} from '../customization.ts';
import type { SessionActions } from '../sessionActions.ts';
import type { SessionState } from '../state.ts';

type CustomizationActions = Pick<
  SessionActions,
  Extract<keyof SessionActions, `session/customization${string}` | `session/mcpServer${string}`>
>;

export const customizationHandlers: Handlers<SessionState, ActionsOf<CustomizationActions>> = {
  'session/customizationsChanged': (state, action) => put(state, 'customizations', action.customizations),
  'session/customizationUpdated': (state, { customization }) => ({
    ...state,
    customizations: upsert(
      state.customizations ?? [],
      customization,
      (entry) => entry.id === customization.id,
    ),
  }),
  'session/customizationRemoved': (state, action) => remove(state, action.id),
  'session/customizationToggled': (state, { id, enablement }) =>
    change(state, id, (entry) => toggle(entry, enablement)),
  'session/mcpServerStateChanged': (state, action) =>
    change(
      state,
      action.id,
      ofServer((server) => ({ ...put(server, 'channel', action.channel), state: action.state })),
    ),
  'session/mcpServerStartRequested': (state, action) =>
    change(
      state,
      action.id,
      ofServer((server) => ({ ...put(server, 'channel', undefined), state: { kind: 'starting' } })),
    ),
  'session/mcpServerStopRequested': (state, action) =>
    change(
      state,
      action.id,
      ofServer((server) => ({ ...put(server, 'channel', undefined), state: { kind: 'stopped' } })),
    ),
  'session/mcpServerBackgroundRequested': (state, action) =>
    change(state, action.id, ofServer(withoutBlocking)),
};

type AnyCustomization = Customization | ChildCustomization;

type Update = <Entry extends AnyCustomization>(entry: Entry) => Entry;

type Decisions = readonly EnablementEntry[] | undefined;

/**
 * Plugins and servers keep the list of decisions; everything else has only room for its outcome. Peers before
 * 0.8 sent no list, and without one nothing is decided.
 */
function toggle<Entry extends AnyCustomization>(entry: Entry, enablement: Decisions): Entry;
function toggle(entry: AnyCustomization, enablement: Decisions): AnyCustomization {
  if (enablement === undefined) return entry;
  if (entry.type === 'plugin' || entry.type === 'mcpServer') {
    const { enablement: _decided, ...rest } = entry;
    return enablement.length > 0 ? { ...rest, enablement } : rest;
  }
  return { ...entry, enabled: enablement[0]?.enabled ?? true };
}

function withoutBlocking(server: McpServerCustomization): McpServerCustomization {
  if (server.state.kind !== 'starting' || server.state.blocking === undefined) return server;
  const { blocking: _blocking, ...starting } = server.state;
  return { ...server, state: starting };
}

/** An id that names something else than a server changes nothing. */
function ofServer(update: (server: McpServerCustomization) => McpServerCustomization): Update {
  function apply<Entry extends AnyCustomization>(entry: Entry): Entry;
  function apply(entry: AnyCustomization): AnyCustomization {
    return entry.type === 'mcpServer' ? update(entry) : entry;
  }
  return apply;
}

/**
 * Updates the entry with that id, at the top or below; the same state when there is none
 * or it stays the same.
 */
function change(state: SessionState, id: string, update: Update): SessionState {
  const list = state.customizations ?? [];
  const index = list.findIndex((entry) => entry.id === id);
  const entry = list[index];
  if (entry !== undefined) return withEntry(state, index, update(entry));
  for (const [position, container] of list.entries()) {
    const children = childrenOf(container);
    const childIndex = children.findIndex((child) => child.id === id);
    const child = children[childIndex];
    if (child === undefined) continue;
    const updated = update(child);
    if (updated === child) return state;
    return withEntry(state, position, withChildren(container, replaceAt(children, childIndex, updated)));
  }
  return state;
}

function remove(state: SessionState, id: string): SessionState {
  const list = state.customizations ?? [];
  const index = list.findIndex((entry) => entry.id === id);
  if (index >= 0) return { ...state, customizations: removeAt(list, index) };
  const trimmed = list.map((container) => {
    const children = childrenOf(container);
    const kept = removeWhere(children, (child) => child.id === id);
    return kept === children ? container : withChildren(container, kept);
  });
  return trimmed.every((container, position) => container === list[position])
    ? state
    : { ...state, customizations: trimmed };
}

function childrenOf(container: Customization): readonly ChildCustomization[] {
  return container.type === 'mcpServer' ? [] : (container.children ?? []);
}

function withChildren(container: Customization, children: readonly ChildCustomization[]): Customization {
  return container.type === 'mcpServer' ? container : { ...container, children };
}

function withEntry(state: SessionState, index: number, entry: Customization): SessionState {
  const list = state.customizations ?? [];
  return list[index] === entry ? state : { ...state, customizations: replaceAt(list, index, entry) };
}
