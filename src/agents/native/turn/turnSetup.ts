// What the native agent has for one turn: the way it works, what it was told beforehand, and the tools it may use.
import type { TurnContext } from '../../../host/agent.ts';
import {
  bareKnowledge,
  definitionOf,
  hasTool,
  isNamed,
  spawnableAgents,
} from '../../../host/settings/projectKnowledge.ts';
import type {
  AgentDefinition,
  Knowledge,
  NamedTool,
  ProjectKnowledge,
} from '../../../host/settings/projectKnowledge.ts';
import { leftOut, leftOutIds, withoutLeftOut } from '../../../host/turns/disabledFeatures.ts';
import { fitsName } from '../../../host/workspace/paths.ts';
import type { Files } from '../../../host/ports.ts';
import { serverPart } from '../../../host/tools/serverNames.ts';
import type { Settings } from '../../../host/settings/settings.ts';
import type { OpenServers } from '../../../host/tools/toolServers.ts';
import type { Rule } from '../../../model/event.ts';
import { defaultConventions } from '../prompt/clientConventions.ts';
import type { ClientConventions } from '../prompt/clientConventions.ts';
import type { LanguageModel, Served } from '../model.ts';
import type { Prompt } from '../prompt/pinnedPrompt.ts';
import { rulesFor, systemPrompt } from '../prompt/systemPrompt.ts';
import type { Instructions, MachineFacts } from '../prompt/systemPrompt.ts';
import { mayDelegate, taskedIn, withheldTools } from '../prompt/subagentTask.ts';
import { knowledgeTools } from '../tools/conversation/knowledge.ts';
import type { Tool } from '../tools/tool.ts';
import type { Heeded } from '../prompt/unreadRules.ts';

export interface Manner {
  readonly knowledge: ProjectKnowledge;
  readonly definition: AgentDefinition | undefined;
  /** Whether it works for another agent. */
  readonly tasked: boolean;
  /** How hard the model should think: as another agent has said, else as the session is set, else as the definition says. */
  readonly variant: string | undefined;
  /** Those it may give tasks to. */
  readonly helpers: readonly AgentDefinition[];
}

/** How a turn is worked on: as another agent wants it, or else as its mode says, as far as that is defined. */
export async function mannerOf(
  { session: { roots, mode, chat }, state }: Pick<TurnContext, 'session' | 'state'>,
  knowledge: Knowledge | undefined,
): Promise<Manner> {
  const known = withoutLeftOut((await knowledge?.of(roots)) ?? bareKnowledge, leftOut(state()));
  const task = taskedIn(state(), chat, known);
  const primary = definitionOf(known, mode);
  // Who only looks has nobody else change things for it.
  const definition: AgentDefinition | undefined = !task
    ? primary
    : task.definition && primary?.readOnly
      ? { ...task.definition, readOnly: true }
      : task.definition;
  const helpers = definition && mayDelegate(state(), chat) ? spawnableAgents(known, definition.name) : [];
  const { variant: set } = state().options;
  return {
    knowledge: known,
    definition,
    tasked: task !== undefined,
    variant: task?.variant ?? (typeof set === 'string' ? set : definition?.variant),
    helpers,
  };
}

export interface OutfitOptions extends Manner {
  readonly model: LanguageModel;
  readonly files: Files;
  readonly settings: Settings | undefined;
  readonly servers: OpenServers | undefined;
  readonly machine: MachineFacts | undefined;
  readonly conventions: ClientConventions;
  /** Every tool there is, besides those for reading knowledge. */
  readonly all: () => readonly Tool[];
}

export interface Outfit {
  readonly prompt: Prompt;
  /** What servers say about their tools. */
  readonly instructions: readonly Instructions[];
  /** What can be called now; servers add and take away tools at any time. */
  readonly tools: () => ReadonlyMap<string, Tool>;
  /** What the provider of the model may run itself. */
  readonly serves: readonly Served[];
  /** What restrains its calls. */
  readonly restraint: Restraint;
}

export interface Restraint {
  readonly heeded: Heeded;
  readonly rules: readonly Rule[];
  readonly readOnly: boolean;
  /** Whether it works for another agent. */
  readonly tasked: boolean;
}

export async function outfitFor(
  turn: Pick<TurnContext, 'session' | 'state'>,
  options: OutfitOptions,
): Promise<Outfit> {
  const { knowledge, definition, model, files, servers, machine, tasked } = options;
  const values = options.settings?.of(turn.session.roots);
  const words = new Map(Object.entries({ ...values?.prompts?.tools, ...definition?.prompts?.tools }));
  const own = definition?.rules ?? [];
  const hidden = [...own, ...(values?.approvals ?? [])].filter(forbidsWhole);
  const isLeftOut = (server: string | undefined) =>
    server !== undefined && leftOut(turn.state()).has(leftOutIds.server(server));
  const offered = (tool: NamedTool) =>
    !isLeftOut(tool.server) &&
    (!definition || hasTool(definition, tool)) &&
    !(tasked && withheldTools.has(tool.name)) &&
    !isNamed(values?.disabledTools ?? [], tool) &&
    !hidden.some((rule) => fitsName(rule.tool, tool.name));
  const described = (tool: Tool): Tool => ({
    ...tool,
    description:
      words.get(tool.name) ??
      (tool.server === undefined ? options.conventions.onDemand[tool.name] : undefined) ??
      tool.description,
  });
  const rules = rulesFor({ knowledge, definition, model: model.id });
  const roots = await Promise.all(turn.session.roots.map((root) => files.realPath(root, '/')));
  const reading = knowledgeTools({ skills: knowledge.skills, rules, roots });
  // Always in the same order, whichever server or client named its tools first: a provider knows what it has seen by its bytes.
  const tools = () =>
    new Map(
      [...options.all(), ...reading]
        .filter(offered)
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map((tool) => [tool.name, described(tool)]),
    );
  const instructions = (servers?.list() ?? [])
    .filter(({ name }) => !isLeftOut(name))
    .flatMap(({ name, instructions: text }) =>
      text === undefined ? [] : [{ server: serverPart(name), text }],
    );
  // Two tools of one name would be refused, and the one that we run is asked about.
  const serves = (model.serves ?? []).filter((name) => offered({ name }) && !tools().has(name));
  return {
    tools,
    serves,
    instructions,
    restraint: { heeded: { rules, roots }, rules: own, readOnly: definition?.readOnly === true, tasked },
    prompt: {
      made: JSON.stringify([
        definition?.name ?? null,
        model.id,
        turn.session.roots,
        [...leftOut(turn.state())].toSorted(),
        ...(options.conventions === defaultConventions ? [] : [options.conventions.toolPrefix]),
      ]),
      text: systemPrompt({
        roots: turn.session.roots,
        knowledge,
        definition,
        model: model.id,
        machine,
        tasked,
        tools: [...tools().keys()],
        conventions: options.conventions,
      }),
    },
  };
}

/** What is forbidden altogether is not even shown to the model. */
function forbidsWhole({ effect, tool, match, command, paths, args }: Rule): boolean {
  return effect === 'deny' && !tool.startsWith('@') && match === undefined && !command && !paths && !args;
}
