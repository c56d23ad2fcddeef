// Any external ACP agent as an agent of ours. What it offers is known once it has been started, and told on then.
import type { Agent, AgentInfo } from '../../host/agent.ts';
import type { Clock, Files, Ids } from '../../host/ports.ts';
import type { ToolServer } from '../../host/workbench.ts';
import type { Programs } from '../../host/piped.ts';
import { AcpConversation } from './conversation.ts';
import { Keeper } from './keeper.ts';
import type { Learned } from './novelties.ts';
import { usualTimes } from './program.ts';
import type { AgentProgram, Launch, Times } from './program.ts';

export interface AcpAgentOptions {
  readonly program: AgentProgram;
  readonly launch: Launch;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly programs: Programs;
  /** All that a program of the agent may know of our environment; what its settings name where this is left out. */
  readonly environment?: (program: AgentProgram) => { readonly [name: string]: string };
  /** The servers of tools that the settings name for a workspace; agents get them as far as they can use them. */
  readonly servers?: (roots: readonly string[]) => readonly ToolServer[];
  /** Our own version, as the agent is told. */
  readonly version: string;
  /** Where a session without folders works. */
  readonly home: string;
  /** Whether we run as the administrator. */
  readonly root: boolean;
  readonly report: (problem: unknown, about: string) => void;
  readonly times?: Partial<Times>;
}

export function acpAgent(options: AcpAgentOptions): Agent {
  const { program } = options;
  const times = { ...usualTimes, ...options.times };
  const keeper = new Keeper({ ...options, times });
  const watchers = new Set<() => void>();
  let info: AgentInfo = { id: program.id, name: program.name, description: program.description, models: [], accepts: { systemPrompt: 'append' } };
  const learned = (fresh: Learned) => {
    const next = { ...info, ...fresh };
    if (JSON.stringify(next) === JSON.stringify(info)) return;
    info = next;
    for (const watcher of [...watchers]) watcher();
  };
  return {
    get info() {
      return info;
    },
    open: (where) => Promise.resolve(new AcpConversation(where, { ...options, servers: options.servers ?? (() => []), environment: options.environment ?? (({ env = {} }) => env), times, keeper, learned })),
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}
