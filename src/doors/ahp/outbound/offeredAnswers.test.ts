import { expect, test } from 'vitest';
import { connectV1, settledV1 } from '../../../../test/kit/ahp/integer1/client.ts';
import { ahpRig, checkAgrees, turnStarted } from '../../../../test/kit/ahpRig.ts';
import type { Rig } from '../../../../test/kit/host.ts';
import type { Loose } from '../../../../test/kit/wire.ts';
import type { Ask } from '../../../model/event.ts';

const { host, inSession } = ahpRig();

const forSession = ['allow', 'allow-session', 'deny'];
const all = ['allow', 'allow-session', 'allow-folder', 'allow-always', 'deny'];

test.each(['1.0.0', '0.9.0'])(
  'a client of %s that may only approve is offered no answer beyond the session, and no edit',
  async (version) => {
    const on = await host();
    const owner = await inSession(on, { id: 'owner', versions: [version] });
    const phone = await inSession(on, { id: 'phone', versions: [version], role: 'approve' });
    on.scripts.set('*', callAsked);
    owner.dispatch('ahp-chat:/s1', turnStarted('t1', 'run it'));
    const late = async (role: 'approve' | 'control', id: string) =>
      inSession(on, { id, versions: [version], role });
    const asked = async (one: typeof owner) => (await one.action('chat/toolCallReady')).params.action;
    expect(offered(await asked(owner))).toEqual({ options: all, editable: true });
    expect(offered(await asked(phone))).toEqual({ options: forSession, editable: false });
    for (const [one, options] of [
      [phone, forSession],
      [await late('approve', 'late'), forSession],
      [await late('control', 'desk'), all],
    ] as const) {
      const [needed] = one.views.get('script:/s1').inputNeeded;
      const [part] = one.views.get('ahp-chat:/s1').activeTurn.responseParts;
      for (const call of [needed.toolCall, part.toolCall]) expect(offered(call).options).toEqual(options);
    }
    await owner.echo(owner.dispatch('ahp-chat:/s1', { ...confirmed, selectedOptionId: 'allow-always' }));
    await phone.action('chat/turnComplete');
    expect(phone.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall.selectedOption.id).toBe(
      'allow-always',
    );
    for (const one of [owner, phone]) await checkAgrees(one, 'script:/s1', 'ahp-chat:/s1');
  },
);

test('a client of version 1 that may only approve is offered no answer beyond the session, and no edit', async () => {
  const on = await host();
  const owner = await inSession(on, { id: 'owner' });
  const phone = await connectV1(on.host, { id: 'phone', role: 'approve' });
  await phone.subscribe('script:/s1');
  on.scripts.set('*', callAsked);
  owner.dispatch('ahp-chat:/s1', turnStarted('t1', 'run it'));
  const { params } = await phone.action('session/toolCallReady');
  const ids = (call: Loose) => call.options.map(({ id }: Loose) => id as unknown);
  expect([ids(params.action), params.action.editable]).toEqual([forSession, false]);
  const late = await connectV1(on.host, { id: 'late', role: 'approve' });
  const state = await late.subscribe('script:/s1');
  expect(ids(state.activeTurn.responseParts[0].toolCall)).toEqual(forSession);
  owner.dispatch('ahp-chat:/s1', { ...confirmed, selectedOptionId: 'allow-always' });
  await phone.action('session/turnComplete');
  const fresh = await (await connectV1(on.host, { id: 'fresh', role: 'approve' })).subscribe('script:/s1');
  expect(settledV1(phone.views.get('script:/s1'))).toEqual(settledV1(fresh));
  await Promise.all([phone.close(), late.close()]);
});

test.each([
  { needs: 'approve', offers: ['session', 'no'] },
  { needs: 'control', offers: [] },
] as const)(
  'of a question that needs $needs, a client that may approve is offered $offers',
  async ({ needs, offers }) => {
    const on = await host();
    on.scripts.set(
      'wait',
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    const owner = await inSession(on, { id: 'owner' });
    const phone = await inSession(on, { id: 'phone', role: 'approve' });
    await owner.echo(owner.dispatch('ahp-chat:/s1', turnStarted('t1', 'wait')));
    on.host
      .opened('s1')
      ?.dispatch({ kind: 'openAsk', chat: 's1', turn: 't1', ask: connect(needs) }, { kind: 'host' });
    const choices = (request: Loose) => request.questions[0].options.map(({ id }: Loose) => id as unknown);
    const { params } = await phone.action('chat/inputRequested');
    expect(choices(params.action.request)).toEqual(offers);
    expect(choices(phone.views.get('script:/s1').inputNeeded[0].request)).toEqual(offers);
    expect(choices((await owner.action('chat/inputRequested')).params.action.request)).toEqual([
      'session',
      'always',
      'no',
    ]);
    await checkAgrees(phone, 'script:/s1', 'ahp-chat:/s1');
    const answers = { n: { state: 'submitted', value: { kind: 'selected', value: 'always' } } };
    await owner.echo(
      owner.dispatch('ahp-chat:/s1', {
        type: 'chat/inputCompleted',
        requestId: 'q',
        response: 'accept',
        answers,
      }),
    );
    await checkAgrees(phone, 'script:/s1', 'ahp-chat:/s1');
  },
);

function connect(needs: 'approve' | 'control'): Ask {
  const choices = [
    { id: 'session', label: 'Session' },
    { id: 'always', label: 'Always', needs: 'control' },
    { id: 'no', label: 'No' },
  ] as const;
  const questions = [
    { id: 'n', message: 'Connect?', required: true, answer: { type: 'one', choices } },
  ] as const;
  return { kind: 'question', id: 'q', message: 'Connect?', questions, needs };
}

const confirmed = {
  type: 'chat/toolCallConfirmed',
  turnId: 't1',
  toolCallId: 'tc1',
  approved: true,
  confirmed: 'user-action',
};

const callAsked: Parameters<Rig['scripts']['set']>[1] = async (turn) => {
  const [tool, name, toolKind] = ['tc1', 'shell_command', 'execute'] as const;
  const input = { command: 'npm test' };
  turn.report({ kind: 'tool.started', tool, name, title: 'Run', toolKind, source: 'native' });
  turn.report({ kind: 'tool.ready', tool, input, title: 'npm test', toolKind });
  const intent = { name, toolKind, input, paths: [], command: input.command };
  await turn.approve({ tool, intent, title: 'Run npm test?', editable: true });
  turn.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [] } });
};

function offered({ options, editable }: Loose): Loose {
  return { options: options.map(({ _meta: ours }: Loose) => ours.effect as unknown), editable };
}
