// Hooks for what happens outside of turns: an editor that comes and goes, chats that change their status or are removed.
import { runHooks } from '../host/hooks.ts';
import type { Facts } from '../host/hooks.ts';
import type { Host } from '../host/host.ts';
import type { HookEvent, Knowledge } from '../host/knowledge.ts';
import type { Processes } from '../host/ports.ts';

export interface HostHooks {
  /** Runs what is set up; nobody waits for it, and nothing depends on what it says. */
  run(event: HookEvent, roots: readonly string[], facts?: Facts): void;
  /** Resolves when none of the programs is left. */
  close(): Promise<void>;
}

export function hostHooks(knowledge: Knowledge, processes: Processes): HostHooks {
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  return {
    run(event, roots, facts = {}) {
      const [cwd] = roots;
      if (cwd === undefined) return;
      const work: Promise<unknown> = knowledge.of(roots)
        .then(({ hooks }) => runHooks(event, facts, { hooks, processes, cwd, signal: ending.signal, facts: { workspaces: roots, cwd } }))
        .finally(() => running.delete(work));
      running.add(work);
    },
    async close() {
      ending.abort();
      await Promise.allSettled(running);
    },
  };
}

/** Tells the hooks of chats that are removed or are doing something else than before. */
export function followChats(host: Host, hooks: HostHooks): () => void {
  return host.follow((change) => {
    if (change.kind === 'removed') for (const { id } of change.old?.chats ?? []) hooks.run('chatEnd', change.old?.roots ?? [], { session_id: change.id, chat_id: id });
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    for (const { id, status } of change.summary.chats) {
      const before = change.old?.chats.find((chat) => chat.id === id)?.status;
      if (before !== undefined && before !== status) hooks.run('chatStatusChanged', change.summary.roots, { session_id: change.summary.id, chat_id: id, status });
    }
  });
}
