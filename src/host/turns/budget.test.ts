import { afterEach, describe, expect, test } from 'vitest';
import { rig, testClient, until } from '../../../test/kit/host.ts';
import type { Rig, Script } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Outcome, Usage } from '../../model/event.ts';
import { spentIn } from '../../model/usage.ts';
import type { Session } from '../session/session.ts';
import type { LimitSettings, Settings, SettingsValues } from '../settings/settings.ts';

let open: Rig;
let session: Session;
let stopped: number;
let turns = 0;
afterEach(() => open.close());

async function start(limits: Partial<LimitSettings>): Promise<void> {
  const all: LimitSettings = {
    steps: 100,
    outputLines: 1,
    outputBytes: 1,
    commandTimeout: 1,
    compactAt: 75,
    ...limits,
  };
  const settings = {
    of: () => ({ limits: all, approvals: [] }) as unknown as SettingsValues,
    problems: () => [],
    watch: () => () => {},
  } satisfies Settings;
  open = await rig(new MemoryStore(), { settings });
  session = await open.create();
  stopped = 0;
}

/** Works until it is stopped. */
function works(work: Script): void {
  open.scripts.set('*', async (turn) => {
    turn.signal.addEventListener('abort', () => {
      stopped += 1;
    });
    await work(turn);
    if (turn.signal.aborted) return;
    await new Promise<void>((resolve) => {
      turn.signal.addEventListener('abort', () => resolve());
    });
  });
}

async function outcomeOf(text: string): Promise<Outcome | undefined> {
  turns += 1;
  const id = `turn-${turns}`;
  session.dispatch(
    { kind: 'startTurn', chat: session.id, turn: id, message: { id: `m-${turns}`, text } },
    testClient,
  );
  const find = () => session.state.chats[session.id]?.turns.find((turn) => turn.id === id)?.outcome;
  await until(session, () => find() !== undefined);
  return find();
}

const failed = (message: string): Outcome => ({ kind: 'failed', problem: { code: 'budget', message } });

describe('a turn of any agent is ended once it has used more than it may', () => {
  test('of tokens', async () => {
    await start({ tokens: 100 });
    works(async (turn) => {
      turn.report({ kind: 'usage.reported', usage: { input: 90, output: 11 } });
    });
    expect(await outcomeOf('Go.')).toEqual(
      failed('The turn used 101 tokens; the limit is 100. Raise limits.tokens in the settings to continue.'),
    );
    expect(stopped).toBe(1);
  });
  test('of money', async () => {
    await start({ money: 0.5 });
    works(async (turn) => {
      turn.report({ kind: 'usage.reported', usage: { cost: 0.75 } });
    });
    expect(await outcomeOf('Go.')).toEqual(
      failed('The turn used $0.75; the limit is $0.50. Raise limits.money in the settings to continue.'),
    );
  });
  test('of steps, where it does not count them itself', async () => {
    await start({ steps: 2 });
    works(async (turn) => {
      for (const tool of ['a', 'b', 'c'])
        turn.report({ kind: 'tool.started', tool, name: 'x', title: 'x', toolKind: 'read', source: 'agent' });
    });
    expect(await outcomeOf('Go.')).toEqual(
      failed('The turn used 3 tool calls; the limit is 2. Raise limits.steps in the settings to continue.'),
    );
  });
  test.each<[Partial<LimitSettings>, Partial<Usage>, string]>([
    [{ tokens: 100 }, { input: 60, output: 0 }, '120 tokens'],
    [{ money: 0.5 }, { cost: 0.3 }, '$0.60'],
    [{ steps: 1 }, {}, '2 tool calls'],
  ])('%j, by those who work for it', async (limits, usage, spent) => {
    await start(limits);
    works(async (turn) => {
      const inside = turn.message.from === 'agent';
      turn.report({ kind: 'usage.reported', usage });
      turn.report({
        kind: 'tool.started',
        tool: inside ? 'b' : 'a',
        name: 'x',
        title: 'x',
        toolKind: 'think',
        source: 'native',
      });
      if (!inside) await turn.subagents.delegate({ tool: 'a', title: 'Help', text: 'Help.' });
    });
    expect(await outcomeOf('Go.')).toMatchObject({
      kind: 'failed',
      problem: { code: 'budget', message: expect.stringContaining(`The turn used ${spent}`) },
    });
    const child = session.state.order[1] ?? '';
    await until(session, () => session.state.chats[child]?.active === undefined);
    expect(session.state.chats[child]?.turns[0]?.outcome).toEqual({ kind: 'cancelled' });
  });
});

test('a session is over budget with all its turns, says so before the next one begins, and goes on once the limit is raised', async () => {
  const session1: { tokens: number } = { tokens: 100 };
  await start({ session: session1 });
  open.scripts.set('*', (turn) => {
    turn.report({ kind: 'usage.reported', usage: { input: 60, output: 0 } });
    return Promise.resolve();
  });
  const over = failed(
    'The session used 120 tokens; the limit is 100. Raise limits.session.tokens in the settings to continue.',
  );
  expect(await outcomeOf('One.')).toEqual({ kind: 'completed' });
  const second = await outcomeOf('Two.');
  expect([{ kind: 'completed' }, over]).toContainEqual(second);
  expect(await outcomeOf('Three.')).toEqual(over);
  session1.tokens = 1_000;
  expect(await outcomeOf('Four.')).toEqual({ kind: 'completed' });
});

test('what rolled back turns have used stays used', async () => {
  await start({ session: { money: 0.5 } });
  open.scripts.set('*', (turn) => {
    turn.report({ kind: 'usage.reported', usage: { input: 60, cost: 0.4 } });
    return Promise.resolve();
  });
  expect(await outcomeOf('One.')).toEqual({ kind: 'completed' });
  session.dispatch({ kind: 'truncateChat', chat: session.id }, testClient);
  await session.settled();
  const chat = session.state.chats[session.id];
  expect(chat?.turns).toEqual([]);
  expect(chat && spentIn(chat)).toEqual({ input: 60, cost: 0.4 });
  await outcomeOf('Two.');
  expect(await outcomeOf('Three.')).toMatchObject({ problem: { code: 'budget' } });
});

test('what is within its limits is left alone', async () => {
  await start({ tokens: 100, money: 1, session: { steps: 10, tokens: 200, money: 2 } });
  open.scripts.set('*', (turn) => {
    turn.report({ kind: 'usage.reported', usage: { input: 50, output: 50, cost: 1 } });
    return Promise.resolve();
  });
  expect([await outcomeOf('One.'), await outcomeOf('Two.')]).toEqual([
    { kind: 'completed' },
    { kind: 'completed' },
  ]);
});
