import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manualClock } from '../../../../../test/kit/manualClock.ts';
import { workspace } from '../../../../../test/kit/workspace.ts';
import type { Workspace } from '../../../../../test/kit/workspace.ts';
import { chatJobs } from '../../../../host/tools/chatJobs.ts';
import { Jobs } from '../../../../host/tools/backgroundJobs.ts';
import type { Json } from '../../../../model/event.ts';
import { sleepOn } from '../../../../base/waiting.ts';
import { nativeTools } from '../all.ts';
import { resultText } from '../../turn/modelMessages.ts';
import type { PreparedCall } from '../tool.ts';

let place: Workspace;
let jobs: Jobs;
const clock = manualClock();

beforeEach(() => {
  place = workspace();
  jobs = new Jobs({ programs: place.programs, clock });
});
afterEach(async () => {
  await jobs.reap();
  place.close();
});

async function prepare(
  name: string,
  input: Json,
  signal = new AbortController().signal,
): Promise<PreparedCall> {
  const tool = nativeTools.find((each) => each.name === name);
  const context = {
    tool: 't1',
    requestName: (own: string) => own,
    roots: [place.root],
    files: place.files,
    processes: place.processes,
    signal,
    settings: { commandTimeout: 60_000 },
    sleep: sleepOn(clock),
    services: { jobs: chatJobs(jobs, { session: 's', chat: 'c' }) },
  };
  const prepared = await tool?.prepare(input, context);
  if (!prepared || 'refused' in prepared) throw new Error(prepared?.refused ?? name);
  return prepared;
}

async function call(name: string, input: Json): Promise<string> {
  return resultText(await (await prepare(name, input)).run(() => {}));
}

describe('a command in the background', () => {
  test('answers with its first words and goes on', async () => {
    expect(await call('shell_command', { command: 'echo ready; sleep 300', background: 'server' })).toBe(
      'Started background job job-1: server\nStatus: running\nready',
    );
    expect(await call('bg_job', { action: 'list' })).toBe('job-1: server (running) $ echo ready; sleep 300');
    expect(await call('bg_job', { action: 'read_output', job_id: 'job-1' })).toBe(
      'Status: running\nNo new output.',
    );
    expect(await call('bg_job', { action: 'kill', job_id: 'job-1' })).toBe('Killed job-1.');
    expect(await call('bg_job', { action: 'kill', job_id: 'job-1' })).toBe('job-1 is not running.');
    expect(await call('bg_job', { action: 'read_output', job_id: 'job-1' })).toBe(
      'Status: killed\nNo new output.',
    );
  });

  test('has an input only if the agent asks for it', async () => {
    const ask = { command: 'read answer; echo "Got $answer."', background: 'question' };
    const running = (await prepare('shell_command', { ...ask, interactive: true })).run(() => {});
    while (!clock.waiting.includes(2_000)) await Promise.resolve();
    expect(jobs.write('job-1', 'yes\n', 'A page')).toBe(true);
    expect(resultText(await running)).toContain('[A page wrote 4 characters]');
    expect(await call('shell_command', ask)).toContain('Got .');
    await expect(prepare('shell_command', { command: 'cat', interactive: true })).rejects.toThrow(
      'INVALID_ARGS: interactive needs background.',
    );
  });

  test('is not waited for when it says nothing', async () => {
    const running = (await prepare('shell_command', { command: 'sleep 300', background: 'sleeper' })).run(
      () => {},
    );
    while (!clock.waiting.includes(2_000)) await Promise.resolve();
    clock.advance(2_000);
    expect(resultText(await running)).toBe(
      'Started background job job-1: sleeper\nStatus: running\nNo new output.',
    );
  });

  test('ends with a stop that comes while its first words are waited for', async () => {
    const stop = new AbortController();
    const running = (
      await prepare('shell_command', { command: 'sleep 300', background: 'sleeper' }, stop.signal)
    ).run(() => {});
    while (jobs.list().length === 0) await Promise.resolve();
    stop.abort();
    await running;
    expect(jobs.list()[0]?.status).toBe('killed');
  });

  test('that nobody knows is named', async () => {
    expect(await call('bg_job', { action: 'list' })).toBe('There are no background jobs.');
    expect(await call('bg_job', { action: 'read_output', job_id: 'job-7' })).toBe(
      'There is no background job job-7; the action list shows all jobs.',
    );
    await expect(prepare('bg_job', { action: 'kill' })).rejects.toThrow('INVALID_ARGS: kill needs job_id.');
    await expect(prepare('bg_job', { action: 'pause' })).rejects.toThrow(
      'INVALID_ARGS: missing or of the wrong type: action (string)',
    );
  });
});

test.each([
  ['list', 'read'],
  ['read_output', 'read'],
  ['kill', 'execute'],
])('%s counts as a call to %s', async (action, kind) => {
  expect((await prepare('bg_job', { action, job_id: 'job-1' })).kind).toBe(kind);
});
