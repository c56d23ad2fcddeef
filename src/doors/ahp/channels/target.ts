// The target of an action: the host's own name of a channel. Clients name it by URIs of different spelling.
import type { ChatId, ToolId, TurnId } from '../../../model/event.ts';

export type Target =
  /** The root channel, whose facts are in the host's own log. */
  | { readonly kind: 'root' }
  /** The session's own channel. */
  | { readonly kind: 'session' }
  | { readonly kind: 'chat'; readonly chat: ChatId }
  /** The file changes of a session, or of one of its turns. */
  | { readonly kind: 'changes'; readonly turn?: TurnId }
  | ToolTerminal;

/** The command of a tool call, shown as a terminal. */
export interface ToolTerminal {
  readonly kind: 'terminal';
  readonly chat: ChatId;
  readonly turn: TurnId;
  readonly tool: ToolId;
}

/** Terminals and file watches: what happens there is in no log. */
export interface LiveTarget {
  readonly kind: 'live';
}

export const rootTarget: Target = { kind: 'root' };

export const sessionTarget: Target = { kind: 'session' };

export function chatTarget(chat: ChatId): Target {
  return { kind: 'chat', chat };
}

export function isSameTarget(a: Target, b: Target): boolean {
  switch (a.kind) {
    case 'root':
    case 'session':
      return a.kind === b.kind;
    case 'chat':
      return b.kind === 'chat' && a.chat === b.chat;
    case 'changes':
      return b.kind === 'changes' && a.turn === b.turn;
    case 'terminal':
      return b.kind === 'terminal' && a.chat === b.chat && a.turn === b.turn && a.tool === b.tool;
    default:
      return a satisfies never;
  }
}
