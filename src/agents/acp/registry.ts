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

/** Whether an external agent may have the id. */
function mayHaveId(id: string): boolean {
  return isAgentId(id) && !isReservedId(id);
}

/** The settings of an agent. Absent members come from the catalogue if it contains the id. */
export interface AgentSetting extends SandboxSetting {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly inherits?: readonly string[];
  readonly mode?: string;
  readonly acpVersion?: 1 | 2;
  readonly disabled?: boolean;
}

interface SandboxSetting {
  readonly sandbox?: AgentSandbox;
  readonly folders?: readonly string[];
  readonly hosts?: readonly string[];
}

export interface KnownAgent {
  readonly program: AgentProgram;
  /** `configured` by the user, `installed` by Parley, `found` on the PATH, or only `known`. */
  readonly source: 'configured' | 'installed' | 'found' | 'known';
  /** The path of the program; undefined if it was not found. */
  readonly path: string | undefined;
  readonly disabled: boolean;
  /** The version that Parley has installed. */
  readonly version?: string;
}

/** An agent that Parley has installed from a registry. */
export interface InstalledProgram extends Pick<
  AgentProgram,
  'id' | 'name' | 'description' | 'command' | 'args' | 'env'
> {
  readonly version: string;
  /** Where it is installed. */
  readonly folder: string;
}

interface Machine {
  /** Returns the full path of a program, or undefined. */
  readonly find: (command: string) => string | undefined;
  readonly installed?: readonly InstalledProgram[];
}

export function knownAgents(
  settings: readonly AgentSetting[],
  { find, installed = [] }: Machine,
): readonly KnownAgent[] {
  const offered = [...installed.filter(({ id }) => mayHaveId(id)).map(installedAgent), ...catalogueAgents()];
  const configured = settings
    .filter(({ id }) => mayHaveId(id))
    .map((setting) =>
      configuredAgent(
        setting,
        offered.find(({ program }) => program.id === setting.id),
        find,
      ),
    )
    .filter((agent) => agent !== undefined);
  const taken = new Set(configured.map(({ program }) => program.id));
  const others = offered
    .filter(({ program: { id } }) => !taken.has(id) && taken.add(id))
    .map(({ program, version }): KnownAgent => {
      const path = find(program.command);
      const unasked = path === undefined ? 'known' : 'found';
      return {
        program,
        path,
        disabled: false,
        ...(version === undefined ? { source: unasked } : { source: 'installed', version }),
      };
    });
  return [...configured, ...others];
}

interface Offered {
  readonly program: AgentProgram;
  readonly version?: string;
}

function catalogueAgents(): readonly Offered[] {
  return catalogue.map((program) => ({ program }));
}

/** An installed agent that is in our catalogue keeps its name and its quirks. */
function installedAgent(agent: InstalledProgram): Offered {
  const { id, command, args, env, version, folder } = agent;
  const listed = catalogue.find((each) => each.id === id);
  const { name, description } = listed ?? agent;
  // In the sandbox it sees nothing else of our data directory.
  const needs = needsOf(listed, { folders: [folder] });
  return {
    program: { ...listed, id, name, description, command, args, ...present({ env, needs }) },
    version,
  };
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
  { id, disabled = false, mode, acpVersion, ...setting }: AgentSetting,
  offered: Offered | undefined,
  find: (command: string) => string | undefined,
): KnownAgent | undefined {
  const listed = offered?.program;
  const { inherits, args, folders, hosts, ...values } = setting;
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
  const quirks = { ...listed?.quirks, ...present({ mode, acpVersion }) };
  const program: AgentProgram = {
    ...base,
    command,
    args: args ?? listedArgs,
    ...present({
      quirks: Object.keys(quirks).length === 0 ? undefined : quirks,
      inherits: joined(listed?.inherits, inherits),
      needs: needsOf(listed, present({ folders, hosts })),
    }),
  };
  const version = listed?.command === command ? offered?.version : undefined;
  return { program, source: 'configured', path: find(command), disabled, ...present({ version }) };
}

function needsOf(
  listed: AgentProgram | undefined,
  { folders, hosts }: Pick<AgentSetting, 'folders' | 'hosts'>,
): SandboxNeeds | undefined {
  if (!folders && !hosts) return listed?.needs;
  const known = listed?.needs;
  return {
    ...known,
    folders: joined(known?.folders, folders) ?? [],
    hosts: joined(known?.hosts, hosts) ?? [],
  };
}

function joined(
  first: readonly string[] | undefined,
  second: readonly string[] | undefined,
): readonly string[] | undefined {
  return first || second ? [...(first ?? []), ...(second ?? [])] : undefined;
}

/** A way to install an agent of a registry. */
export interface Distribution {
  readonly kind: 'npx' | 'uvx' | 'binary';
  /** The package, or the address of the archive. */
  readonly source: string;
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** The program in the archive. */
  readonly cmd?: string;
  readonly sha256?: string;
}

/** The ways that work on a platform; packages first, because their checksums are verified. */
export function distributionsOf(
  { distribution, version }: RegistryEntry,
  platform: string,
): readonly Distribution[] {
  const { npx, uvx, binary } = distribution;
  const target = binary && Object.hasOwn(binary, platform) ? binary[platform] : undefined;
  const packages = [
    { kind: 'npx' as const, entry: npx },
    { kind: 'uvx' as const, entry: uvx },
  ].flatMap(({ kind, entry }): readonly Distribution[] =>
    entry
      ? [
          {
            kind,
            source: withVersion(entry.package, version),
            args: entry.args ?? [],
            ...present({ env: entry.env }),
          },
        ]
      : [],
  );
  if (!target) return packages;
  const { archive, cmd, args = [], env, sha256 } = target;
  return [...packages, { kind: 'binary', source: archive, args, cmd, ...present({ env, sha256 }) }];
}

/** A package that names no version is that of its entry: what is installed is what the list says. */
function withVersion(name: string, version: string): string {
  const hasVersion = /[\w\]](?:@|==)/.test(name);
  return hasVersion || !/^\d[\w.+-]*$/.test(version) ? name : `${name}@${version}`;
}

/** An entry of a registry as a setting that runs its package on each start. */
export function settingOf(
  entry: RegistryEntry,
  platform: string,
): AgentSetting | { readonly problem: string } {
  const { id, name, description } = entry;
  const [way] = distributionsOf(entry, platform);
  if (!way) return { problem: `${name} is not available for ${platform}.` };
  if (way.kind === 'binary')
    return { problem: `${name} must be installed. Run "parley agents install ${id}".` };
  return {
    id,
    name,
    ...(description === '' ? {} : { description }),
    command: way.kind,
    args: [...(way.kind === 'npx' ? ['-y'] : []), way.source, ...way.args],
    ...present({ env: way.env }),
  };
}
