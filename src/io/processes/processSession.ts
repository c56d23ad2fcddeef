// Ends everything that began in one terminal: the processes of its session, wherever they moved to, and what left the session.
import { processTable, withDescendants } from './processTable.ts';

export interface SessionEnd {
  /** How long the processes may take to leave before they are killed, in milliseconds. */
  readonly grace: number;
  /** How many processes of the session stay of their own accord and are not waited for. */
  readonly staying: number;
}

/**
 * Tells the session of a leader that its terminal is gone, and kills what is left after the grace. The caller makes sure that the
 * number of the session cannot be given to somebody else meanwhile.
 */
export async function endSession(leader: number, { grace, staying }: SessionEnd): Promise<void> {
  const look = lookout(leader);
  let left = await look();
  if (left.length <= staying) return signal(left, 'SIGKILL');
  // A stopped process would not hear of it until somebody wakes it.
  for (const name of ['SIGHUP', 'SIGCONT'] as const) signal(left, name);
  for (
    const end = performance.now() + grace;
    left.length > staying && performance.now() < end;
    left = await look()
  )
    await sleep(interval);
  // Whoever was about to start something when it was killed has started it now, so one look is not enough.
  for (let round = 0; left.length > 0 && round < rounds; round += 1) {
    signal(left, 'SIGKILL');
    await sleep(round);
    left = await look();
  }
}

const interval = 15;
const rounds = 100;

/** Who is left of a session; remembers who left it, because a process whose parent has died belongs to nobody any more. */
function lookout(leader: number): () => Promise<readonly number[]> {
  const known = new Map<number, string>();
  return async () => {
    const table = await processTable();
    const members = table.filter(
      ({ pid, session, started }) => session === leader || known.get(pid) === started,
    );
    const found = new Set(
      withDescendants(
        table,
        members.map(({ pid }) => pid),
      ),
    );
    for (const { pid, started } of table) if (found.has(pid)) known.set(pid, started);
    return [...found];
  };
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended by itself.
    }
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
