// The operations on a task list. Pure: a list and an operation in, a list or a refusal out.
import type { Json, PlanEntry } from '../../../../model/event.ts';
import type { ToolRefusal } from '../tool.ts';
import { field, listIn, numberOf, textField } from '../json.ts';

export const taskOps = ['read', 'plan', 'add', 'update', 'start', 'complete', 'delete', 'clear'] as const;

export type TaskOp = (typeof taskOps)[number];

/** An entry with an id that the model can refer to. */
type Task = PlanEntry & { readonly id: number };

export function applyTasks(
  plan: readonly PlanEntry[],
  op: TaskOp,
  input: Json,
): readonly PlanEntry[] | ToolRefusal {
  const tasks = plan.map((entry, at): Task => ({ ...entry, id: entry.id ?? at + 1 }));
  switch (op) {
    case 'read':
      return tasks;
    case 'clear':
      return [];
    case 'plan':
      return added([], listIn(input, 'tasks') ?? []);
    case 'add':
      return added(tasks, listIn(input, 'tasks') ?? single(input));
    case 'update':
      return changed(tasks, input);
    case 'start':
      return started(tasks, input);
    case 'complete':
      return each(tasks, input, ({ doing: _, ...task }) => ({ ...task, status: 'done' }));
    case 'delete':
      return deleted(tasks, input);
    default:
      return op satisfies never;
  }
}

/** The list as text for the model. */
export function tasksText(plan: readonly PlanEntry[]): string {
  if (plan.length === 0) return 'The list of tasks is empty.';
  const words = { pending: 'pending', active: 'in-progress', done: 'done' } as const;
  const lines = plan.map(({ id, text, status, priority, description, blockedBy = [], doing }, at) => {
    const waits = blockedBy.length > 0 ? `, after ${blockedBy.map((other) => `#${other}`).join(', ')}` : '';
    return (
      `#${id ?? at + 1} [${words[status]}] ${text} ` +
      `(${priority}${waits})${doing === undefined ? '' : `: ${doing}`}` +
      (description === undefined ? '' : `\n   ${description}`)
    );
  });
  const done = plan.filter(({ status }) => status === 'done').length;
  return `${lines.join('\n')}\n${done} of ${plan.length} done.`;
}

function single(input: Json): readonly Json[] {
  const task = field(input, 'task');
  return task === undefined ? [] : [task];
}

function added(tasks: readonly Task[], given: readonly Json[]): readonly PlanEntry[] | ToolRefusal {
  if (given.length === 0) return refuse('say which tasks, each with a subject.');
  let all = tasks;
  for (const one of given) {
    const text = typeof one === 'string' ? one.trim() : textField(one, 'subject');
    if (text === undefined || text === '') return refuse('every task needs a subject.');
    all = [
      ...all,
      {
        text,
        status: 'pending',
        priority: 'medium',
        id: Math.max(0, ...all.map(({ id }) => id)) + 1,
        ...fields(one),
      },
    ];
  }
  return sound(all);
}

function changed(tasks: readonly Task[], input: Json): readonly PlanEntry[] | ToolRefusal {
  const task = field(input, 'task');
  const text = textField(task, 'subject');
  const done = each(tasks, input, (old) => ({
    ...old,
    ...(text === undefined ? {} : { text }),
    ...fields(task),
  }));
  return 'refused' in done ? done : sound(done);
}

/** Marks tasks as active; refused while a task that blocks them is not done. */
function started(tasks: readonly Task[], input: Json): readonly PlanEntry[] | ToolRefusal {
  const ids = idsIn(input);
  const blocked = tasks.find(
    ({ id, blockedBy = [] }) =>
      ids.includes(id) && tasks.some((other) => blockedBy.includes(other.id) && other.status !== 'done'),
  );
  if (blocked)
    return refuse(
      `task #${blocked.id} has to wait for ${(blocked.blockedBy ?? []).map((id) => `#${id}`).join(', ')}.`,
    );
  const doing = textField(input, 'active_summary') ?? textField(input, 'activeSummary');
  return each(tasks, input, (task) => ({
    ...task,
    status: 'active',
    ...(doing === undefined ? {} : { doing }),
  }));
}

function deleted(tasks: readonly Task[], input: Json): readonly PlanEntry[] | ToolRefusal {
  const ids = idsIn(input);
  const known = each(tasks, input, (task) => task);
  if ('refused' in known) return known;
  return tasks
    .filter(({ id }) => !ids.includes(id))
    .map((task) =>
      task.blockedBy ? { ...task, blockedBy: task.blockedBy.filter((id) => !ids.includes(id)) } : task,
    );
}

function each(
  tasks: readonly Task[],
  input: Json,
  change: (task: Task) => PlanEntry,
): readonly PlanEntry[] | ToolRefusal {
  const ids = idsIn(input);
  if (ids.length === 0) return refuse('say which task by its id.');
  const missing = ids.find((id) => !tasks.some((task) => task.id === id));
  if (missing !== undefined) return refuse(`there is no task #${missing}.`);
  return tasks.map((task) => (ids.includes(task.id) ? change(task) : task));
}

function idsIn(input: Json): readonly number[] {
  return [field(input, 'id'), ...(listIn(input, 'ids') ?? [])].flatMap((value) => numberOf(value) ?? []);
}

const statuses: { readonly [word: string]: PlanEntry['status'] } = {
  pending: 'pending',
  'in-progress': 'active',
  in_progress: 'active',
  active: 'active',
  done: 'done',
  completed: 'done',
};

function fields(task: Json | undefined): Partial<PlanEntry> {
  const [priority, description, status, blocked] = [
    textField(task, 'priority'),
    textField(task, 'description'),
    statuses[textField(task, 'status') ?? ''],
    listIn(task, 'blocked_by') ?? listIn(task, 'blockedBy'),
  ];
  return {
    ...(priority === 'high' || priority === 'medium' || priority === 'low' ? { priority } : {}),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined ? {} : { status }),
    ...(blocked === undefined ? {} : { blockedBy: blocked.flatMap((id) => numberOf(id) ?? []) }),
  };
}

/** Refuses tasks that wait for a task that does not exist, or in a cycle for themselves. */
function sound(entries: readonly PlanEntry[]): readonly PlanEntry[] | ToolRefusal {
  const blockers = new Map(entries.map(({ id, blockedBy = [] }) => [id, blockedBy]));
  for (const [id, blockedBy] of blockers) {
    const missing = blockedBy.find((other) => !blockers.has(other));
    if (missing !== undefined) return refuse(`task #${id} waits for #${missing}, which does not exist.`);
    const seen = new Set<number>();
    const waiting = [...blockedBy];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (next === id) return refuse(`task #${id} waits for itself.`);
      if (!seen.has(next)) waiting.push(...(blockers.get(next) ?? []));
      seen.add(next);
    }
  }
  return entries;
}

function refuse(why: string): ToolRefusal {
  return { refused: `INVALID_ARGS: ${why}` };
}
