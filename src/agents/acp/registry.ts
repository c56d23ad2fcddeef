// Lists external agents: configured by the user, found on this machine, or available to install. Does no I/O.
import type { RegistryEntry } from '../../protocols/acp/registrySchema.ts';
import { present } from '../../base/present.ts';
import { catalogue } from './catalogue.ts';
import type { AgentProgram, AgentSandbox, Quirks, SandboxNeeds } from './process/program.ts';
import { startedAgent } from './startedAgent.ts';

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

/** The settings of an agent. Absent members come from the catalogue if it contains the program or the id. */
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
  /** Returns the path to which a path leads by links. */
  readonly realPath?: (path: string) => string;
  readonly installed?: readonly InstalledProgram[];
}

export function knownAgents(
  settings: readonly AgentSetting[],
  { find, realPath = (path) => path, installed = [] }: Machine,
): readonly KnownAgent[] {
  const findListed: FindListed = (program) => {
    const path = find(program.command);
    return startedAgent(program, path === undefined ? undefined : realPath(path));
  };
  const offered = [
    ...installed.filter(({ id }) => mayHaveId(id)).map((agent) => installedAgent(agent, findListed)),
    ...catalogueAgents(),
  ];
  const configured = settings
    .filter(({ id }) => mayHaveId(id))
    .map((setting) =>
      configuredAgent(
        setting,
        offered.find(({ program }) => program.id === setting.id),
        { find, findListed },
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

/** The agent of the catalogue that a command line starts. */
type FindListed = (program: Pick<AgentProgram, 'command' | 'args'>) => AgentProgram | undefined;

/** An installed agent whose program is in our catalogue keeps its quirks, and under its id there its name. */
function installedAgent(agent: InstalledProgram, findListed: FindListed): Offered {
  const { id, command, args, env, version, folder } = agent;
  const listed = findListed(agent) ?? catalogue.find((each) => each.id === id);
  const { name, description } = listed?.id === id ? listed : agent;
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

/** What is known of an agent goes by the program that it starts; its id counts where that is not known. */
function configuredAgent(
  { id, disabled = false, mode, acpVersion, ...setting }: AgentSetting,
  offered: Offered | undefined,
  { find, findListed }: Pick<Machine, 'find'> & { readonly findListed: FindListed },
): KnownAgent | undefined {
  const { inherits, args, folders, hosts, ...values } = setting;
  const own = offered?.program;
  const command = values.command ?? own?.command;
  if (command === undefined) return undefined;
  const isOwn = command === own?.command;
  // The arguments of the catalogue belong to its own command.
  const allArgs = args ?? (isOwn ? own.args : []);
  const listed = (isOwn ? undefined : findListed({ command, args: allArgs })) ?? own;
  const program: AgentProgram = {
    ...namedAs(id, listed),
    ...present(values),
    command,
    args: allArgs,
    ...present({
      quirks: quirksOf(listed, present({ mode, acpVersion })),
      inherits: joined(listed?.inherits, inherits),
      needs: needsOf(listed, present({ folders, hosts })),
    }),
  };
  const version = isOwn ? offered?.version : undefined;
  return { program, source: 'configured', path: find(command), disabled, ...present({ version }) };
}

/** The name in the catalogue belongs to the id there. */
function namedAs(id: string, listed: AgentProgram | undefined): Omit<AgentProgram, 'command' | 'args'> {
  return listed?.id === id ? listed : { ...listed, id, name: id, description: 'Added in your settings.' };
}

function quirksOf(
  listed: AgentProgram | undefined,
  chosen: Pick<AgentSetting, 'mode' | 'acpVersion'>,
): Quirks | undefined {
  const quirks = { ...listed?.quirks, ...chosen };
  return Object.keys(quirks).length === 0 ? undefined : quirks;
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
