// Prepares one turn: reads the profile, the tools, the system prompt and the limits once,
// before the first request.
import type { AgentFact, TurnContext } from '../../../host/agent.ts';
import type { HookedInput } from '../../../host/hooks/hookedTurn.ts';
import type { TurnHooks } from '../../../host/hooks/turnHooks.ts';
import type { Files, Ids, Processes } from '../../../host/ports.ts';
import type { LimitSettings, SettingsValues, ShellSettings } from '../../../host/settings/settings.ts';
import { serverPart } from '../../../host/tools/serverNames.ts';
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import type { WebPages } from '../../../host/tools/webPages.ts';
import type { LateChanges } from '../../../host/workspace/lateChanges.ts';
import { leftOut } from '../../../host/turns/disabledFeatures.ts';
import type { ResolvedInput, UserMessage } from '../../../model/event.ts';
import type { LanguageModel } from '../model.ts';
import type { ModelSource, NativeOptions } from '../options.ts';
import { conventionsFor, defaultConventions } from '../prompt/clientConventions.ts';
import type { ClientConventions } from '../prompt/clientConventions.ts';
import { pinPrompt } from '../prompt/pinnedPrompt.ts';
import { refusedImages } from '../prompt/refusedImages.ts';
import type { RefusedImages } from '../prompt/refusedImages.ts';
import { hostAdditions, inputResolver } from '../prompt/resolvedInput.ts';
import type { SharedResources } from '../prompt/sharedResources.ts';
import { buildSystemPrompt, withClientPrompt, withServers } from '../prompt/systemPrompt.ts';
import type { ServerInstructions } from '../prompt/systemPrompt.ts';
import { turnPorts } from '../tools/turnWorkbench.ts';
import { CommandFiles } from './calls/commandFiles.ts';
import type { TurnProfile } from './profile.ts';
import { sleepOn } from '../../../base/waiting.ts';
import type { Sleep } from '../../../base/waiting.ts';
import { buildToolSet, isDisabledServer } from './toolSet.ts';
import type { ToolSet } from './toolSet.ts';

/** Everything about a turn that does not change while it runs. */
export interface TurnSetup {
  readonly profile: TurnProfile;
  readonly model: LanguageModel;
  readonly conventions: ClientConventions;
  readonly system: string;
  readonly tools: ToolSet;
  readonly settings: TurnSettings;
  readonly hooks: TurnHooks;
  /** Resolves and records what a message refers to: attachments, mentions, commands. */
  readonly resolveInput: (message: UserMessage) => Promise<ResolvedInput>;
  /** The images that the provider refused earlier in this chat. */
  readonly images: RefusedImages;
  /** Called with each part of an answer that is not an error. */
  readonly onAnswer: () => void;
  readonly ports: SetupPorts;
  /** Sees what the programs of the turn change; undefined if nobody can. */
  readonly programs: CommandFiles | undefined;
}

/** The user's settings as far as they apply to this turn. */
export interface TurnSettings {
  readonly limits: LimitSettings;
  readonly shell: ShellSettings | undefined;
  /** Replaces the built-in instruction for summaries. */
  readonly compactPrompt: string | undefined;
}

export interface SetupPorts {
  readonly files: Files;
  readonly processes: Processes;
  readonly ids: Ids;
  readonly sleep: Sleep;
  readonly random: () => number;
  /** Receives bugs; never throws. */
  readonly report: (problem: unknown, about: string) => void;
  readonly web: WebPages | undefined;
}

export interface PrepareOptions {
  readonly options: NativeOptions;
  readonly models: ModelSource;
  readonly profile: TurnProfile;
  readonly model: LanguageModel;
  readonly servers: OpenServers | undefined;
  readonly resources: SharedResources | undefined;
  readonly hooks: TurnHooks;
  /** What the hooks before the turn added to its message. */
  readonly added: HookedInput;
  readonly record: (fact: AgentFact) => void;
  /** What commands changed before their turn was stopped. */
  readonly late: LateChanges;
  readonly onAnswer: () => void;
}

/**
 * How long a first turn waits for tool servers, in milliseconds; tools that arrive later are
 * available in the next step.
 */
const serverPatience = 1_000;

export async function prepareTurn(turn: TurnContext, prepare: PrepareOptions): Promise<TurnSetup> {
  const { options, profile, model, servers, hooks, onAnswer, added } = prepare;
  const values = options.settings?.of(turn.session.roots);
  const settings = turnSettings(values, profile);
  const conventions = conventionsFor(turn.state(), turn.session.chat, options.prompt?.conventions ?? {});
  await servers?.settled(serverPatience);
  const tools = await buildToolSet(turn, {
    profile,
    model,
    conventions,
    settings: values,
    customToolsNow: () => options.settings?.of(turn.session.roots).customTools ?? {},
    commandTimeout: settings.limits.commandTimeout,
    servers,
    files: options.files,
    hasModel: (id) => prepare.models.find(id) !== undefined,
  });
  const system = buildPrompt(turn, prepare, { conventions, tools, follow: values?.prompts?.follow === true });
  const resolve = inputResolver({
    sources: {
      roots: turn.session.roots,
      files: turnPorts(turn, '', options).files,
      knowledge: profile.knowledge,
      servers,
      web: options.external?.web,
      link: async (uri) => turn.workspace.workbench()?.readLink?.(uri),
      signal: turn.signal,
    },
    resources: prepare.resources,
    record: prepare.record,
  });
  await resolve(turn.message, { ...added, context: [...hostAdditions(turn), ...added.context] });
  return {
    profile,
    model,
    conventions,
    system,
    tools,
    settings,
    hooks,
    resolveInput: (message) => resolve(message, { context: [] }),
    images: refusedImages(turn, model.id, prepare.record),
    onAnswer,
    ports: portsOf(options),
    programs: commandFiles(turn, prepare),
  };
}

const defaultLimits: LimitSettings = {
  steps: 100,
  compactAt: 75,
  outputLines: 2_000,
  outputBytes: 50_000,
  commandTimeout: 60_000,
};

function turnSettings(values: SettingsValues | undefined, { definition }: TurnProfile): TurnSettings {
  const limits = values?.limits ?? defaultLimits;
  return {
    limits: {
      ...limits,
      steps: definition?.maxSteps ?? limits.steps,
      compactAt: definition?.compactAt ?? limits.compactAt,
    },
    shell: values?.shell,
    compactPrompt: definition?.prompts?.compact ?? values?.prompts?.compact,
  };
}

function portsOf({
  files,
  processes,
  ids,
  clock,
  random = () => 0,
  report,
  external,
}: NativeOptions): SetupPorts {
  return { files, processes, ids, sleep: sleepOn(clock), random, report, web: external?.web };
}

function commandFiles(turn: TurnContext, { options, late }: PrepareOptions): CommandFiles | undefined {
  const snapshots = options.external?.snapshots;
  const { roots } = turn.session;
  return snapshots && new CommandFiles({ ...options, snapshots, roots, late, signal: turn.signal });
}

interface PromptOptions {
  readonly conventions: ClientConventions;
  readonly tools: ToolSet;
  /** Whether changed instructions apply to a chat that has begun. */
  readonly follow: boolean;
}

function buildPrompt(
  turn: TurnContext,
  { profile, model, options, servers, record }: PrepareOptions,
  { conventions, tools, follow }: PromptOptions,
): string {
  const { roots } = turn.session;
  const { knowledge, definition, isSubagent } = profile;
  const text = buildSystemPrompt({
    roots,
    knowledge,
    definition,
    model: model.id,
    machine: options.prompt?.machine,
    isSubagent,
    tools: [...tools.available().keys()],
    conventions,
  });
  const madeFor = JSON.stringify([
    definition?.name ?? null,
    model.id,
    roots,
    [...leftOut(turn.state())].toSorted(),
    ...(conventions === defaultConventions ? [] : [conventions.toolPrefix]),
  ]);
  // The chat of a subagent has one turn, so there is nothing to pin.
  const own = isSubagent ? text : pinPrompt(turn, { text, madeFor }, { record, follow });
  return withClientPrompt(withServers(own, instructionsOf(turn, servers)), turn.state());
}

function instructionsOf(turn: TurnContext, servers: OpenServers | undefined): readonly ServerInstructions[] {
  return (servers?.list() ?? [])
    .filter(({ name }) => !isDisabledServer(turn, name))
    .flatMap(({ name, instructions: text }) =>
      text === undefined ? [] : [{ server: serverPart(name), text }],
    );
}
