// Lists external agents: configured by the user, found on this machine, or available to install. Does no I/O.
import type { RegistryEntry } from '../../protocols/acp/registrySchema.ts';
import { present } from '../../base/present.ts';
import { catalogue } from './catalogue.ts';
import type { AgentProgram, AgentSandbox, SandboxNeeds } from './process/program.ts';

/** Ids are typed and stored, so only plain characters are allowed. */
export function isAgentId(id: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(id);
}

/** The id of the built-in agent is reserved. */
export function isReservedId(id: string): boolean {
  return id === 'parley';
}

/** The settings of an agent. Absent members come from the catalogue if it contains the id. */
export interface AgentSetting {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly inherits?: readonly string[];
  readonly mode?: string;
  readonly sandbox?: AgentSandbox;
  readonly folders?: readonly string[];
  readonly disabled?: boolean;
}

export interface KnownAgent {
  readonly program: AgentProgram;
  /** `configured` by the user, `found` on the PATH, or only `known`. */
  readonly source: 'configured' | 'found' | 'known';
  /** The path of the program; undefined if it was not found. */
  readonly path: string | undefined;
  readonly disabled: boolean;
}

/** `find` returns the full path of a program, or undefined. */
export function knownAgents(
  settings: readonly AgentSetting[],
  find: (command: string) => string | undefined,
): readonly KnownAgent[] {
  const configured = settings
    .filter(({ id }) => isAgentId(id) && !isReservedId(id))
    .map((setting) => configuredAgent(setting, find))
    .filter((agent) => agent !== undefined);
  const others = catalogue
    .filter(({ id }) => !configured.some(({ program }) => program.id === id))
    .map((program): KnownAgent => {
      const path = find(program.command);
      return { program, path, source: path === undefined ? 'known' : 'found', disabled: false };
    });
  return [...configured, ...others];
}

/**
 * The agents that sessions can have: found and not turned off. What the user has set up is offered also where
 * it cannot be found, to say why.
 */
export function usableAgents(agents: readonly KnownAgent[]): readonly AgentProgram[] {
  return agents
    .filter(({ source, disabled }) => source !== 'known' && !disabled)
    .map(({ program }) => program);
}

function configuredAgent(
  { id, disabled = false, mode, ...setting }: AgentSetting,
  find: (command: string) => string | undefined,
): KnownAgent | undefined {
  const listed = catalogue.find((program) => program.id === id);
  const { inherits, args, folders, ...values } = setting;
  const { command, ...base } = {
    name: id,
    description: 'Added in your settings.',
    ...listed,
    ...present(values),
    id,
  };
  if (command === undefined) return undefined;
  // The arguments of the catalogue belong to its own command.
  const listedArgs = listed?.command === command ? listed.args : [];
  const quirks = mode === undefined ? listed?.quirks : { ...listed?.quirks, mode };
  const program: AgentProgram = {
    ...base,
    command,
    args: args ?? listedArgs,
    ...present({ quirks, inherits: joined(listed?.inherits, inherits), needs: needsOf(listed, folders) }),
  };
  return { program, source: 'configured', path: find(command), disabled };
}

function needsOf(
  listed: AgentProgram | undefined,
  added: readonly string[] | undefined,
): SandboxNeeds | undefined {
  if (!added) return listed?.needs;
  return { ...listed?.needs, folders: [...(listed?.needs?.folders ?? []), ...added] };
}

function joined(
  first: readonly string[] | undefined,
  second: readonly string[] | undefined,
): readonly string[] | undefined {
  return first || second ? [...(first ?? []), ...(second ?? [])] : undefined;
}

/** An entry of the public registry as a setting, or the reason why it must be downloaded by hand. */
export function settingOf(
  { id, name, description, distribution }: RegistryEntry,
  platform: string,
): AgentSetting | { readonly problem: string } {
  const { npx, uvx, binary } = distribution;
  const common = { id, name, ...(description === '' ? {} : { description }) };
  const runner = npx
    ? { command: 'npx', args: ['-y', npx.package, ...(npx.args ?? [])], env: npx.env }
    : uvx && { command: 'uvx', args: [uvx.package, ...(uvx.args ?? [])], env: uvx.env };
  if (runner)
    return {
      ...common,
      command: runner.command,
      args: runner.args,
      ...(runner.env ? { env: runner.env } : {}),
    };
  const target = binary && Object.hasOwn(binary, platform) ? binary[platform] : undefined;
  if (!target) return { problem: `${name} is not available for ${platform}.` };
  const line = [`/path/to/${target.cmd.replace(/^\.\//, '')}`, ...(target.args ?? [])].join(' ');
  return {
    problem:
      `${name} must be downloaded from ${target.archive}. Unpack it, then run "parley agents add ${id} -- ` +
      `${line}".`,
  };
}
