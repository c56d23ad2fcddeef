// Progress of work outside chats, which clients show while they start.
import type { NotificationSink } from './sender.ts';

export interface ProgressTask {
  readonly taskId: string;
  readonly title: string;
}

/** Returns the function that finishes the task. */
export function startTask(sender: NotificationSink, task: ProgressTask): () => void {
  sender.notify('$/progress', { type: 'start', ...task });
  return () => sender.notify('$/progress', { type: 'finish', ...task });
}

/** Some clients wait until every task that they saw start has finished. */
export function runTask(sender: NotificationSink, task: ProgressTask, work: () => void): void {
  const finish = startTask(sender, task);
  try {
    work();
  } finally {
    finish();
  }
}
