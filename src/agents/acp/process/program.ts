// An external agent: the program to start, and its quirks. Starts nothing.
import type { Clock, Confinement, Files, Ids } from '../../../host/ports.ts';
import type { WorkspaceSnapshots } from '../../../host/workspace/workspaceSnapshots.ts';
import type { Programs } from '../../../host/terminals/programs.ts';
import type { Beginning } from '../../../rpc/processes/beginning.ts';
import type { ChildTransport } from '../../../rpc/transports/child.ts';

export interface AgentProgram {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: { readonly [name: string]: string };
  /** Environment variables that it needs, such as its keys; a final star is a wildcard. */
  readonly inherits?: readonly string[];
  /** How to install it and how to sign in, for users. */
  readonly install?: string;
  readonly signIn?: string;
  readonly quirks?: Quirks;
  /** When it runs in the sandbox; never where this is left out. */
  readonly sandbox?: AgentSandbox;
  readonly needs?: SandboxNeeds;
}

/** Always, in sessions with the permission mode auto, or never. */
export type AgentSandbox = 'on' | 'auto' | 'off';

/** What an agent needs in the sandbox. */
export interface SandboxNeeds {
  /** Its own folders and files: absolute, or below the home directory with `~/`. */
  readonly folders: readonly string[];
  /** Environment variables that name further ones. */
  readonly variables?: readonly string[];
  /** The servers of its model, which it reaches without a question; with a port also on this machine. */
  readonly hosts?: readonly string[];
  /** The mode in which it leaves out a sandbox of its own, which cannot run inside ours. */
  readonly mode?: string;
}

/** How an agent deviates from the protocol or from our defaults. */
export interface Quirks {
  /** The version of ACP that it is asked for first; 1 where this is left out. */
  readonly acpVersion?: 1 | 2;
  /** It works better without our files, or without our terminals. */
  readonly files?: 'off';
  readonly terminals?: 'off';
  /** The mode in which it asks before it acts; the default of new conversations. */
  readonly mode?: string;
  /** Environment variables that make it ask before it acts; those that the user has set win. */
  readonly askingEnv?: { readonly [name: string]: string };
  /** It never asks before it acts, in no mode. */
  readonly asks?: 'never';
  /** It refuses to run as the administrator. */
  readonly root?: 'refused';
  /** It does not exit at the end of its input, so we do not wait for it. */
  readonly end?: 'ignored';
}

/** The ports of the host that a conversation with an agent uses. */
export interface AgentPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Files;
  readonly snapshots: WorkspaceSnapshots;
  readonly programs: Programs;
  /** What the project in a folder adds to the environment of a program there. */
  readonly variables?: (place: ProgramPlace) => Promise<{ readonly [name: string]: string }>;
}

/** Where a program runs. */
export interface ProgramPlace {
  readonly cwd: string;
  /** Set if it runs in the sandbox. */
  readonly confined?: Confinement | undefined;
  /** What the project there adds to its environment; that decides nothing about what it may do. */
  readonly project?: { readonly [name: string]: string } | undefined;
}

/** Starts the program; it is gone when the transport is closed. A sandbox may have to be made again. */
export type LaunchProgram = (
  program: AgentProgram,
  place: ProgramPlace & { stderr(line: string): void },
) => ChildTransport & Beginning;

/** How long things may take, in milliseconds. Each counts from the last sign of life. */
export interface AgentTimes {
  /** Silence while the agent starts, or opens a conversation. */
  readonly setup: number;
  /** How long a program may start before the user gets a notice. */
  readonly start: number;
  /** Silence in a turn before the user gets a notice. */
  readonly quiet: number;
  /** From a stop to the end of the turn, before the program is ended. */
  readonly cancel: number;
  /** How long updates may arrive after a turn. */
  readonly settle: number;
  /** Silence that ends a turn that the agent started on its own. */
  readonly wake: number;
  /** Idle time after which a program that can restore its conversations is ended. */
  readonly idle: number;
  /** The same for a program of several sessions whose memory has grown. */
  readonly grown: number;
}

export const usualTimes: AgentTimes = {
  setup: 60_000,
  start: 1_500,
  quiet: 120_000,
  cancel: 10_000,
  settle: 30,
  wake: 3_000,
  idle: 300_000,
  grown: 30_000,
};
