// The folders that the client has open, and the configuration that applies to them.
import type { AgentInfo } from '../../../host/agent.ts';
import type { Host } from '../../../host/host.ts';
import type { ClientConfiguration } from '../options.ts';

/** The configuration before the first one was read. */
const unconfigured: ClientConfiguration = { problems: [] };

export class Workspace {
  readonly #host: Host;
  readonly #repositoryOf: (root: string) => string;
  #roots: readonly string[] = [];
  #configuration = unconfigured;
  #knowledge: Promise<unknown> = Promise.resolve();

  constructor(host: Host, repositoryOf: (root: string) => string = (root) => root) {
    this.#host = host;
    this.#repositoryOf = repositoryOf;
  }

  get roots(): readonly string[] {
    return this.#roots;
  }

  get configuration(): ClientConfiguration {
    return this.#configuration;
  }

  get isConfigured(): boolean {
    return this.#configuration !== unconfigured;
  }

  agents(): readonly AgentInfo[] {
    return this.#host.agents(this.#roots);
  }

  /**
   * True for folders of this workspace and of the same repositories. A client without a workspace sees all.
   */
  includes(roots: readonly string[]): boolean {
    const repositories = this.#roots.map(this.#repositoryOf);
    return repositories.length === 0 || roots.some((root) => repositories.includes(this.#repositoryOf(root)));
  }

  move(roots: readonly string[]): void {
    this.#roots = roots;
  }

  configure(configuration: ClientConfiguration): void {
    this.#configuration = configuration;
    this.#knowledge = this.#host.knowledge.of(this.#roots);
  }

  /** Resolves once rules, skills and agents of the workspace are read under the newest configuration. */
  async knowledgeRead(): Promise<void> {
    await this.#knowledge;
  }
}
