// The production implementations of the host's ports: clock, ids, durable log and problem reports.
import { homedir } from 'node:os';
import { randomUUID } from 'node:crypto';
import { errorText } from '../../base/errorText.ts';
import { LogDamage, NotStored, isAway, isTakenOver } from '../../host/session/logStore.ts';
import type { CommandLine } from '../../host/policy/commandLine.ts';
import type { Clock, Ids } from '../../host/ports.ts';
import type { Outputs } from '../../host/tools/toolOutputs.ts';
import type { World } from '../../host/world.ts';
import { canonical, isFile, isFolder } from '../files/canonical.ts';
import { openStore } from './sqlite/open.ts';
import type { DurableStore } from './durableStore.ts';
import type { Logger } from '../diagnostics/logger.ts';
import { outputs } from '../files/toolOutputs.ts';
import { repositoriesAt } from '../files/repositoryAt.ts';
import { holdsLinks } from '../files/holdsLinks.ts';
import { startsProgramsBelow } from '../git/programsBelow.ts';
import { sessionIndex } from '../search/sessionIndex.ts';
import type { StoreDatabase } from './storeUrl.ts';

export interface RealWorld extends World {
  readonly store: DurableStore;
  readonly outputs: Outputs;
}

export const realClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  defer: (run) => void setImmediate(run),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds);
    return () => clearTimeout(timer);
  },
};

export const realIds: Ids = { next: () => randomUUID() };

export interface WorldOptions {
  /** The folder of the log, or of what belongs to a log in a database. The caller holds its lock. */
  readonly directory: string;
  readonly logger: Logger;
  readonly database?: SharedDatabase | undefined;
}

/** A database that other hosts use, too. */
export interface SharedDatabase extends StoreDatabase {
  /** Another host has taken over, so nothing can be stored any more. */
  onLost(): void;
}

export async function openWorld({ directory, logger, database }: WorldOptions): Promise<RealWorld> {
  const report = (problem: unknown, about: string): void => {
    // These come from outside and not from a bug; where in our source they were met says nothing.
    const cause = problem instanceof NotStored ? problem.cause : problem;
    if (isAway(cause) || isTakenOver(cause))
      return logger.warn(`A problem with ${about}: ${errorText(problem)}`);
    const where = problem instanceof LogDamage ? { session: problem.session, seq: problem.seq } : {};
    logger.error(`A problem with ${about}.`, { ...where, problem });
  };
  return {
    ...(database ? await openShared(database, directory, report) : await openFolder(directory, report)),
    clock: realClock,
    ids: realIds,
    paths: {
      canonical,
      isFile,
      isFolder,
      holdsLinks,
      repositoriesAt,
      startsProgramsBelow,
      home: canonical(homedir()),
    },
    parseCommand,
    report,
  };
}

async function openFolder(directory: string, report: World['report']) {
  const store = await openStore({ directory, report });
  return { store, index: sessionIndex({ directory, store, report }), outputs: outputs(directory) };
}

/** Loaded on demand: most hosts need no database server. */
async function openShared(database: SharedDatabase, directory: string, report: World['report']) {
  const { openDatabase } = await import('./postgres/openDatabase.ts');
  return openDatabase({ database, directory, report, onLost: () => database.onLost() });
}

/** Loaded on demand: the shell grammar is large, and many sessions run no command. */
async function parseCommand(text: string): Promise<CommandLine> {
  return (await import('../processes/parseCommand.ts')).parseCommand(text);
}
