// The port to what projects and users prepare for agents: instructions, rules, skills, commands, profiles and
// hooks. Implemented under io.
import type { Rule } from '../../model/event.ts';
import { builtInAgents } from './builtInProfiles.ts';
import type { modePrompts } from './schema/agents.ts';
import type { SettingOf } from './schema/values.ts';
import type { HookSettings } from './settings.ts';
import { tryWhole } from '../policy/expression.ts';
import { fitsName } from '../../base/paths.ts';

export interface Knowledge {
  /** What has been read for these folders so far. The first call starts reading; `watch` reports more. */
  now(roots: readonly string[]): ProjectKnowledge;
  /** The same when everything was read; never rejects. */
  of(roots: readonly string[]): Promise<ProjectKnowledge>;
  /** The hooks in effect now. They come from the settings alone, so nothing is read for them. */
  hooks(roots: readonly string[]): readonly Hook[];
  watch(changed: () => void): () => void;
}

export interface ProjectKnowledge {
  readonly instructions: readonly InstructionFile[];
  readonly rules: readonly ProjectRule[];
  readonly skills: readonly Skill[];
  readonly commands: readonly WrittenCommand[];
  /** Built-in profiles first; a definition with the same name replaces one. */
  readonly agents: readonly AgentDefinition[];
  /** What could not be read, as messages for people. */
  readonly problems: readonly string[];
}

/** A text such as AGENTS.md; the folders' own come first, then those above them, then the user's. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** Set if it comes from an untrusted folder. */
  readonly untrusted?: true;
}

/**
 * A text for models. With `globs` only its name is sent, and the model reads it when it
 * works on matching files.
 */
export interface ProjectRule {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** The profiles it applies to; empty means all. */
  readonly agents: readonly string[];
  /** Regular expressions of the models it applies to; empty means all. */
  readonly models: readonly string[];
  readonly globs: readonly string[];
  /** What is refused with such files before the rule was read. */
  readonly enforce: readonly ('read' | 'modify')[];
  /** Set if it comes from an untrusted folder. */
  readonly untrusted?: true;
}

/** Instructions that a model reads when needed; it always sees the name and description. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  /** The folder of its other files. */
  readonly folder: string;
  /** Set if it comes from an untrusted folder. */
  readonly untrusted?: true;
}

/** A stored prompt with a name and arguments. */
export interface WrittenCommand {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  readonly path: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required?: boolean;
  }[];
  /** Set if it comes from an untrusted folder. */
  readonly untrusted?: true;
}

/** A profile of the native agent: the mode of a session, or a subagent. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Who uses it: people, other agents, or both. */
  readonly mode: 'primary' | 'subagent' | 'all';
  /** Replaces the default system prompt; folders and other context are added. */
  readonly prompt?: string;
  readonly prompts?: ModePrompts;
  readonly model?: string;
  readonly variant?: string;
  /** Read-only, whatever the rules allow. */
  readonly readOnly?: true;
  /** Applied before the rules of the session. */
  readonly rules: readonly Rule[];
  readonly disabledTools: readonly string[];
  /** The only tools it has, as patterns; absent means all. */
  readonly tools?: readonly string[];
  readonly maxSteps?: number;
  /** How full its context may get before it is compacted, in percent. */
  readonly compactAt?: number;
  /** The profiles that may start it as a subagent; absent means all. */
  readonly spawnableBy?: readonly string[];
  /** The file that defines it; absent for built-in profiles. */
  readonly source?: string;
  /** Set if it comes from an untrusted folder: its prompt replaces nothing. */
  readonly untrusted?: true;
}

/** Prompts that replace the default ones. */
export type ModePrompts = SettingOf<typeof modePrompts>;

export type HookEvent = HookSettings['on'];

/** The user's programs that run on an event and may influence it. */
export interface Hook {
  readonly name: string;
  readonly on: HookEvent;
  /**
   * The calls it applies to: an expression for the whole `server__tool`, or tools with
   * expressions for their arguments.
   */
  readonly matcher?: NonNullable<HookSettings['matcher']>;
  readonly actions: readonly HookAction[];
  /** Set if it runs only after successful calls. */
  readonly onlyDone?: true;
  /** Set if it never runs in the sandbox. */
  readonly unconfined?: true;
  /** Whether clients show that it ran. */
  readonly visible: boolean;
}

export interface HookAction {
  readonly run: { readonly command: string } | { readonly file: string };
  /** In milliseconds. */
  readonly timeout: number;
}

/** Marks everything from an untrusted folder, for people and models. */
export const untrustedLabel = '(from this folder, untrusted)';

/** The knowledge of a project without files. */
export const bareKnowledge: ProjectKnowledge = {
  instructions: [],
  rules: [],
  skills: [],
  commands: [],
  agents: builtInAgents,
  problems: [],
};

/** The profiles that a user may choose for a session. */
export function primaryAgents({ agents }: ProjectKnowledge): readonly AgentDefinition[] {
  return agents.filter(({ mode }) => mode !== 'subagent');
}

/** The profiles that the named one may start as a subagent. */
export function spawnableAgents({ agents }: ProjectKnowledge, parent: string): readonly AgentDefinition[] {
  return agents.filter(
    ({ mode, spawnableBy }) => mode !== 'primary' && (spawnableBy?.includes(parent) ?? true),
  );
}

/** The profile of a session's mode; the first one if the mode no longer exists. */
export function definitionOf(
  knowledge: ProjectKnowledge,
  mode: string | undefined,
): AgentDefinition | undefined {
  return knowledge.agents.find(({ name }) => name === mode) ?? primaryAgents(knowledge)[0];
}

/** Whether a profile has a tool. */
export function hasTool(
  { tools, disabledTools }: Pick<AgentDefinition, 'tools' | 'disabledTools'>,
  tool: NamedTool,
): boolean {
  return (tools === undefined || isNamed(tools, tool, false)) && !isNamed(disabledTools, tool);
}

export interface NamedTool {
  readonly name: string;
  readonly server?: string | undefined;
}

/** Settings and agent files follow ECA's format, which gives the built-in tools this server name. */
const ownServer = 'eca';

/**
 * Whether a pattern matches a tool: a name with `*`, an expression for the whole name, or the name of a
 * server for all its tools. `unsure` is the result for an expression that is too expensive to evaluate.
 */
export function isNamed(patterns: readonly string[], { name, server }: NamedTool, unsure = true): boolean {
  const names = [name, `${ownServer}__${name}`];
  return patterns.some(
    (pattern) =>
      pattern === (server ?? ownServer) ||
      fitsName(pattern, name) ||
      names.some((each) => fitsWhole(pattern, each, unsure)),
  );
}

function fitsWhole(expression: string, text: string, unsure: boolean): boolean {
  // Most patterns are plain names.
  if (/^[\w-]+$/.test(expression)) return expression === text;
  const fits = tryWhole(expression, text);
  return fits === 'too-hard' ? unsure : fits === true;
}
