// What a terminal is to everybody who sees it: its state, what happens to it, whose it is and who may use it. No behaviour beyond that rule.
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
  /** Whether commands are told apart. */
  readonly detected: boolean;
  readonly lifecycle: Lifecycle;
  readonly content: readonly TerminalPart[];
  /** Whether older output is gone. */
  readonly truncated: boolean;
}

export type Lifecycle = { readonly status: 'running' } | { readonly status: 'exited'; readonly end: PtyEnd };

/** Whose it is: one client's, or a chat's, where a turn and its tool call may be at work in it. */
export type Owner =
  | { readonly kind: 'client'; readonly client: string }
  | {
      readonly kind: 'session';
      readonly session: SessionId;
      readonly chat: ChatId;
      readonly turn?: TurnId;
      readonly tool?: ToolId;
    };

/** Who wants something of a terminal. A client is named by what its connection proved, not by what it says. */
export type Actor =
  | { readonly kind: 'client'; readonly client: string }
  | { readonly kind: 'session'; readonly session: SessionId }
  | { readonly kind: 'host' };

export type TerminalEvent =
  | { readonly type: 'data'; readonly text: string }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'cwd'; readonly cwd: string }
  /** From now on commands are told apart. */
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
  /** Only to a follower that could not keep up: what came in between is left out, and this is how things stand. */
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

/** A client's terminal is its own. A chat's may be used by the chat and by every client that reached the host: humans help their agents. */
export function mayUse(owner: Owner, by: Actor): boolean {
  return holds(owner, by) || (owner.kind === 'session' && by.kind === 'client');
}

/** Who has a terminal may give it to anybody. A client may take one of a chat for itself unless a tool call is at work there. */
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
