// Everything the host needs from the machine it runs on, as one value. The app builds it from
// implementations under io.
import type { CommandLine } from './policy/commandLine.ts';
import type { Repository } from './policy/safeGit.ts';
import type { Clock, Files, Ids } from './ports.ts';
import type { LogStore } from './session/logStore.ts';
import type { SearchIndex } from './session/search.ts';
import type { Knowledge } from './settings/projectKnowledge.ts';
import type { Settings } from './settings/settings.ts';
import type { Programs } from './terminals/programs.ts';
import type { Outputs } from './tools/toolOutputs.ts';

export interface World {
  readonly store: LogStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly paths: HostPaths;
  /** Parses a command line; without it a rule can allow a command only by its exact text. */
  parseCommand?(text: string): CommandLine | Promise<CommandLine>;
  readonly settings?: Settings;
  /** Without it, searches find nothing. */
  readonly index?: SearchIndex;
  readonly knowledge?: Knowledge;
  /** Runs background jobs; without it there are none. */
  readonly programs?: Programs;
  /** Stores outputs that are too long for the log; without it the rest is lost. */
  readonly outputs?: Outputs;
  /** Reverts file changes and looks below folders; without it neither is possible. */
  readonly files?: Pick<Files, 'readText' | 'writeText' | 'remove' | 'setMode' | 'move' | 'walk'>;
  /** Where bugs and failures of the machine end up; never throws. */
  report(problem: unknown, about: string): void;
}

/** Facts about the paths of this machine. */
export interface HostPaths {
  /** The path with links resolved, as far as it exists. */
  canonical(path: string): string;
  /** Whether there is such a file; without it every path counts as one. */
  isFile?(path: string): boolean;
  /** Whether there is such a folder; without it every path counts as one. */
  isFolder?(path: string): boolean;
  /** Whether it is a link or has one below it; without it every path counts as such. */
  holdsLinks?(path: string): boolean;
  /** The repositories that git would use in directories; without it there is none. */
  repositoriesAt?(directories: readonly string[]): Promise<ReadonlyMap<string, Repository | undefined>>;
  /**
   * Whether the configuration of a repository anywhere below a folder starts programs; true if that
   * cannot be found out.
   */
  startsProgramsBelow?(folder: string, signal: AbortSignal): Promise<boolean>;
  /** The user's home directory, links resolved; without it `~/` is not expanded. */
  readonly home?: string;
  /** Parley's own directories; agents need approval to change them. */
  readonly own?: readonly string[];
}
