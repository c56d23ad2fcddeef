// The production implementations of the host's ports: clock, ids, durable log and problem reports.
import { homedir } from 'node:os';
import { randomUUID } from 'node:crypto';
import { LogDamage } from '../../host/session/logStore.ts';
import type { CommandLine } from '../../host/policy/commandLine.ts';
import type { Clock, Ids } from '../../host/ports.ts';
import type { World } from '../../host/world.ts';
import { canonical, isFile } from '../files/canonical.ts';
import { openStore } from './sqlite/open.ts';
import type { DurableStore } from './durableStore.ts';
import type { Logger } from '../diagnostics/logger.ts';
import { repositoryAt } from '../files/repositoryAt.ts';
import { sessionIndex } from '../search/sessionIndex.ts';

export interface RealWorld extends World {
  readonly store: DurableStore;
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

/** Opens the log of a data directory whose lock the caller holds. */
export async function openWorld({
  directory,
  logger,
}: {
  readonly directory: string;
  readonly logger: Logger;
}): Promise<RealWorld> {
  const report = (problem: unknown, about: string): void => {
    const where = problem instanceof LogDamage ? { session: problem.session, seq: problem.seq } : {};
    logger.error(`A problem with ${about}.`, { ...where, problem });
  };
  const store = await openStore({ directory, report });
  return {
    store,
    index: sessionIndex({ directory, store, report }),
    clock: realClock,
    ids: realIds,
    paths: { canonical, isFile, repositoryAt, home: canonical(homedir()) },
    parseCommand,
    report,
  };
}

/** Loaded on demand: the shell grammar is large, and many sessions run no command. */
async function parseCommand(text: string): Promise<CommandLine> {
  return (await import('../processes/parseCommand.ts')).parseCommand(text);
}
