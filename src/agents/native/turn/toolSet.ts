// The tools of one turn: which are offered to the model, which the provider runs, and what
// restricts their calls.
import type { TurnContext } from '../../../host/agent.ts';
import type { Files } from '../../../host/ports.ts';
import { hasTool, isNamed } from '../../../host/settings/projectKnowledge.ts';
import type { NamedTool, ProjectRule } from '../../../host/settings/projectKnowledge.ts';
import type { SettingsValues } from '../../../host/settings/settings.ts';
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import { leftOut, leftOutIds } from '../../../host/turns/disabledFeatures.ts';
import { fitsName } from '../../../base/paths.ts';
import type { Rule } from '../../../model/event.ts';
import type { LanguageModel, Served } from '../model.ts';
import type { ClientConventions } from '../prompt/clientConventions.ts';
import { withheldTools } from '../prompt/subagentTask.ts';
import { rulesFor } from '../prompt/systemPrompt.ts';
import type { EnforcedRules } from '../prompt/unreadRules.ts';
import { nativeTools } from '../tools/all.ts';
import { clientTools } from '../tools/clientTools.ts';
import { customTools } from '../tools/commands/customTools.ts';
import { conversationTools } from '../tools/conversation/conversationTools.ts';
import { knowledgeTools } from '../tools/conversation/knowledge.ts';
import { spawnAgent } from '../tools/conversation/spawnAgent.ts';
import { serverTools } from '../tools/serverTools.ts';
import type { Tool } from '../tools/tool.ts';
import type { TurnProfile } from './profile.ts';

export interface ToolSet {
  /** The tools that can be called now, by name; servers and clients add and remove tools at any time. */
  available(): ReadonlyMap<string, Tool>;
  /** The tools that the provider of the model may run. */
  readonly provided: readonly Served[];
  readonly restrictions: CallRestrictions;
}

/** What the profile adds to the user's policy. */
export interface CallRestrictions {
  readonly enforced: EnforcedRules;
  readonly rules: readonly Rule[];
  readonly readOnly: boolean;
  /** A subagent continues after a refusal, to report it. */
  readonly isSubagent: boolean;
}

export interface ToolSetOptions {
  readonly profile: TurnProfile;
  readonly model: LanguageModel;
  readonly conventions: ClientConventions;
  readonly settings: SettingsValues | undefined;
  /** The settings now, since trust may end during the turn. */
  readonly customToolsNow: () => SettingsValues['customTools'];
  readonly commandTimeout: number;
  readonly servers: OpenServers | undefined;
  readonly files: Files;
  readonly hasModel: (id: string) => boolean;
}

export async function buildToolSet(turn: TurnContext, options: ToolSetOptions): Promise<ToolSet> {
  const { profile, model, files } = options;
  const { knowledge, definition, isSubagent } = profile;
  const rules = rulesFor({ knowledge, definition, model: model.id });
  const roots = await Promise.all(turn.session.roots.map((root) => files.realPath(root, '/')));
  const isOffered = offeredTools(turn, options);
  const describe = describeTools(options);
  const all = allTools(turn, options, { rules, roots });
  // The order never depends on which server or client listed its tools first: providers cache
  // requests by their bytes.
  const available = () =>
    new Map(
      all()
        .filter(isOffered)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((tool) => [tool.name, describe(tool)]),
    );
  return {
    available,
    // Providers refuse two tools of one name; ours wins, because its calls need approval.
    provided: (model.serves ?? []).filter((name) => isOffered({ name }) && !available().has(name)),
    restrictions: {
      enforced: { rules, roots },
      rules: definition?.rules ?? [],
      readOnly: definition?.readOnly === true,
      isSubagent,
    },
  };
}

/** True for a server that the user disabled in this session. */
export function isDisabledServer(turn: Pick<TurnContext, 'state'>, server: string): boolean {
  return leftOut(turn.state()).has(leftOutIds.server(server));
}

/** Every tool there is, before anything is filtered. */
function allTools(
  turn: TurnContext,
  { profile, model, settings, customToolsNow, commandTimeout, servers, hasModel }: ToolSetOptions,
  { rules, roots }: { readonly rules: readonly ProjectRule[]; readonly roots: readonly string[] },
): () => readonly Tool[] {
  const { helpers, knowledge } = profile;
  const { editors } = turn.workspace;
  const custom = customTools(settings?.customTools ?? {}, commandTimeout, customToolsNow);
  const spawn = helpers.length > 0 ? [spawnAgent({ agents: helpers, hasModel })] : [];
  const reading = knowledgeTools({ skills: knowledge.skills, rules, roots });
  return () => {
    const able = nativeTools.filter(
      ({ needs }) => needs === undefined || editors.can(needs, turn.session.roots),
    );
    const ours = [
      ...custom,
      ...able,
      ...conversationTools,
      ...spawn,
      ...(servers ? serverTools(servers, model) : []),
    ];
    const names = new Set(ours.map(({ name }) => name));
    return [...ours, ...clientTools(turn.workspace.clientTools(), names), ...reading];
  };
}

function offeredTools(
  turn: TurnContext,
  { profile: { definition, isSubagent }, settings }: ToolSetOptions,
): (tool: NamedTool) => boolean {
  const hidden = [...(definition?.rules ?? []), ...(settings?.approvals ?? [])].filter(forbidsWhole);
  const disabled = settings?.disabledTools ?? [];
  return (tool) =>
    !(tool.server !== undefined && isDisabledServer(turn, tool.server)) &&
    (!definition || hasTool(definition, tool)) &&
    !(isSubagent && withheldTools.has(tool.name)) &&
    !isNamed(disabled, tool) &&
    !hidden.some((rule) => fitsName(rule.tool, tool.name));
}

/** A description by the user replaces ours; the conventions of the client come second. */
function describeTools({ profile: { definition }, settings, conventions }: ToolSetOptions) {
  const texts = new Map(Object.entries({ ...settings?.prompts?.tools, ...definition?.prompts?.tools }));
  return (tool: Tool): Tool => ({
    ...tool,
    description:
      texts.get(tool.name) ??
      (tool.server === undefined ? conventions.onDemand[tool.name] : undefined) ??
      tool.description,
  });
}

/** The model does not see a tool that a rule denies in every case. */
function forbidsWhole({ effect, tool, match, command, paths, args }: Rule): boolean {
  return effect === 'deny' && !tool.startsWith('@') && match === undefined && !command && !paths && !args;
}
