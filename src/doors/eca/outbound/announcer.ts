// Tells a client which agents, models, tools and providers it can use. Sends nothing twice.
import { present } from '../../../base/present.ts';
import type { Host } from '../../../host/host.ts';
import type { ChatConfig, ToolInfo } from '../../../protocols/eca/messages.ts';
import type { ProviderStatus } from '../../../protocols/eca/serviceMessages.ts';
import type { Selection } from '../client/selection.ts';
import type { Workspace } from '../client/workspace.ts';
import type { EcaOptions } from '../options.ts';
import { chatConfig, choose, wholeConfig } from './catalogue.ts';
import type { FollowedChats } from './followedChats.ts';
import type { Sender } from './sender.ts';

export interface AnnouncerOptions {
  readonly host: Host;
  readonly options: EcaOptions;
  readonly workspace: Workspace;
  readonly selection: Selection;
  readonly sender: Sender;
  readonly chats: FollowedChats;
}

export class Announcer {
  readonly #options: AnnouncerOptions;
  readonly #providers = new Map<string, string>();
  #announced: ChatConfig = {};
  /** The native tools as they were last sent, in JSON. */
  #tools = '';

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** False until the client has got the models for the first time. */
  get hasAnnounced(): boolean {
    return this.#announced.models !== undefined;
  }

  /** The client chose these values, so they are not sent back to it. */
  assume(config: ChatConfig): void {
    this.#announced = { ...this.#announced, ...config };
  }

  /**
   * Sends the configuration if it has changed, always whole: some editors keep only the last one, for views
   * that open later. Some apply its selection to open chats too, so these get theirs again.
   */
  announce(more: ChatConfig = {}): void {
    const { host, workspace, selection, sender } = this.#options;
    const subagents = host.knowledge
      .now(workspace.roots)
      .agents.filter(({ mode }) => mode === 'subagent')
      .map(({ name }) => name);
    const { welcomeMessage } = this.#announced;
    const config: ChatConfig = {
      ...wholeConfig(workspace.agents(), selection.defaults, subagents),
      ...present({ welcomeMessage }),
      ...more,
    };
    if (JSON.stringify(config) === JSON.stringify(this.#announced)) return;
    this.#announced = config;
    sender.configure(config);
    this.#repeatSelections(config);
  }

  /** Sends all tools. Which native tools are disabled depends on the agent that was chosen last. */
  announceTools(agent: string | undefined = this.#options.selection.defaults.agent): void {
    const { options, workspace, sender } = this.#options;
    this.#sendNativeTools(this.#nativeTools(agent));
    for (const server of options.mcp?.list(workspace.roots) ?? [])
      sender.notify('tool/serverUpdated', { type: 'mcp', ...server });
  }

  /** Sends the native tools again if others are disabled now. */
  refreshNativeTools(): void {
    const tools = this.#nativeTools(this.#options.selection.defaults.agent);
    if (JSON.stringify(tools) !== this.#tools) this.#sendNativeTools(tools);
  }

  /** The models go first: clients show a provider together with its models. */
  announceProvider(status: ProviderStatus): void {
    this.announce();
    const text = JSON.stringify(status);
    if (this.#providers.get(status.id) === text) return;
    this.#providers.set(status.id, text);
    this.#options.sender.notify('providers/updated', status);
  }

  #repeatSelections(config: ChatConfig): void {
    const { chats, workspace, sender } = this.#options;
    for (const [chatId, state] of chats.states()) {
      const chat = chatConfig(workspace.agents(), state);
      if (selectionOf(chat) !== selectionOf(config)) sender.configureChat(chatId, state, chat);
    }
  }

  #sendNativeTools(tools: readonly ToolInfo[]): void {
    this.#tools = JSON.stringify(tools);
    this.#options.sender.notify('tool/serverUpdated', {
      type: 'native',
      name: 'ECA',
      status: 'running',
      tools,
    });
  }

  #nativeTools(agent: string | undefined): readonly ToolInfo[] {
    const { options, workspace } = this.#options;
    const mode = choose(workspace.agents(), agent)?.mode;
    const tools = options.nativeAgent?.tools({ roots: workspace.roots, mode }) ?? [];
    return tools.map((tool) => ({ ...tool, disabled: tool.disabled ?? false }));
  }
}

function selectionOf({ selectModel, selectAgent, selectVariant }: ChatConfig): string {
  return JSON.stringify([selectModel, selectAgent, selectVariant]);
}
