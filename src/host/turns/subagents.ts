// Delegates a task of a turn to a chat of its own, where the same agent works: starts it, follows it, and
// ends it with the turn.
import { reject } from '../../model/command.ts';
import type { Rejection } from '../../model/command.ts';
import type { ChatId, Origin, ToolId, TurnId } from '../../model/event.ts';
import type { State } from '../../model/state.ts';
import type { DelegationResult, Delegation } from '../agent.ts';
import type { BegunSubagent, RecoveredAsks } from '../permissions/recoveredAsks.ts';
import type { World } from '../world.ts';
import type { Session } from '../session/session.ts';

export interface DelegateOptions {
  readonly session: Session;
  readonly world: World;
  readonly chat: ChatId;
  readonly signal: AbortSignal;
  readonly origin: Origin;
  readonly closed: () => boolean;
  /** The id of the chat that a call starts. */
  readonly chatFor: (tool: ToolId) => ChatId;
  /** Those that work for calls of the last host. */
  readonly subagents: RecoveredAsks['subagents'];
}

/** Resolves when the turn of the subagent has ended. */
export async function delegate(options: DelegateOptions, task: Delegation): Promise<DelegationResult> {
  const { session, world, origin } = options;
  const begun = options.subagents.get(task.tool);
  if (begun) return continueSubagent(options, task, begun);
  const refused = task.chat === undefined ? undefined : unfit(session.head, options.chat, task.chat);
  if (refused) return refused;
  const chat = task.chat ?? options.chatFor(task.tool);
  const created =
    task.chat === undefined
      ? session.dispatch(
          {
            kind: 'createChat',
            chat,
            origin: { type: 'tool', chat: options.chat, tool: task.tool },
            title: task.title,
          },
          origin,
        )
      : undefined;
  if (created) return created;
  const turn = world.ids.next();
  const ended = whenEnded(options, { ...task, chat, turn });
  const message = {
    id: world.ids.next(),
    text: task.text,
    from: 'agent',
    ...(task.model === undefined ? {} : { model: task.model }),
  } as const;
  const started = session.dispatch({ kind: 'startTurn', chat, turn, message }, origin);
  if (started) ended.leave();
  return started ?? ended.result;
}

/** The call is made again after a restart, and the turn of its subagent goes on, or has ended by now. */
function continueSubagent(
  options: DelegateOptions,
  task: Delegation,
  { chat: id, turn }: BegunSubagent,
): DelegationResult | Promise<DelegationResult> {
  const chat = options.session.head.chats[id];
  const ended = chat?.turns.findLast((each) => each.id === turn);
  if (ended) return { chat: id, turn: ended };
  return chat?.active?.id === turn
    ? whenEnded(options, { ...task, chat: id, turn }).result
    : reject('no-turn', 'The chat was taken back.');
}

/** The nesting depth of a subagent's chat; zero for a chat of the user. */
export function depthOf(state: State, chat: ChatId): number {
  let depth = 0;
  for (
    let at = state.chats[chat]?.origin;
    at?.type === 'tool' && depth <= state.order.length;
    at = state.chats[at.chat]?.origin
  )
    depth += 1;
  return depth;
}

/** The user's chat that a subagent works for; any other chat is its own root. */
export function rootOf(state: State, chat: ChatId): ChatId {
  let root = chat;
  for (let steps = state.order.length; steps > 0; steps -= 1) {
    const origin = state.chats[root]?.origin;
    if (origin?.type !== 'tool' || !state.chats[origin.chat]) break;
    root = origin.chat;
  }
  return root;
}

function unfit(state: State, parent: ChatId, id: ChatId): Rejection | undefined {
  const chat = Object.hasOwn(state.chats, id) ? state.chats[id] : undefined;
  if (chat?.origin.type !== 'tool' || chat.origin.chat !== parent)
    return reject('unknown-chat', `There is no chat ${id} that this one has begun.`);
  return chat.active ? reject('turn-active', `The chat ${id} is still at work.`) : undefined;
}

function whenEnded(
  { session, world, signal, origin, closed }: DelegateOptions,
  task: Delegation & { readonly chat: ChatId; readonly turn: TurnId },
): { readonly result: Promise<DelegationResult>; leave(): void } {
  const { chat: id, turn, watch } = task;
  let resolve: (outcome: DelegationResult) => void = () => {};
  const result = new Promise<DelegationResult>((settled) => {
    resolve = settled;
  });
  const stop = () => {
    // A closing host ends all turns as interrupted.
    if (closed()) settle(reject('no-turn', 'The host was closed.'));
    else session.dispatch({ kind: 'stopTurn', chat: id, turn, next: world.ids.next() }, origin);
  };
  const unfollow = session.follow((steps) => {
    for (const {
      entry: { event },
      after,
    } of steps) {
      if (!('chat' in event) || event.chat !== id) continue;
      const chat = after.chats[id];
      const ended = chat?.turns.findLast((each) => each.id === turn);
      if (chat && event.kind !== 'text.added') watch?.(chat);
      if (ended) settle({ chat: id, turn: ended });
      else if (!chat || (event.kind === 'chat.truncated' && chat.active?.id !== turn))
        settle(reject('no-turn', 'The chat was taken back.'));
    }
  });
  const unloss = session.onLoss(() => settle(reject('no-turn', 'The session could not be stored.')));
  const leave = () => {
    unfollow();
    unloss();
    signal.removeEventListener('abort', stop);
  };
  const settle = (outcome: DelegationResult) => {
    leave();
    resolve(outcome);
  };
  if (signal.aborted) world.clock.defer(stop);
  else signal.addEventListener('abort', stop, { once: true });
  return { result, leave };
}
