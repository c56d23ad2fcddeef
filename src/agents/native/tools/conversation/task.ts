// The tool for the model's task list; every client shows the list as the plan of the conversation.
import type { Json } from '../../../../model/event.ts';
import { textField } from '../json.ts';
import { applyTasks, taskOps, tasksText } from './taskList.ts';
import type { Tool } from '../tool.ts';

const task = {
  type: 'object',
  properties: {
    subject: { type: 'string', description: 'What is to be done, in a few words.' },
    description: { type: 'string', description: 'What belongs to it.' },
    priority: { type: 'string', enum: ['high', 'medium', 'low'] },
    status: { type: 'string', enum: ['pending', 'in-progress', 'done'] },
    blocked_by: {
      type: 'array',
      items: { type: 'integer' },
      description: 'The ids of tasks that have to be done before.',
    },
  },
};

const parameters: Json = {
  type: 'object',
  properties: {
    op: {
      type: 'string',
      enum: taskOps,
      description:
        'read: show the list. plan: begin a new list with tasks. add: add task or tasks. update: change ' +
        'a task. start, complete, delete: by id or ids. clear: empty the list.',
    },
    id: { type: 'integer', description: 'The task that is meant.' },
    ids: { type: 'array', items: { type: 'integer' }, description: 'Several tasks at once.' },
    active_summary: { type: 'string', description: 'With start: what is being done now, in a few words.' },
    task,
    tasks: { type: 'array', items: { ...task, required: ['subject'] } },
  },
  required: ['op'],
};

export const taskTool: Tool = {
  name: 'task',
  description:
    'Keeps a list of tasks for work of several steps, which the user sees too. Plan first, start a task ' +
    'before you work on it, complete it as soon as it is done.',
  kind: 'think',
  preparing: 'Tasks',
  parameters,
  prepare(input, { chat }) {
    const plan = chat?.plan;
    const op = taskOps.find((each) => each === textField(input, 'op'));
    if (!op || !plan)
      return Promise.resolve({
        refused: op ? 'There is no list of tasks here.' : `INVALID_ARGS: op is one of ${taskOps.join(', ')}.`,
      });
    const tried = applyTasks(plan.entries(), op, input);
    if ('refused' in tried) return Promise.resolve(tried);
    return Promise.resolve({
      title: titles[op],
      paths: [],
      run() {
        const list = applyTasks(plan.entries(), op, input);
        if ('refused' in list) return Promise.resolve({ status: 'failed', content: [], error: list.refused });
        if (op !== 'read') plan.set(list);
        return Promise.resolve({
          status: 'done',
          content: [{ type: 'text', text: tasksText(list) }],
          raw: { tasks: list.map((entry) => ({ ...entry })) },
        });
      },
    });
  },
};

const titles = {
  read: 'Reading tasks',
  plan: 'Planning tasks',
  add: 'Adding tasks',
  update: 'Updating tasks',
  start: 'Starting tasks',
  complete: 'Completing tasks',
  delete: 'Deleting tasks',
  clear: 'Clearing tasks',
} as const;
