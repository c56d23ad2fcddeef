// A running host with everything around it, as one value: `openHost` builds it, doors and
// control methods receive it.
import type { AgentProcesses } from '../agents/acp/process/agentProcesses.ts';
import type { Host } from '../host/host.ts';
import type { Knowledge } from '../host/settings/projectKnowledge.ts';
import type { TerminalHub } from '../host/terminals/terminalHub.ts';
import type { ServerEditor, ToolServers } from '../host/tools/toolServers.ts';
import type { PluginFetcher } from '../io/ecaConfig/fetchPlugins.ts';
import type { DataPaths } from '../io/settings/dataPaths.ts';
import type { OpenSettings } from '../io/settings/open.ts';
import type { DurableStore } from '../io/store/durableStore.ts';
import type { HostHooks } from './hostHooks.ts';
import type { Models } from './models/openModels.ts';

export interface App {
  readonly env: NodeJS.ProcessEnv;
  readonly paths: DataPaths;
  readonly host: Host;
  readonly store: DurableStore;
  readonly settings: OpenSettings;
  readonly knowledge: Knowledge;
  readonly hooks: HostHooks;
  /** The language models, and the sign-ins to their providers. */
  readonly models: Models;
  readonly extensions: Extensions;
  /** The terminals of the host, created on first use. */
  terminals(): TerminalHub;
  /** Reads again what the user may have changed outside, such as keys. */
  refresh(): void;
  /** Ends everything that belongs to the host, and resolves when it is stored and closed. */
  close(): Promise<void>;
}

/** What users add to their agents. */
export interface Extensions {
  /** The tool servers that run. */
  readonly servers: ToolServers;
  /** Changes the settings that name tool servers. */
  readonly editor: ServerEditor;
  /** Fetches the plugin collections of ECA configurations. */
  readonly plugins: PluginFetcher;
  /** The running programs of external agents. */
  readonly agents: AgentProcesses;
}
