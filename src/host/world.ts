// Everything the host needs from the machine it runs on, as one value. The app builds it from implementations under io.
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
  /** The path with links resolved, as far as it exists. */
  canonical(path: string): string;
  /** The repository that git would use in a directory; without it there is none. */
  repositoryAt?(directory: string): Repository | undefined;
  /** What a command line would start; without it no command is understood, and none is allowed but word for word. */
  parseCommand?(text: string): CommandLine | Promise<CommandLine>;
  readonly settings?: Settings;
  /** Without it nothing is ever found. */
  readonly index?: SearchIndex;
  readonly knowledge?: Knowledge;
  /** Runs what goes on beside turns; without it nothing does. */
  readonly programs?: Programs;
  /** Keeps what is too long to be told; without it the rest is lost. */
  readonly outputs?: Outputs;
  /** Takes back what agents have done to files; without it nothing is. */
  readonly files?: Pick<Files, 'readText' | 'writeText' | 'remove' | 'move'>;
  /** The user's own directory, links resolved; without it nobody knows what `~/` means. */
  readonly home?: string;
  /** Directories of this program, which no agent changes unasked. */
  readonly own?: readonly string[];
  /** Where bugs and failures of the outside end up; never throws. */
  report(problem: unknown, about: string): void;
}
