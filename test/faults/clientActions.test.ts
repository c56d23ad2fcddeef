// Actions of clients that come twice, late, in the wrong order or at the same moment: each has its effect at
// most once, and whoever loses is told. Runs on memory and on PostgreSQL.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TurnContext } from '../../src/host/agent.ts';
import { ahpRig, checkAgrees, turnStarted } from '../kit/ahpRig.ts';
import { eventually } from '../kit/patience.ts';
import type { Loose } from '../kit/wire.ts';

const { host, inSession } = ahpRig();
const chat = 'ahp-chat:/s1';
const rounds = Number(process.env['PARLEY_ACTION_ROUNDS'] ?? 60);

/** Asks for leave to run a command in every turn, and counts the runs. */
function asking(runs: string[]) {
  return async (turn: TurnContext): Promise<void> => {
    const tool = `tool of ${turn.message.text}`;
    const input = { command: 'ls' };
    turn.report({
      kind: 'tool.started',
      tool,
      name: 'shell_command',
      title: 'ls',
      toolKind: 'execute',
      source: 'native',
    });
    turn.report({ kind: 'tool.ready', tool, input, title: 'ls', toolKind: 'execute' });
    const verdict = await turn.approve({
      tool,
      intent: { name: 'shell_command', toolKind: 'execute', input, paths: [], command: 'ls' },
      title: 'ls',
    });
    if (verdict.allowed) runs.push(turn.message.text);
    turn.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [] } });
  };
}

function answer(turn: string, text: string, approved: boolean): Loose {
  return {
    type: 'chat/toolCallConfirmed',
    turnId: turn,
    toolCallId: `tool of ${text}`,
    approved,
    ...(approved ? { confirmed: 'user-action' } : { reason: 'denied' }),
  };
}

test('an action that comes twice is done once, and the second one is rejected with a reason', async () => {
  const runs: string[] = [];
  const on = await host();
  on.scripts.set('*', asking(runs));
  const one = await inSession(on);
  const twice = async (action: Loose) => {
    const clientSeq = one.dispatch(chat, action);
    one.notify('dispatchAction', { channel: chat, clientSeq, action });
    const echoes = await eventually(() => {
      const heard = one.said.filter(({ params }) => params?.origin?.clientSeq === clientSeq);
      return heard.length >= 2 && heard;
    }, 'two echoes');
    return echoes.map(({ params }) => params.rejectionReason !== undefined);
  };
  expect(await twice(turnStarted('t1', 'one'))).toEqual([false, true]);
  await one.wait(({ params }) => params?.action?.type === 'chat/toolCallReady');
  expect(await twice(answer('t1', 'one', true))).toEqual([false, true]);
  await one.action('chat/turnComplete');
  expect(await twice(answer('t1', 'one', false))).toEqual([true, true]);
  expect(await twice({ type: 'chat/turnCancelled', turnId: 't1', duration: 1 })).toEqual([true, true]);
  expect(await twice(turnStarted('t1', 'one'))).toEqual([true, true]);
  expect([runs, one.views.get(chat).turns.length, on.problems]).toEqual([['one'], 1, []]);
  await checkAgrees(one, 'script:/s1', chat);
});

test(
  'of an approval and a denial at the same moment one counts, and the other client is told',
  { timeout: 120_000 },
  async () => {
    const runs: string[] = [];
    const on = await host();
    on.scripts.set('*', asking(runs));
    const [one, two] = [await inSession(on), await inSession(on, { id: 'client-2' })];
    const allowed: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const [turn, text] = [`t${round}`, `round ${round}`];
      const from = [one.said.length, two.said.length] as const;
      one.dispatch(chat, turnStarted(turn, text));
      const asked = ({ params }: Loose) => params?.action?.type === 'chat/toolCallReady';
      await Promise.all([one.wait(asked, from[0]), two.wait(asked, from[1])]);
      const [first, second] = round % 2 === 0 ? [one, two] : [two, one];
      const yes = round % 3 === 0;
      const sent = [
        first.dispatch(chat, answer(turn, text, yes)),
        second.dispatch(chat, answer(turn, text, !yes)),
      ] as const;
      const heard = await Promise.all([first.echo(sent[0]), second.echo(sent[1])]);
      const accepted = heard.map(({ params }) => params.rejectionReason === undefined);
      expect([round, accepted.filter(Boolean).length]).toEqual([round, 1]);
      if (accepted[0] === yes) allowed.push(text);
      await Promise.all([one.action('chat/turnComplete', from[0]), two.action('chat/turnComplete', from[1])]);
    }
    expect(runs).toEqual(allowed);
    await checkAgrees(one, chat);
    await checkAgrees(two, chat);
  },
);

test(
  'actions in any order, with any numbers, for any turn, break nothing',
  { timeout: 120_000 },
  async () => {
    const turn = fc.constantFrom('t1', 't2', 't3', 'gone', '');
    const action = fc.oneof(
      turn.map((id) => turnStarted(id, `text ${id}`)),
      fc.tuple(turn, fc.boolean()).map(([id, approved]) => answer(id, `text ${id}`, approved)),
      turn.map((turnId) => ({ type: 'chat/turnCancelled', turnId, duration: 1 })),
      turn.map((turnId) => ({ type: 'chat/truncated', turnId })),
      turn.map((id) => ({
        type: 'chat/pendingMessageSet',
        kind: 'queued',
        id,
        message: { text: `text ${id}`, origin: { kind: 'user' } },
      })),
      turn.map((id) => ({ type: 'chat/pendingMessageRemoved', kind: 'queued', id })),
    );
    const sent = fc.array(fc.record({ clientSeq: fc.integer({ min: -2, max: 6 }), action }), {
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(sent, async (all) => {
        const runs: string[] = [];
        const on = await host();
        on.scripts.set('*', asking(runs));
        const one = await inSession(on);
        for (const each of all) one.notify('dispatchAction', { channel: chat, ...each });
        await one.request('ping');
        await checkAgrees(one, 'script:/s1', chat);
        expect(on.problems).toEqual([]);
      }),
      { numRuns: rounds },
    );
  },
);
