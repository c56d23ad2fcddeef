// The background jobs of a session that run, looked up when something may have changed.
import type { BackgroundJob } from '../../../../client/connection/extensions.ts';
import type { ChatState } from '../../../protocols/ahp/v1_0/state.ts';
import type { HostClient } from '../../client/hostClient.ts';

export class RunningJobs {
  readonly #link: HostClient;
  readonly #session: string;
  #seen: ChatState | undefined;
  #count = 0;

  constructor(link: HostClient, session: string) {
    this.#link = link;
    this.#session = session;
  }

  get count(): number {
    return this.#count;
  }

  async list(): Promise<readonly BackgroundJob[]> {
    const jobs = await this.#link.requestExtension('jobs/list', { session: this.#session });
    return jobs.filter(({ status }) => status === 'running');
  }

  kill(job: BackgroundJob): Promise<boolean> {
    return this.#link.requestExtension('jobs/kill', { id: job.id });
  }

  /** Whether the number of jobs has changed. A job ends without a word, so while some run it always looks. */
  async look(chat: ChatState): Promise<boolean> {
    if (chat === this.#seen && this.#count === 0) return false;
    this.#seen = chat;
    const { length } = await this.list().catch(() => []);
    const isNew = length !== this.#count;
    this.#count = length;
    return isNew;
  }
}
