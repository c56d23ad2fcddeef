// Ends all processes of one terminal: its process session, and descendants that left the session.
import { processTable, withDescendants } from './processTable.ts';

export interface SessionEnd {
  /** How long the processes may take to exit before they are killed, in milliseconds. */
  readonly grace: number;
  /** How many processes of the session ignore the hang-up and are not waited for. */
  readonly staying: number;
}

/**
 * Sends a hang-up to the session of a leader and kills what is left after the grace period. The caller makes
 * sure that the session id is not reused meanwhile.
 */
export async function endSession(leader: number, { grace, staying }: SessionEnd): Promise<void> {
  const look = sessionMembers(leader);
  let left = await look();
  if (left.length <= staying) return signal(left, 'SIGKILL');
  // A stopped process handles the signal only after it is continued.
  for (const name of ['SIGHUP', 'SIGCONT'] as const) signal(left, name);
  for (
    const end = performance.now() + grace;
    left.length > staying && performance.now() < end;
    left = await look()
  )
    await sleep(interval);
  // A process may have started another one just before it was killed, so look several times.
  for (let round = 0; left.length > 0 && round < rounds; round += 1) {
    signal(left, 'SIGKILL');
    await sleep(round);
    left = await look();
  }
}

const interval = 15;
const rounds = 100;

/**
 * Lists the remaining processes. It remembers descendants, because an orphan no longer
 * shows where it came from.
 */
function sessionMembers(leader: number): () => Promise<readonly number[]> {
  const seen = new Map<number, string>();
  return async () => {
    const table = await processTable();
    const members = table.filter(
      ({ pid, session, started }) => session === leader || seen.get(pid) === started,
    );
    const found = new Set(
      withDescendants(
        table,
        members.map(({ pid }) => pid),
      ),
    );
    for (const { pid, started } of table) if (found.has(pid)) seen.set(pid, started);
    return [...found];
  };
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has already ended.
    }
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
