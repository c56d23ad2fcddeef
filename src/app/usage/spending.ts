// What all sessions have used, read from their logs: tokens and cost by day, session, agent and model. Turns
// that were rolled back count, because they are paid.
import { setImmediate as pause } from 'node:timers/promises';
import type { Summary } from '../../host/session/summary.ts';
import { soundEntries } from '../../host/session/damagedLog.ts';
import type { LogStore } from '../../host/session/logStore.ts';
import type { Entry, SessionId, TurnId, Usage } from '../../model/event.ts';

export interface SpendingRow {
  /** The day on which the turns began, as `2026-01-31`, in the time zone of the host. */
  readonly day: string;
  readonly session: SessionId;
  readonly title: string;
  readonly agent: string;
  /** Empty if nobody named it. */
  readonly model: string;
  readonly turns: number;
  readonly input: number;
  readonly output: number;
  /** Absent if the price is unknown. */
  readonly cost?: number;
}

interface SpentTurn {
  readonly at: number;
  readonly agent: string;
  readonly usage?: Usage;
}

interface ReadLog {
  seq: number;
  agent: string;
  readonly turns: Map<TurnId, SpentTurn>;
}

/** How many entries are read before others may run. */
const stretch = 2_000;

/** Each log is read once; later calls read what was added. */
export function spendingReader(store: Pick<LogStore, 'read'>) {
  const logs = new Map<SessionId, ReadLog>();
  return async (summaries: readonly Summary[], since: number): Promise<readonly SpendingRow[]> => {
    const rows: SpendingRow[] = [];
    for (const { id, title, modifiedAt } of summaries) {
      if (modifiedAt < since) continue;
      const log = logs.get(id) ?? { seq: 0, agent: '', turns: new Map<TurnId, SpentTurn>() };
      logs.set(id, log);
      await readOn(store, id, log);
      rows.push(
        ...rowsOf(
          [...log.turns.values()].filter(({ at }) => at >= since),
          { session: id, title },
        ),
      );
    }
    const known = new Set(summaries.map(({ id }) => id));
    for (const id of logs.keys()) if (!known.has(id)) logs.delete(id);
    return rows;
  };
}

async function readOn(store: Pick<LogStore, 'read'>, id: SessionId, log: ReadLog): Promise<void> {
  let count = 0;
  for await (const entry of soundEntries(store, id, log.seq)) {
    log.seq = entry.seq;
    note(log, entry);
    count += 1;
    if (count % stretch === 0) await pause();
  }
}

function note(log: ReadLog, { at, event }: Entry): void {
  if (event.kind === 'session.created') log.agent = event.agent;
  if (event.kind === 'session.changed') log.agent = event.changes.agent ?? log.agent;
  if (event.kind === 'turn.started') log.turns.set(event.turn, { at, agent: log.agent });
  // Each report is the sum of its turn so far.
  if (event.kind === 'usage.reported')
    log.turns.set(event.turn, {
      ...(log.turns.get(event.turn) ?? { at, agent: log.agent }),
      usage: event.usage,
    });
}

function rowsOf(
  turns: readonly SpentTurn[],
  { session, title }: { readonly session: SessionId; readonly title: string },
): readonly SpendingRow[] {
  const rows = new Map<string, SpendingRow>();
  for (const { at, agent, usage } of turns) {
    if (!usage) continue;
    const { model = '', input = 0, output = 0, cost } = usage;
    const day = dayOf(at);
    const key = `${day} ${agent} ${model}`;
    const before = rows.get(key) ?? { day, session, title, agent, model, turns: 0, input: 0, output: 0 };
    rows.set(key, {
      ...before,
      turns: before.turns + 1,
      input: before.input + input,
      output: before.output + output,
      ...(cost === undefined ? {} : { cost: (before.cost ?? 0) + cost }),
    });
  }
  return [...rows.values()];
}

function dayOf(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
