// Converts the task list of a chat to ECA. Pure.
import type { PlanEntry } from '../../../../model/event.ts';
import type { TaskDetails } from '../../../../protocols/eca/messages.ts';

export function tasks(entries: readonly PlanEntry[]): TaskDetails {
  const statuses = { pending: 'pending', active: 'in-progress', done: 'done' } as const;
  const list = entries.map(({ text, status, priority, id, description, blockedBy = [] }, at) => ({
    id: id ?? at + 1,
    subject: text,
    description: description ?? text,
    status: statuses[status],
    priority,
    isBlocked: entries.some(
      (other) => other.id !== undefined && blockedBy.includes(other.id) && other.status !== 'done',
    ),
    ...(blockedBy.length > 0 ? { blockedBy } : {}),
  }));
  const activeSummary = entries.find(
    ({ status, doing }) => status === 'active' && doing !== undefined,
  )?.doing;
  const count = (status: PlanEntry['status']) => entries.filter((entry) => entry.status === status).length;
  return {
    type: 'task',
    tasks: list,
    inProgressTaskIds: list.filter(({ status }) => status === 'in-progress').map(({ id }) => id),
    summary: {
      done: count('done'),
      inProgress: count('active'),
      pending: count('pending'),
      total: list.length,
    },
    ...(activeSummary === undefined ? {} : { activeSummary }),
  };
}
