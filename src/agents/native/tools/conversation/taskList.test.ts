import { describe, expect, test } from 'vitest';
import type { Json, PlanEntry } from '../../../../model/event.ts';
import { applyTasks, tasksText } from './taskList.ts';
import type { TaskOp } from './taskList.ts';

type TaskRequest = readonly [op: TaskOp, input?: { readonly [name: string]: Json }];

const twoTasks: TaskRequest = [
  'plan',
  {
    tasks: [
      { subject: 'Read', priority: 'high' },
      { subject: 'Write', description: 'All of it.', blocked_by: [1] },
    ],
  },
];

function after(wishes: readonly TaskRequest[]): readonly PlanEntry[] | { readonly refused: string } {
  let list: readonly PlanEntry[] = [];
  for (const [op, input = {}] of wishes) {
    const next = applyTasks(list, op, input);
    if ('refused' in next) return next;
    list = next;
  }
  return list;
}

function check(name: string, wishes: readonly TaskRequest[], expected: string): void {
  test(`${name}, as it should`, () => {
    const list = after(wishes);
    expect('refused' in list ? list.refused : tasksText(list)).toBe(expected);
  });
}

describe('a list of tasks', () => {
  check('is empty at first', [['read']], 'The list of tasks is empty.');
  check(
    'is planned',
    [twoTasks],
    '#1 [pending] Read (high)\n#2 [pending] Write (medium, after #1)\n   All of it.\n0 of 2 done.',
  );
  check(
    'grows by one',
    [twoTasks, ['add', { task: { subject: 'Test' } }]],
    '#1 [pending] Read (high)\n#2 [pending] Write (medium, after #1)\n   All of it.\n#3 [pending] Test ' +
      '(medium)\n0 of 3 done.',
  );
  check(
    'is worked on',
    [twoTasks, ['start', { id: 1, active_summary: 'reading a.txt' }]],
    '#1 [in-progress] Read (high): reading a.txt\n#2 [pending] Write (medium, after #1)\n   All of it.\n' +
      '0 of 2 done.',
  );
  check(
    'is worked off',
    [
      twoTasks,
      ['start', { id: 1, active_summary: 'reading' }],
      ['complete', { id: 1 }],
      ['start', { ids: ['2'] }],
      ['complete', { ids: [2] }],
    ],
    '#1 [done] Read (high)\n#2 [done] Write (medium, after #1)\n   All of it.\n2 of 2 done.',
  );
  check(
    'changes',
    [
      twoTasks,
      [
        'update',
        { id: 2, task: { subject: 'Rewrite', priority: 'low', blocked_by: [], status: 'in-progress' } },
      ],
    ],
    '#1 [pending] Read (high)\n#2 [in-progress] Rewrite (low)\n   All of it.\n0 of 2 done.',
  );
  check(
    'shrinks, and nothing waits for what is gone',
    [twoTasks, ['delete', { id: 1 }]],
    '#2 [pending] Write (medium)\n   All of it.\n0 of 1 done.',
  );
  check(
    'never gives a number twice',
    [twoTasks, ['delete', { id: 1 }], ['add', { tasks: ['Test'] }]],
    '#2 [pending] Write (medium)\n   All of it.\n#3 [pending] Test (medium)\n0 of 2 done.',
  );
  check('is cleared', [twoTasks, ['clear']], 'The list of tasks is empty.');
});

describe('what makes no sense is refused', () => {
  check('nothing to plan', [['plan', {}]], 'INVALID_ARGS: say which tasks, each with a subject.');
  check(
    'a task without a subject',
    [['add', { task: { description: 'x' } }]],
    'INVALID_ARGS: every task needs a subject.',
  );
  check('no task named', [twoTasks, ['complete', {}]], 'INVALID_ARGS: say which task by its id.');
  check('a task that is not there', [twoTasks, ['start', { id: 7 }]], 'INVALID_ARGS: there is no task #7.');
  check(
    'one that has to wait',
    [twoTasks, ['start', { id: 2 }]],
    'INVALID_ARGS: task #2 has to wait for #1.',
  );
  check(
    'waiting for nothing',
    [['plan', { tasks: [{ subject: 'a', blocked_by: [9] }] }]],
    'INVALID_ARGS: task #1 waits for #9, which does not exist.',
  );
  check(
    'waiting in a circle',
    [twoTasks, ['update', { id: 1, task: { blocked_by: [2] } }]],
    'INVALID_ARGS: task #1 waits for itself.',
  );
});
