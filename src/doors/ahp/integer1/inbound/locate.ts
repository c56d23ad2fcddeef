// Resolves a URI of version 1. A session in version 1 is one chat of this host.
import type { Host } from '../../../../host/host.ts';
import type { ChatId, SessionId } from '../../../../model/event.ts';
import type { State } from '../../../../model/state.ts';
import { rootResource } from '../../../../protocols/ahp/integer1/state.ts';
import { readChannel } from '../../channels/channels.ts';
import { chatOf } from '../../outbound/chat.ts';

export interface Located {
  readonly id: SessionId;
  /** The chat, if the session has it. */
  chatIn(state: State): ChatId | undefined;
}

/** The session that a URI belongs to, if there is one; it need not be open. */
export function locate(host: Host, uri: string): Located | 'root' | undefined {
  if (uri === rootResource) return 'root';
  const [, parent = uri, tool] = /^(.*)\/subagent\/([^/]+)$/s.exec(uri) ?? [];
  const named = readChannel(parent);
  if (named?.kind !== 'session') return undefined;
  const id = host.sessionOf(named.session) ?? named.session;
  if (!host.opened(id) && !host.summary(id)) return undefined;
  const call = tool === undefined ? undefined : decoded(tool);
  if (tool !== undefined) return { id, chatIn: (state) => subagentOf(state, call) };
  return { id, chatIn: (state) => chatOf(state, named.session)?.id };
}

function subagentOf({ order, chats }: State, tool: string | undefined): ChatId | undefined {
  return order.find((id) => {
    const origin = chats[id]?.origin;
    return origin?.type === 'tool' && origin.tool === tool;
  });
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
