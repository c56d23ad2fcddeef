// An agent enters and leaves the sandbox with the permission mode of its session.
import { expect, test } from 'vitest';
import { notConfined, prompt } from '../../../../test/kit/agentRig.ts';
import type { RigOptions } from '../../../../test/kit/agentRig.ts';
import { answered, start as startRig } from '../../../../test/kit/agentStart.ts';
import { testClient } from '../../../../test/kit/host.ts';
import type { Confinement } from '../../../host/ports.ts';
import type { Autonomy } from '../../../model/event.ts';
import type { Session } from '../../../host/session/session.ts';

async function start(program: NonNullable<RigOptions['program']>) {
  const runs: Confinement[] = [];
  const { rig, session } = await startRig({
    switches: { offers: ['modes'], can: ['load'] },
    program,
    confine: (words, _cwd, policy) => {
      runs.push(policy);
      return notConfined(words);
    },
  });
  return { rig, runs, session };
}

function choose(session: Session, autonomy: Autonomy): void {
  expect(session.dispatch({ kind: 'changeSession', changes: { autonomy } }, testClient)).toBeUndefined();
}

const modeOf = async (session: Session): Promise<unknown> =>
  (JSON.parse(await answered(session, 'settings')) as { readonly mode: unknown }).mode;

test('it starts again inside in auto, with the mode that has no sandbox, and outside with its own', async () => {
  const { rig, runs, session } = await start({
    sandbox: 'auto',
    needs: { folders: ['/own'], mode: 'plan', hosts: ['model.example', 'localhost:8080'] },
    quirks: { mode: 'ask' },
  });
  expect([await modeOf(session), runs.length]).toEqual(['ask', 0]);
  choose(session, 'auto');
  expect([await modeOf(session), runs.length]).toEqual(['plan', 1]);
  expect(runs[0]).toMatchObject({
    write: [rig.place.root],
    network: 'ask',
    hosts: ['model.example'],
    known: [{ name: 'localhost', port: 8080 }],
    own: ['/own'],
    isLasting: true,
  });
  expect(session.head.mode).toBe('ask');
  expect([await modeOf(session), runs.length]).toEqual(['plan', 1]);
  choose(session, 'edits');
  expect([await modeOf(session), runs.length]).toEqual(['ask', 1]);
});

test('one that is on runs inside in every mode, and one that is off in none', async () => {
  const inside = await start({ sandbox: 'on' });
  await modeOf(inside.session);
  expect(inside.runs).toHaveLength(1);
  const outside = await start({ sandbox: 'off' });
  choose(outside.session, 'auto');
  await modeOf(outside.session);
  expect(outside.runs).toHaveLength(0);
});

test.each([
  { autonomy: 'full', program: 'auto', sandbox: { confined: false, because: 'full' } },
  { autonomy: 'ask', program: 'auto', sandbox: { confined: false, because: 'ask' } },
  { autonomy: 'auto', program: 'off', sandbox: { confined: false, because: 'off' } },
  { autonomy: 'auto', program: 'auto', sandbox: { confined: true, network: 'ask' } },
] as const)(
  'its calls say how they ran: $autonomy, agent $program',
  async ({ autonomy, program, sandbox }) => {
    const { session } = await start({ sandbox: program });
    choose(session, autonomy);
    const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'look', kind: 'other' };
    const update = (more: object) => `update ${JSON.stringify({ ...call, ...more })}`;
    const lines = [update({ status: 'in_progress' }), update({ status: 'completed' })];
    const { items } = await prompt(session, lines.join('\n'));
    expect(items.flatMap((item) => (item.type === 'tool' ? [item.sandbox] : []))).toEqual([sandbox]);
  },
);
