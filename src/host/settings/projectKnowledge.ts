// What a project and its user tell agents beforehand: instructions, rules, skills, commands, ways of working and hooks. Where it is written is somebody else's business.
import type { Rule } from '../../model/event.ts';
import { builtInAgents } from './builtInProfiles.ts';
import { tryWhole } from '../policy/expression.ts';
import { fitsName } from '../../base/paths.ts';

export interface Knowledge {
  /** What there is for these folders as far as it was read. Reading begins with the first question; `watch` tells when there is more. */
  now(roots: readonly string[]): ProjectKnowledge;
  /** The same once all of it was read; never rejects. */
  of(roots: readonly string[]): Promise<ProjectKnowledge>;
  watch(changed: () => void): () => void;
}

export interface ProjectKnowledge {
  readonly instructions: readonly InstructionFile[];
  readonly rules: readonly ProjectRule[];
  readonly skills: readonly Skill[];
  readonly commands: readonly WrittenCommand[];
  /** The built-in ones first; a definition under their name has taken their place. */
  readonly agents: readonly AgentDefinition[];
  readonly hooks: readonly Hook[];
  /** What could not be read, in words that can be shown. */
  readonly problems: readonly string[];
}

/** A text such as AGENTS.md; the folders' own come first, then those above them, then the user's. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** Set where it came with a folder that the user has not trusted. */
  readonly untrusted?: true;
}

/** A text for models. With `globs` it is only announced, and read with a tool once files that fit are concerned. */
export interface ProjectRule {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly text: string;
  /** Names of agents it is for; none means all. */
  readonly agents: readonly string[];
  /** Regular expressions of models it is for; none means all. */
  readonly models: readonly string[];
  readonly globs: readonly string[];
  /** What may not be done with such files before the rule was read. */
  readonly enforce: readonly ('read' | 'modify')[];
  /** Set where it came with a folder that the user has not trusted. */
  readonly untrusted?: true;
}

/** Instructions that a model reads when it needs them; beforehand it knows name and description. */
export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly text: string;
  /** Where its other files lie. */
  readonly folder: string;
  /** Set where it came with a folder that the user has not trusted. */
  readonly untrusted?: true;
}

/** A prompt that a user keeps under a name and calls with arguments. */
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
  /** Set where it came with a folder that the user has not trusted. */
  readonly untrusted?: true;
}

/** A way for the native agent to work, chosen as the mode of a session or given a task of its own. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** Who uses it: people, other agents, or both. */
  readonly mode: 'primary' | 'subagent' | 'all';
  /** Takes the place of what the native agent is usually told; the folders and all the rest are added. */
  readonly prompt?: string;
  readonly prompts?: ModeWords;
  readonly model?: string;
  readonly variant?: string;
  /** Changes nothing, whatever it is allowed. */
  readonly readOnly?: true;
  /** Judged before the rules that hold for everybody. */
  readonly rules: readonly Rule[];
  readonly disabledTools: readonly string[];
  /** The only tools it has, written as in `disabledTools`; absent means all. */
  readonly tools?: readonly string[];
  readonly maxSteps?: number;
  /** How full its context may get before it is compacted, in percent. */
  readonly compactAt?: number;
  /** The agents that may give it a task; none means all. */
  readonly spawnableBy?: readonly string[];
  /** The file that says so; absent for what is built in. */
  readonly source?: string;
  /** Set where it came with a folder that the user has not trusted: its prompt takes the place of nothing. */
  readonly untrusted?: true;
}

/** What models are told for certain purposes, in place of the usual. */
export interface ModeWords {
  readonly title?: string;
  readonly compact?: string;
  /** By the names of tools. */
  readonly tools?: { readonly [name: string]: string };
}

export type HookEvent =
  | 'sessionStart'
  | 'sessionEnd'
  | 'chatStart'
  | 'chatEnd'
  | 'chatStatusChanged'
  | 'subagentStart'
  | 'preRequest'
  | 'postRequest'
  | 'subagentPostRequest'
  | 'preToolCall'
  | 'postToolCall'
  | 'preCompact'
  | 'postCompact';

/** Programs of the user that run when something happens, and may have a say in it. */
export interface Hook {
  readonly name: string;
  readonly on: HookEvent;
  /** Which calls it is for: an expression for the whole `server__tool`, or tools with expressions for their arguments. */
  readonly matcher?: string | { readonly [tool: string]: { readonly [argument: string]: readonly string[] } };
  readonly actions: readonly HookAction[];
  /** Set where it runs after calls that worked, and after no others. */
  readonly onlyDone?: true;
  /** Whether people see that it ran. */
  readonly visible: boolean;
}

export interface HookAction {
  readonly run: { readonly command: string } | { readonly file: string };
  /** In milliseconds. */
  readonly timeout: number;
}

/** Stands with everything that came with a folder before the user trusts it, for people and for models. */
export const untrustedLabel = '(from this folder, untrusted)';

/** What there is where nothing is written. */
export const bareKnowledge: ProjectKnowledge = {
  instructions: [],
  rules: [],
  skills: [],
  commands: [],
  agents: builtInAgents,
  hooks: [],
  problems: [],
};

/** Those that a user may choose for a session. */
export function primaryAgents({ agents }: ProjectKnowledge): readonly AgentDefinition[] {
  return agents.filter(({ mode }) => mode !== 'subagent');
}

/** Those that the named agent may give a task. */
export function spawnableAgents({ agents }: ProjectKnowledge, parent: string): readonly AgentDefinition[] {
  return agents.filter(
    ({ mode, spawnableBy }) => mode !== 'primary' && (spawnableBy?.includes(parent) ?? true),
  );
}

/** The definition that a mode of a session stands for; a mode that is gone is the first one. */
export function definitionOf(
  knowledge: ProjectKnowledge,
  mode: string | undefined,
): AgentDefinition | undefined {
  return knowledge.agents.find(({ name }) => name === mode) ?? primaryAgents(knowledge)[0];
}

/** Whether an agent is given a tool. */
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

/**
 * Whether patterns speak of a tool: names with `*`, expressions for whole names, or the name of a server for all its tools; ours go by `eca` together.
 * `unsure` is what an expression counts as that cannot be tried.
 */
export function isNamed(patterns: readonly string[], { name, server }: NamedTool, unsure = true): boolean {
  const names = [name, `eca__${name}`];
  return patterns.some(
    (pattern) =>
      pattern === (server ?? 'eca') ||
      fitsName(pattern, name) ||
      names.some((each) => fitsWhole(pattern, each, unsure)),
  );
}

function fitsWhole(expression: string, text: string, unsure: boolean): boolean {
  // Most of them are plain names.
  if (/^[\w-]+$/.test(expression)) return expression === text;
  const fits = tryWhole(expression, text);
  return fits === 'too-hard' ? unsure : fits === true;
}
