// Hooks for what happens outside of turns: an editor that comes and goes, chats that change their status or are removed.
import { runHooks, workspaceKey } from '../host/hooks/hooks.ts';
import type { Facts } from '../host/hooks/hooks.ts';
import type { Host } from '../host/host.ts';
import type { HookEvent, Knowledge } from '../host/settings/projectKnowledge.ts';
import type { Processes } from '../host/ports.ts';
import type { ChatId } from '../model/event.ts';
import type { State } from '../model/state.ts';

/** How long the programs have when the host ends, in milliseconds. */
const lastWords = 5_000;

export interface HostHooks {
  /** Runs what is set up, after what was run before; nothing depends on what it says. Resolves when it is over, however it ends. */
  run(event: HookEvent, roots: readonly string[], facts?: Facts): Promise<unknown>;
  /** Resolves when none of the programs is left. */
  close(): Promise<void>;
}

export function hostHooks({
  knowledge,
  processes,
  facts: known,
}: {
  readonly knowledge: Knowledge;
  readonly processes: Processes;
  readonly facts: Facts;
}): HostHooks {
  const running = new Set<Promise<unknown>>();
  // One after the other, so that whoever writes down what happens has it in order.
  let last: Promise<unknown> = Promise.resolve();
  const ending = new AbortController();
  return {
    run(event, roots, facts = {}) {
      const [cwd] = roots;
      if (cwd === undefined) return last;
      const read = knowledge.of(roots);
      const work: Promise<unknown> = last
        .then(async () =>
          runHooks(event, facts, {
            hooks: (await read).hooks,
            processes,
            cwd,
            signal: ending.signal,
            facts: { ...known, workspaces: roots, cwd, session_id: workspaceKey(roots) },
          }),
        )
        .finally(() => running.delete(work));
      last = work.catch(() => {});
      running.add(work);
      return last;
    },
    async close() {
      // The last words of a session are about its end, so they are let out.
      const recall = setTimeout(() => ending.abort(), lastWords);
      await Promise.allSettled(running);
      clearTimeout(recall);
    },
  };
}

/** Tells the hooks of chats that are removed, and of those that are doing something else than before or wait for somebody else. */
export function followChats(host: Host, hooks: HostHooks): () => void {
  const told = new Map<ChatId, { readonly stands: string; readonly worker: Facts }>();
  return host.follow((change) => {
    if (change.kind === 'removed')
      for (const { id } of change.old?.chats ?? []) {
        void hooks.run('chatEnd', change.old?.roots ?? [], { chat_id: id, ...told.get(id)?.worker });
        told.delete(id);
      }
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    const { summary } = change;
    const state = host.opened(summary.id)?.state;
    for (const { id } of summary.chats) {
      const facts = state && standing(state, id);
      if (!facts) continue;
      const before = told.get(id)?.stands ?? idle;
      const now = { stands: JSON.stringify(facts), worker: workerOf(state) };
      told.set(id, now);
      if (before !== now.stands)
        void hooks.run('chatStatusChanged', summary.roots, { chat_id: id, ...now.worker, ...facts });
    }
  });
}

/** Who works on a chat, as hooks know it. */
function workerOf({ agent, mode, model, options: { variant } }: State): Facts {
  const name = mode ?? agent;
  return {
    agent: name,
    behavior: name,
    ...(model === undefined ? {} : { full_model: model }),
    ...(typeof variant === 'string' ? { variant } : {}),
  };
}

/** What goes on in a chat, and what of it waits for somebody. */
function standing(state: State, id: ChatId): Facts | undefined {
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
  const reason = approvals.length > 0 ? 'toolApproval' : questions.length > 0 ? 'userQuestion' : undefined;
  return {
    status: chat.active ? 'running' : 'idle',
    awaiting_user_input: reason !== undefined,
    pending_approval_tool_call_ids: approvals,
    pending_question_tool_call_ids: questions,
    running_tool_call_ids: running,
    ...(reason === undefined ? {} : { waiting_reason: reason }),
  };
}

/** How a chat stands in which nothing has happened yet. */
const idle = JSON.stringify({
  status: 'idle',
  awaiting_user_input: false,
  pending_approval_tool_call_ids: [],
  pending_question_tool_call_ids: [],
  running_tool_call_ids: [],
});
