import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { greetedClient } from '../../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../../test/kit/ecaClient.ts';
import { rig, testClient, until } from '../../../../test/kit/host.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import { workspace } from '../../../../test/kit/workspace.ts';
import type { Workspace } from '../../../../test/kit/workspace.ts';
import { elapsedText } from './jobs.ts';

let position: Workspace;
let made: Rig;
let client: EcaClient;

beforeEach(async () => {
  position = workspace();
  made = await rig(undefined, { programs: position.programs });
  client = await greetedClient(made.host);
});
afterEach(async () => {
  await client.close();
  await made.close();
  position.close();
});

async function ask(method: string, params: unknown): Promise<unknown> {
  return (await client.request(method, params)).result;
}

describe('jobs', () => {
  test('there are none at first, and an unknown one is no error', async () => {
    expect(await ask('jobs/list', null)).toEqual({ jobs: [] });
    expect(await ask('jobs/kill', { jobId: 'job-1' })).toEqual({ killed: false });
    expect(await ask('jobs/readOutput', { jobId: 'job-1' })).toEqual({
      lines: [],
      status: null,
      exitCode: null,
    });
  });

  test('are listed, read, killed and told when they change', async () => {
    made.scripts.set(
      'go',
      async ({ workspace: { jobs } }) =>
        void jobs.start(
          { tool: 't1', label: 'sleeper', command: 'echo x; sleep 300', cwd: position.root },
          () => {},
        ),
    );
    const session = await made.create();
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'turn-1', message: { id: 'm1', text: 'go' } },
      testClient,
    );
    await until(session, (state) => state.chats[session.id]?.turns.length === 1);
    await client.until(({ method }) => method === 'jobs/updated');
    const row = {
      id: 'job-1',
      type: 'shell',
      status: 'running',
      label: 'echo x; sleep 300',
      summary: 'sleeper',
      exitCode: null,
      chatId: session.id,
      chatLabel: session.id,
      toolCallId: 't1',
      elapsed: '0s',
    };
    expect(await ask('jobs/list', {})).toEqual({
      jobs: [{ ...row, startedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
    });
    while (
      JSON.stringify(await ask('jobs/readOutput', { jobId: 'job-1' })) !==
      '{"lines":[{"text":"x","stream":"stdout"}],"status":"running","exitCode":null}'
    )
      await Promise.resolve();
    client.news();
    expect(await ask('jobs/kill', { jobId: 'job-1' })).toEqual({ killed: true });
    expect(client.news()[0]).toMatch(/^jobs\/updated .*"status":"killed"/);
    expect(await ask('jobs/kill', { jobId: 'job-1' })).toEqual({ killed: false });
    expect(await ask('jobs/readOutput', { jobId: 'job-1' })).toMatchObject({
      status: 'killed',
      exitCode: null,
    });
    // Once its chat was told of its end, it leaves the list.
    made.scripts.set('next', async (turn) => void turn.log.takeSteering());
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'turn-2', message: { id: 'm2', text: 'next' } },
      testClient,
    );
    await until(session, (state) => state.chats[session.id]?.turns.length === 2);
    expect(session.state.chats[session.id]?.turns[1]?.items).toMatchObject([
      {
        type: 'message',
        message: { text: expect.stringContaining('Background job job-1 (sleeper) killed') as string },
      },
    ]);
    expect(await ask('jobs/list', {})).toEqual({ jobs: [] });
  });

  test("of another workspace are nobody else's business", async () => {
    const stranger = await greetedClient(made.host, { folder: '/elsewhere' });
    made.scripts.set(
      'go',
      async ({ workspace: { jobs } }) =>
        void jobs.start({ tool: 't1', label: 'sleeper', command: 'sleep 300', cwd: position.root }, () => {}),
    );
    const session = await made.create();
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: 'turn-1', message: { id: 'm1', text: 'go' } },
      testClient,
    );
    await client.until(({ method }) => method === 'jobs/updated');
    expect((await stranger.request('jobs/list')).result).toEqual({ jobs: [] });
    expect((await stranger.request('jobs/kill', { jobId: 'job-1' })).result).toEqual({ killed: false });
    expect(stranger.wire.some(({ method }) => method === 'jobs/updated')).toBe(false);
    await stranger.close();
  });

  test.each([
    [0, '0s'],
    [6_999, '6s'],
    [323_000, '5m23s'],
    [8_040_000, '2h14m'],
    [-5, '0s'],
  ])('%i ms are %s', (milliseconds, text) => {
    expect(elapsedText(milliseconds)).toBe(text);
  });
});
