// The plan of an agent: its steps and their progress.
import { isRecord } from '../../../src/base/isRecord.ts';
import type { JsonObject } from '../../../client/connection/incoming.ts';
import { Icon } from './Icon.tsx';

export interface PlanEntry {
  readonly text: string;
  readonly status: 'pending' | 'active' | 'done';
}

/** AHP has no plans; hosts put them into `_meta`, with the field names that agents use. */
export function planIn(meta: JsonObject | undefined): readonly PlanEntry[] | undefined {
  const plan = meta?.['plan'];
  const entries = isRecord(plan) ? plan['entries'] : plan;
  if (!Array.isArray(entries)) return undefined;
  return entries.filter(isRecord).map((entry) => ({
    text: [entry['text'], entry['content'], entry['step']].find((text) => typeof text === 'string') ?? '',
    status: statuses.get(String(entry['status'])) ?? 'pending',
  }));
}

const statuses: ReadonlyMap<string, PlanEntry['status']> = new Map([
  ['active', 'active'],
  ['in_progress', 'active'],
  ['in-progress', 'active'],
  ['done', 'done'],
  ['completed', 'done'],
]);

const labels = { pending: 'To do', active: 'In progress', done: 'Done' } as const;
const shapes = { pending: 'idle', active: 'running', done: 'done' } as const;
const rows = { pending: '', active: 'now', done: 'done' } as const;

export function PlanView({ entries }: { readonly entries: readonly PlanEntry[] }) {
  const done = entries.filter(({ status }) => status === 'done').length;
  return (
    <section class="frame plan" aria-label={`Plan, ${done} of ${entries.length} done`}>
      <p class="frame-head">
        <b>Plan</b>
        <span class="faint">
          {done}/{entries.length}
        </span>
      </p>
      <ol class="todo">
        {entries.map(({ text, status }, index) => (
          <li key={index} class={rows[status]} dir="auto">
            <span class={`status ${shapes[status]}`} role="img" aria-label={labels[status]}>
              {status === 'done' && <Icon name="check" />}
            </span>
            {text}
          </li>
        ))}
      </ol>
    </section>
  );
}
