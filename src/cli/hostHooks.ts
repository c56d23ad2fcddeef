// Hooks for what happens outside of turns: an editor that comes and goes, chats that change their status or are removed.
import { runHooks } from '../host/hooks.ts';
import type { Facts } from '../host/hooks.ts';
import type { Host } from '../host/host.ts';
import type { HookEvent, Knowledge } from '../host/knowledge.ts';
import type { Processes } from '../host/ports.ts';

/** How long the programs have when the host ends, in milliseconds. */
const lastWords = 5_000;

export interface HostHooks {
  /** Runs what is set up, after what was run before; nothing depends on what it says. Resolves when it is over, however it ends. */
  run(event: HookEvent, roots: readonly string[], facts?: Facts): Promise<unknown>;
  /** Resolves when none of the programs is left. */
  close(): Promise<void>;
}

export function hostHooks({ knowledge, processes, facts: known }: { readonly knowledge: Knowledge; readonly processes: Processes; readonly facts: Facts }): HostHooks {
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
        .then(async () => runHooks(event, facts, { hooks: (await read).hooks, processes, cwd, signal: ending.signal, facts: { ...known, workspaces: roots, cwd } }))
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

/** Tells the hooks of chats that are removed or are doing something else than before. */
export function followChats(host: Host, hooks: HostHooks): () => void {
  return host.follow((change) => {
    if (change.kind === 'removed') for (const { id } of change.old?.chats ?? []) void hooks.run('chatEnd', change.old?.roots ?? [], { session_id: change.id, chat_id: id });
    if (change.kind !== 'changed' && change.kind !== 'added') return;
    for (const { id, status } of change.summary.chats) {
      const before = change.old?.chats.find((chat) => chat.id === id)?.status;
      if (before !== undefined && before !== status) void hooks.run('chatStatusChanged', change.summary.roots, { session_id: change.summary.id, chat_id: id, status });
    }
  });
}
