// Runs the user's hooks for events outside of turns: editors that connect or leave, chats that
// change or are removed.
import { runHooks, workspaceKey } from '../host/hooks/hooks.ts';
import type { HookFacts } from '../host/hooks/hooks.ts';
import { present } from '../base/present.ts';
import type { Summary } from '../host/session/summary.ts';
import type { Host } from '../host/host.ts';
import type { HookEvent, Knowledge } from '../host/settings/projectKnowledge.ts';
import type { Processes } from '../host/ports.ts';
import type { ChatId } from '../model/event.ts';
import type { State } from '../model/state.ts';

/** How long hooks may run after the host has begun to close, in milliseconds. */
const closeTime = 2_500;

export interface HostHooks {
  /**
   * Runs the hooks of an event after those of earlier events. Their output is ignored. Resolves when they
   * have ended, even if they fail.
   */
  run(event: HookEvent, roots: readonly string[], facts?: HookFacts): Promise<unknown>;
  /** Resolves when no hook is running. */
  close(): Promise<void>;
}

export function hostHooks({
  knowledge,
  processes,
  facts: hostFacts,
}: {
  readonly knowledge: Knowledge;
  readonly processes: Processes;
  readonly facts: HookFacts;
}): HostHooks {
  const running = new Set<Promise<unknown>>();
  // Hooks run one after the other, so that a script which records events gets them in order.
  let last: Promise<unknown> = Promise.resolve();
  const ending = new AbortController();
  return {
    run(event, roots, facts = {}) {
      const [cwd] = roots;
      if (cwd === undefined) return last;
      const hooks = knowledge.hooks(roots);
      const work: Promise<unknown> = last
        .then(() =>
          runHooks(event, facts, {
            hooks,
            processes,
            cwd,
            signal: ending.signal,
            facts: { ...hostFacts, workspaces: roots, cwd, session_id: workspaceKey(roots) },
          }),
        )
        .finally(() => running.delete(work));
      last = work.catch(() => {});
      running.add(work);
      return last;
    },
    async close() {
      // Hooks about the end of a session still have to run.
      const timer = setTimeout(() => ending.abort(), closeTime);
      await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
}

interface ReportedChat {
  readonly status: string;
  readonly worker: HookFacts;
}

/** Runs the hooks of chats that are removed, and of chats whose status or pending requests change. */
export function followChats(host: Host, hooks: HostHooks): () => void {
  const reported = new Map<ChatId, ReportedChat>();
  const removed = ({ roots, chats }: Summary) => {
    for (const { id } of chats) {
      void hooks.run('chatEnd', roots, { chat_id: id, ...reported.get(id)?.worker });
      reported.delete(id);
    }
  };
  const changed = (summary: Summary, state: State) => {
    for (const { id } of summary.chats) {
      const facts = statusOf(state, id);
      if (!facts) continue;
      const before = reported.get(id)?.status ?? idle;
      const now = { status: JSON.stringify(facts), worker: workerOf(state) };
      reported.set(id, now);
      if (before !== now.status)
        void hooks.run('chatStatusChanged', summary.roots, { chat_id: id, ...now.worker, ...facts });
    }
  };
  return host.follow((change) => {
    if (change.kind === 'removed' && change.old) removed(change.old);
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    const session = host.opened(change.summary.id);
    // The host that owns a session runs the hooks.
    if (session && session.owner === undefined) changed(change.summary, session.state);
  });
}

/** The agent and model of a session, in the words of hooks. */
function workerOf({ agent, mode, model, options: { variant } }: State): HookFacts {
  const name = mode ?? agent;
  return {
    agent: name,
    behavior: name,
    ...present({ full_model: model }),
    ...(typeof variant === 'string' ? { variant } : {}),
  };
}

/** What a chat does, and which requests wait for the user. */
function statusOf(state: State, id: ChatId): HookFacts | undefined {
  const chat = state.chats[id];
  if (!chat) return undefined;
  const asks = Object.values(chat.asks).map(({ ask }) => ask);
  const waiting = (kind: 'approval' | 'question') =>
    asks
      .flatMap((ask) => (ask.kind === kind && 'tool' in ask && ask.tool !== undefined ? [ask.tool] : []))
      .toSorted();
  const [approvals, questions] = [waiting('approval'), waiting('question')];
  const running = (chat.active?.items ?? [])
    .flatMap((item) =>
      item.type === 'tool' && item.status === 'running' && !questions.includes(item.id) ? [item.id] : [],
    )
    .toSorted();
  const reason = waitingReason(approvals.length, questions.length);
  return {
    status: chat.active ? 'running' : 'idle',
    awaiting_user_input: reason !== undefined,
    pending_approval_tool_call_ids: approvals,
    pending_question_tool_call_ids: questions,
    running_tool_call_ids: running,
    ...present({ waiting_reason: reason }),
  };
}

function waitingReason(approvals: number, questions: number): string | undefined {
  if (approvals > 0) return 'toolApproval';
  return questions > 0 ? 'userQuestion' : undefined;
}

/** The status of a new chat. */
const idle = JSON.stringify({
  status: 'idle',
  awaiting_user_input: false,
  pending_approval_tool_call_ids: [],
  pending_question_tool_call_ids: [],
  running_tool_call_ids: [],
});
