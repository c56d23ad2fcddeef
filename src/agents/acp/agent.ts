// Adapts an external ACP agent to the host. Its models, modes and options are known after its first start.
import type { Agent, AgentInfo } from '../../host/agent.ts';
import type { Confinement } from '../../host/ports.ts';
import type { ToolServer } from '../../host/workspace/workbench.ts';
import { once } from '../../base/memo.ts';
import { present } from '../../base/present.ts';
import { modelHosts } from './modelHosts.ts';
import { agentNetwork } from './session/agentLimits.ts';
import { allCommands } from './session/hostCommands.ts';
import { AgentProcesses } from './process/agentProcesses.ts';
import type { LearnedOffers } from './session/agentOffers.ts';
import { usualTimes } from './process/program.ts';
import type { AgentPorts, AgentProgram, LaunchProgram, AgentTimes } from './process/program.ts';

export interface AcpAgentOptions {
  readonly program: AgentProgram;
  readonly launch: LaunchProgram;
  readonly ports: AgentPorts;
  /**
   * All that a program of the agent may know of our environment; what its settings name
   * where this is left out.
   */
  readonly environment?: (program: AgentProgram) => { readonly [name: string]: string };
  /**
   * The servers of tools that the settings name for a workspace; agents get them as far as they can use them.
   */
  readonly servers?: (roots: readonly string[]) => readonly ToolServer[];
  /** Parley's version for the handshake. */
  readonly version: string;
  /** The working directory of a session without folders. */
  readonly home: string;
  /** Whether we run as the administrator. */
  readonly root: boolean;
  readonly report: (problem: unknown, about: string) => void;
  /**
   * Remembers what each agent offers across restarts of the host; an agent that is not remembered is probed
   * before its first message.
   */
  readonly memory?: OfferMemory;
  readonly times?: Partial<AgentTimes>;
  /** The programs of all agents of the host; this agent's alone where it is left out. */
  readonly processes?: AgentProcesses;
}

export interface OfferMemory {
  recall(): LearnedOffers | undefined;
  keep(learned: LearnedOffers): void;
}

/**
 * Delay before an agent is started only to learn what it offers, in milliseconds. The first message of a
 * session usually starts it sooner.
 */
const exploreAfter = 400;

export function acpAgent(options: AcpAgentOptions): Agent {
  const { program, ports } = options;
  const { clock, variables } = ports;
  const times = { ...usualTimes, ...options.times };
  const processes = options.processes ?? new AgentProcesses({ clock });
  const shared = { ...options, processes, clock, times, ...present({ variables }) };
  const load = once(async () => {
    const { AcpConversation, ProcessPool } = await loadConnection();
    return { AcpConversation, pool: new ProcessPool(shared) };
  });
  const watchers = new Set<() => void>();
  const recalled = options.memory?.recall();
  let info = firstInfo(program, recalled);
  /** Whether its offers are known or being read. */
  let known = recalled !== undefined;
  const learned = (fresh: LearnedOffers) => {
    const next = { ...info, ...withDefaults(fresh, info) };
    if (JSON.stringify(next) === JSON.stringify(info)) return;
    info = next;
    const { models, modes, usual, options: chosen, commands, accepts, forgets } = info;
    options.memory?.keep(present({ models, modes, usual, options: chosen, commands, accepts, forgets }));
    for (const watcher of [...watchers]) watcher();
  };
  return {
    get info() {
      return shownInfo(info, program);
    },
    continuesAsks: true,
    stopsWithin: times.cancel,
    open: async (where) => {
      known = true;
      const { AcpConversation, pool } = await load();
      return new AcpConversation(where, {
        ...options,
        servers: options.servers ?? (() => []),
        environment: options.environment ?? (({ env = {} }) => env),
        times,
        pool,
        learned,
      });
    },
    explore([cwd = options.home]) {
      if (known || !options.memory || (options.root && program.quirks?.root === 'refused')) return;
      clock.after(exploreAfter, () => {
        if (known) return;
        known = true;
        void loadConnection()
          .then(({ explore }) => explore({ ...shared, cwd, confined: whileExploring(options) }, learned))
          .catch((error: unknown) => options.report(error, `what ${program.name} offers`));
      });
    },
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
  };
}

/** What is known of an agent before its program has run. */
function firstInfo({ id, name, description }: AgentProgram, recalled: LearnedOffers | undefined): AgentInfo {
  return { id, name, description, models: [], accepts: { systemPrompt: 'append' }, ...recalled };
}

/** What talks to a program is loaded when one is needed: most hosts offer more agents than they use. */
async function loadConnection() {
  const [{ AcpConversation }, { ProcessPool }, { explore }] = await Promise.all([
    import('./session/conversation.ts'),
    import('./process/processPool.ts'),
    import('./process/explore.ts'),
  ]);
  return { AcpConversation, ProcessPool, explore };
}

/** Nothing is asked of an agent yet, so that it needs no folder to write in. */
function whileExploring({ program, environment }: AcpAgentOptions): Confinement | undefined {
  if (program.sandbox !== 'on') return undefined;
  const hosts = modelHosts(program, environment?.(program) ?? {});
  return { write: [], scratch: program.id, ...agentNetwork('ask', hosts) };
}

/** The default of an option is its value in a new conversation; what one conversation has is its own. */
function withDefaults(fresh: LearnedOffers, { options: known = [] }: AgentInfo): LearnedOffers {
  if (fresh.usual || !fresh.options) return fresh;
  const options = fresh.options.map((option) => ({
    ...option,
    value: known.find(({ id }) => id === option.id)?.value ?? option.value,
  }));
  return { ...fresh, options };
}

/**
 * The agent as clients see it: with the commands of the host. In a new conversation it gets the mode in which
 * it asks, whatever its own default is.
 */
function shownInfo(info: AgentInfo, { quirks }: AgentProgram): AgentInfo {
  const { usual, commands = [] } = info;
  const mode = quirks?.mode ?? usual?.mode;
  return {
    ...info,
    ...(usual ? { usual: { ...usual, ...present({ mode }) } } : {}),
    commands: allCommands(commands),
  };
}
