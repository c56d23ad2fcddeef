// The agents of a host. The first one is the default.
import type { Agent, AgentInfo } from './agent.ts';
import type { Settings } from './settings/settings.ts';

export interface AgentListOptions {
  readonly settings: Settings | undefined;
  /** Called after every change of an agent or of the list. */
  readonly changed: () => void;
}

export class AgentList {
  readonly #options: AgentListOptions;
  #agents: ReadonlyMap<string, Agent> = new Map();
  #unwatch: readonly (() => void)[] = [];

  constructor(options: AgentListOptions) {
    this.#options = options;
  }

  get(id: string): Agent | undefined {
    return this.#agents.get(id);
  }

  ids(): Iterable<string> {
    return this.#agents.keys();
  }

  /** Replaces the agents; open conversations continue. */
  replace(agents: readonly Agent[]): void {
    const { changed } = this.#options;
    for (const unwatch of this.#unwatch) unwatch();
    this.#agents = new Map(agents.map((agent) => [agent.info.id, agent]));
    this.#unwatch = agents.flatMap((agent) => agent.watch?.(changed) ?? []);
    changed();
  }

  /** With folders, including the modes and commands of that workspace. */
  infos(roots?: readonly string[]): readonly AgentInfo[] {
    return [...this.#agents.values()].map((agent) => (roots && agent.at?.(roots)) ?? agent.info);
  }

  /** The default agent for new sessions in these folders. */
  usual(roots: readonly string[]): string | undefined {
    const set = this.#options.settings?.of(roots).defaultAgent;
    return set !== undefined && this.#agents.has(set) ? set : this.infos()[0]?.id;
  }
}
