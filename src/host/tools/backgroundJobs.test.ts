import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { alive, untilGone, survivors, pause } from '../../../test/kit/living.ts';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig } from '../../../test/kit/host.ts';
import { manualClock } from '../../../test/kit/manualClock.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import { jobLines } from './jobLines.ts';
import { Jobs } from './backgroundJobs.ts';
import type { Job } from './backgroundJobs.ts';

let place: Workspace;
beforeEach(() => {
  place = workspace();
});
afterEach(() => place.close());

const here = { session: 's', chat: 'c' };

interface Wish {
  readonly session?: string;
  readonly chat?: string;
  readonly interactive?: boolean;
}

function start(jobs: Jobs, command: string, wish: Wish = {}): Job {
  const job = jobs.start({ ...here, ...wish, tool: 't', label: 'a job', command, cwd: place.root });
  if ('refused' in job) throw new Error(job.refused);
  return job;
}

function ended(jobs: Jobs, id: string): Promise<Job> {
  return new Promise((resolve) => {
    const look = () => {
      const job = jobs.list().find((each) => each.id === id);
      if (job && job.status !== 'running') resolve(job);
    };
    jobs.watch(look);
    look();
  });
}

async function pidIn(file: string): Promise<number> {
  while (!/\n/.test(place.tree()[file] ?? '')) await pause(10);
  return Number(place.tree()[file]);
}

describe('a job', () => {
  test('runs beside everything, is read piece by piece, and says how it ended', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    const job = start(
      jobs,
      'echo one; echo two >&2; until [ -e go ]; do sleep 0.02; done; echo three; exit 4',
    );
    expect(job).toMatchObject({ id: 'job-1', status: 'running', exitCode: null, label: 'a job' });
    while ((jobs.read(job.id)?.lines.length ?? 0) < 2) await pause(10);
    expect(jobs.readOn(job.id, here)?.lines.toSorted((a, b) => (a.stream < b.stream ? 1 : -1))).toEqual([
      { text: 'one', stream: 'stdout' },
      { text: 'two', stream: 'stderr' },
    ]);
    expect(jobs.readOn(job.id, here)?.lines).toEqual([]);
    expect(jobs.readOn(job.id, { session: 'other' })).toBeUndefined();
    place.put({ go: '' });
    expect(await ended(jobs, job.id)).toMatchObject({ status: 'failed', exitCode: 4 });
    expect(jobs.news(here)).toMatchObject([{ job: { id: 'job-1' }, lines: [{ text: 'three' }] }]);
    expect(jobs.news(here)).toEqual([]);
    expect(jobs.read(job.id)?.lines).toHaveLength(3);
  });

  test('is killed with its children, once', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    const job = start(jobs, `(trap '' TERM; echo $BASHPID > pid; while :; do sleep 0.05; done) & wait`);
    const pid = await pidIn('pid');
    expect(await Promise.all([jobs.kill(job.id), jobs.kill(job.id), jobs.kill('job-9')])).toEqual([
      true,
      false,
      false,
    ]);
    await untilGone(pid);
    expect(jobs.list()[0]?.status).toBe('killed');
  });

  test('reads what clients write until its input is ended, and says who wrote', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    const command = 'printf "Name? "; read name; echo "Hello, $name."; sort';
    const job = start(jobs, command, { interactive: true });
    for (const text of ['Ada\n', 'two\none\n', null]) expect(jobs.write(job.id, text, 'A page')).toBe(true);
    expect([jobs.write(job.id, 'late', 'A page'), jobs.write('job-9', 'x', 'A page')]).toEqual([
      false,
      false,
    ]);
    expect(await ended(jobs, job.id)).toMatchObject({ status: 'completed', inputEnded: true });
    const said = jobs.read(job.id)?.lines.map(({ text }) => text) ?? [];
    expect(said).toEqual(expect.arrayContaining(['[A page wrote 4 characters]', '[A page ended the input]']));
    expect(said.slice(-2)).toEqual(['one', 'two']);
    expect(said.join('\n')).toContain('Hello, Ada.');
    expect(jobs.write(job.id, 'x', 'A page')).toBe(false);
  });

  test('that is not interactive has nothing to read', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    const job = start(jobs, 'sort; sleep 300');
    expect(jobs.write(job.id, 'x\n', 'A page')).toBe(false);
    await jobs.reap();
    expect(await ended(jobs, start(jobs, 'sort').id)).toMatchObject({ status: 'completed' });
  });

  test('that reads nothing gets only so much', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    const job = start(jobs, 'sleep 300', { interactive: true });
    const taken = Array.from({ length: 100 }, () => jobs.write(job.id, 'x'.repeat(64_000), 'A page'));
    expect(taken.indexOf(false)).toBeLessThan(30);
    expect(taken.at(-1)).toBe(false);
    await jobs.reap();
  });

  test('that nobody can start says so', () => {
    expect(
      new Jobs({ clock: manualClock() }).start({ ...here, tool: 't', label: '', command: 'true', cwd: '/' }),
    ).toEqual({ refused: 'This host cannot run background jobs.' });
  });

  test('is the last one a session may have, and the next is refused', async () => {
    const jobs = new Jobs({ programs: place.programs, clock: manualClock() });
    for (let count = 0; count < 10; count += 1) start(jobs, 'sleep 300');
    expect(() => start(jobs, 'true')).toThrow('10 background jobs are running already');
    start(jobs, 'sleep 300', { session: 'other', chat: 'c' });
    await jobs.reap();
    expect(jobs.list()).toEqual([]);
  });

  test('that has ended is forgotten after half an hour, and when many came after it', async () => {
    const clock = manualClock();
    const jobs = new Jobs({ programs: place.programs, clock });
    await ended(jobs, start(jobs, 'true').id);
    clock.advance(30 * 60_000);
    expect(jobs.list()).toEqual([]);
    for (let count = 0; count < 22; count += 1) await ended(jobs, start(jobs, 'true').id);
    expect([jobs.list().length, jobs.list()[0]?.id]).toEqual([20, 'job-4']);
  });
});

describe('what a job says', () => {
  const said = (...pieces: readonly string[]) => {
    const lines = jobLines();
    for (const piece of pieces) lines.add(piece, 'stdout');
    return lines;
  };
  const texts = (lines: ReturnType<typeof jobLines>, from = 0) => lines.since(from).map(({ text }) => text);

  test('comes in lines, however it arrives', () => {
    expect(texts(said('a', 'b\r\nc\n', '\nlast'))).toEqual(['ab', 'c', '', 'last']);
  });
  test('is kept as far as it is new and short', () => {
    const flood = said(Array.from({ length: 5_000 }, (_, at) => `${at}\n`).join(''), 'x'.repeat(100_000));
    expect([
      flood.ended,
      flood.dropped,
      texts(flood)[0],
      texts(flood).at(-1)?.length,
      texts(flood, 4_998).length,
    ]).toEqual([5_000, 3_000, '3000', 2_000, 3]);
  });
});

describe('the host', () => {
  let made: Rig;

  async function jobOf(): Promise<{
    readonly session: Awaited<ReturnType<Rig['create']>>;
    readonly pid: number;
  }> {
    made = await rig(undefined, { programs: place.programs });
    made.scripts.set(
      'go',
      async ({ workspace: { jobs } }) =>
        void jobs.start(
          { tool: 't', label: 'sleeper', command: 'echo $$ > pid; sleep 300', cwd: place.root },
          () => {},
        ),
    );
    const session = await made.create();
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'turn-1', message: { id: 'm1', text: 'go' } },
      testClient,
    );
    await until(session, (state) => state.chats[session.id]?.turns.length === 1);
    return { session, pid: await pidIn('pid') };
  }

  test('keeps a job beyond its turn and ends it with the session', async () => {
    const { session, pid } = await jobOf();
    expect([alive(pid), made.host.jobs.list({ session: session.id })[0]?.status]).toEqual([true, 'running']);
    await made.host.remove(session.id);
    await untilGone(pid);
    expect(made.host.jobs.list()).toEqual([]);
    await made.close();
  });

  test('ends every job when it closes', async () => {
    const { pid } = await jobOf();
    await made.close();
    expect(await survivors([pid])).toEqual([]);
  });

  test('tells the agent what has ended, as a word in between that is in the log', async () => {
    const { session } = await jobOf();
    await made.host.jobs.kill('job-1');
    let heard: readonly string[] = [];
    made.scripts.set('next', async (turn) => void (heard = turn.log.takeSteering().map(({ text }) => text)));
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'turn-2', message: { id: 'm2', text: 'next' } },
      testClient,
    );
    await until(session, (state) => state.chats[session.id]?.turns.length === 2);
    expect(heard).toEqual(['[Background job job-1 (sleeper) killed.]\nIt printed nothing more.']);
    expect(session.state.chats[session.id]?.turns[1]?.items).toMatchObject([
      { type: 'message', message: { from: 'agent', text: heard[0] } },
    ]);
    await made.close();
  });
});
