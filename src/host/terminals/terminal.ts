// The state and events of a terminal, and the rule who may use it.
import type { ChatId, SessionId, ToolId, TurnId } from '../../model/event.ts';
import type { PtyEnd } from './pty.ts';
import type { CommandEnd, TerminalPart } from './terminalContent.ts';

export interface TerminalState {
  readonly id: string;
  readonly title: string;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  readonly owner: Owner;
  /** Whether the shell reports its commands. */
  readonly detected: boolean;
  readonly lifecycle: Lifecycle;
  readonly content: readonly TerminalPart[];
  /** Whether older output was dropped. */
  readonly truncated: boolean;
}

export type Lifecycle = { readonly status: 'running' } | { readonly status: 'exited'; readonly end: PtyEnd };

/** The owner: one client, or a chat, whose turn and tool call may use it. */
export type Owner =
  | { readonly kind: 'client'; readonly client: string }
  | {
      readonly kind: 'session';
      readonly session: SessionId;
      readonly chat: ChatId;
      readonly turn?: TurnId;
      readonly tool?: ToolId;
    };

/** Who uses a terminal. A client is identified by its authenticated connection, not by what it claims. */
export type Actor =
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'host' };

export type TerminalEvent =
  | { readonly type: 'data'; readonly text: string }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'cwd'; readonly cwd: string }
  /** The shell reports its commands from now on. */
  | { readonly type: 'detected' }
  | {
      readonly type: 'commandStarted';
      readonly id: string;
      readonly commandLine: string;
      readonly startedAt: number;
    }
  | ({ readonly type: 'commandFinished'; readonly id: string } & CommandEnd)
  | { readonly type: 'resized'; readonly cols: number; readonly rows: number }
  | { readonly type: 'cleared' }
  | { readonly type: 'claimed'; readonly owner: Owner }
  | { readonly type: 'exited'; readonly end: PtyEnd }
  /** Only for a follower that was too slow: events were skipped, and this is the current state. */
  | { readonly type: 'restarted'; readonly state: TerminalState };

/** An expected refusal: nothing was changed. */
export interface TerminalRefusal {
  readonly refused:
    | 'not-found'
    | 'already-exists'
    | 'not-yours'
    | 'too-many'
    | 'ended'
    | 'invalid'
    | 'busy'
    | 'unavailable'
    | 'failed';
  readonly message: string;
}

export function isRefusal(value: object | undefined): value is TerminalRefusal {
  return value !== undefined && 'refused' in value;
}

/**
 * A client's terminal is private. A chat's may be used by the chat and by every client, because
 * people help their agents.
 */
export function mayUse(owner: Owner, by: Actor): boolean {
  return holds(owner, by) || (owner.kind === 'session' && by.kind === 'client');
}

/**
 * The owner may give a terminal to anyone. A client may take a chat's terminal unless a
 * tool call is using it.
 */
export function mayClaim(owner: Owner, by: Actor, next: Owner): boolean {
  if (holds(owner, by)) return true;
  return (
    owner.kind === 'session' &&
    owner.tool === undefined &&
    by.kind === 'client' &&
    next.kind === 'client' &&
    next.client === by.client
  );
}

function holds(owner: Owner, by: Actor): boolean {
  if (by.kind === 'host') return true;
  return by.kind === 'client'
    ? owner.kind === 'client' && owner.client === by.client
    : owner.kind === 'session' && owner.session === by.session;
}
