// What the native agent is built from.
import type { Clock, Files, Ids, Processes } from '../../host/ports.ts';
import type { HookFacts } from '../../host/hooks/hooks.ts';
import type { Knowledge } from '../../host/settings/projectKnowledge.ts';
import type { Settings } from '../../host/settings/settings.ts';
import type { ToolServers } from '../../host/tools/toolServers.ts';
import type { WebPages } from '../../host/tools/webPages.ts';
import type { WorkspaceSnapshots } from '../../host/workspace/workspaceSnapshots.ts';
import type { LanguageModel } from './model.ts';
import type { ConventionsByDoor } from './prompt/clientConventions.ts';
import type { MachineFacts } from './prompt/systemPrompt.ts';

export interface NativeOptions {
  /** The first model answers if nobody chose one. */
  readonly models: readonly LanguageModel[] | ModelSource;
  readonly files: Files;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly clock: Clock;
  /** At least zero and less than one; without it retries have no jitter. */
  readonly random?: () => number;
  /** Receives bugs; never throws. */
  readonly report: (problem: unknown, about: string) => void;
  /** Without settings the default limits apply. */
  readonly settings?: Settings;
  /** The instructions, rules, skills, agents and hooks of projects and users; none by default. */
  readonly knowledge?: Knowledge;
  /** What hook programs are told about this program. */
  readonly hookFacts?: HookFacts;
  readonly prompt?: PromptFacts;
  readonly external?: ExternalTools;
}

/** What the system prompt depends on besides the project. */
export interface PromptFacts {
  readonly machine?: MachineFacts;
  /** The prompt conventions of chats that began in certain clients, by door. */
  readonly conventions?: ConventionsByDoor;
}

/** What tools use besides files and programs; nothing by default. */
export interface ExternalTools {
  readonly servers?: ToolServers;
  readonly web?: WebPages;
  /** Without them nobody sees which files a command changes. */
  readonly snapshots?: WorkspaceSnapshots;
}

/** Models that appear and disappear, for example with a key or with a local server. */
export interface ModelSource {
  list(): readonly LanguageModel[];
  /** Also finds a model that is not listed, if its provider accepts the id. */
  find(id: string): LanguageModel | undefined;
  watch(changed: () => void): () => void;
}
