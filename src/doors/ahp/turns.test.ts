// Turns as clients of AHP 1.0 follow them together, and what they set and mark.
import { describe, expect, test } from 'vitest';
import { ahpRig, checkAgrees, turnStarted } from '../../../test/kit/ahpRig.ts';
import { rig } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import type { Loose } from '../../../test/kit/wire.ts';

const { client, host, inSession, open } = ahpRig();

describe('a turn', () => {
  test('streams to everybody, and its sender gets its own action back once', async () => {
    const on = await host();
    on.scripts.set('hello', async (turn) => {
      turn.report({ kind: 'text.added', item: 'r', channel: 'reasoning', text: 'Hm.' });
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: 'Hello' });
      await Promise.resolve();
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: ' there.' });
      turn.report({ kind: 'usage.reported', usage: { input: 3, output: 4 } });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2', versions: ['0.9.0'] });
    const seq = one.dispatch('ahp-chat:/s1', turnStarted('request_1', 'hello'));
    await two.action('chat/turnComplete');
    await one.action('chat/turnComplete');
    expect(
      one.said
        .filter(({ params }) => params?.origin?.clientSeq === seq)
        .map(({ params }) => params.action.type),
    ).toEqual(['chat/turnStarted']);
    expect(one.views.get('ahp-chat:/s1').turns).toMatchObject([
      {
        id: 'request_1',
        state: 'complete',
        message: { text: 'hello', origin: { kind: 'user' } },
        usage: { inputTokens: 3, outputTokens: 4 },
        responseParts: [
          { kind: 'reasoning', content: 'Hm.' },
          { kind: 'markdown', content: 'Hello there.' },
        ],
      },
    ]);
    for (const channel of ['script:/s1', 'ahp-chat:/s1', 'ahp-root://']) {
      await checkAgrees(one, channel);
      await checkAgrees(two, channel);
    }
  });

  test('edited arguments are checked first: a refusal leaves the question open, and the title says who edited', async () => {
    const on = await host();
    on.scripts.set('*', async (turn) => {
      const [toolKind, tool, name] = ['execute', 'tc1', 'shell_command'] as const;
      const request = (command: string) => ({
        title: `$ ${command}`,
        intent: { name, toolKind, input: { command }, paths: [], command },
      });
      turn.report({ kind: 'tool.started', tool, name, title: 'Run', toolKind, source: 'native' });
      turn.report({ kind: 'tool.ready', tool, input: { command: 'ls' }, title: 'ls', toolKind });
      await turn.approve({
        tool,
        ...request('ls'),
        editable: true,
        edited: (input) =>
          Promise.resolve(JSON.stringify(input).includes('bad') ? { refused: 'Not this.' } : request('pwd')),
      });
      turn.report({ kind: 'tool.ended', tool, result: { status: 'done', content: [] } });
    });
    const one = await inSession(on);
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'go'));
    await one.action('chat/toolCallReady');
    const confirm = (editedToolInput: string) =>
      one.dispatch('ahp-chat:/s1', {
        type: 'chat/toolCallConfirmed',
        turnId: 't1',
        toolCallId: 'tc1',
        approved: true,
        confirmed: 'user-action',
        editedToolInput,
      });
    expect((await one.echo(confirm('bad'))).params.rejectionReason).toBe('Not this.');
    confirm('pwd');
    await one.action('chat/turnComplete');
    expect(one.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall).toMatchObject({
      toolInput: 'pwd',
      pastTenseMessage: '$ pwd (edited by Tester client-1)',
      _meta: { editedBy: 'Tester client-1', original: '$ ls' },
    });
    await checkAgrees(one, 'ahp-chat:/s1');
  });

  test('is confirmed by whoever answers first; the other is told who that was', async () => {
    const on = await host();
    on.scripts.set('*', async (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 'tc1',
        name: 'shell_command',
        title: 'Run',
        toolKind: 'execute',
        source: 'native',
      });
      turn.report({
        kind: 'tool.ready',
        tool: 'tc1',
        input: { command: 'ls' },
        title: 'ls',
        toolKind: 'execute',
      });
      const verdict = await turn.approve({
        tool: 'tc1',
        intent: {
          name: 'shell_command',
          toolKind: 'execute',
          input: { command: 'ls' },
          paths: [],
          command: 'ls',
        },
        title: 'Run ls?',
        editable: true,
      });
      turn.report({
        kind: 'tool.ended',
        tool: 'tc1',
        result: { status: 'done', content: [{ type: 'text', text: JSON.stringify(verdict) }] },
      });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'run it'));
    const asked = await two.wait(({ params }) => params?.action?.type === 'chat/toolCallReady');
    expect(asked.params.action).toMatchObject({
      invocationMessage: '$ ls',
      toolInput: 'ls',
      confirmationTitle: 'Run ls?',
      editable: true,
      _meta: { toolKind: 'terminal', language: 'shellscript' },
    });
    expect(two.views.get('script:/s1').inputNeeded).toMatchObject([
      { kind: 'toolConfirmation', chat: 'ahp-chat:/s1', turnId: 't1', toolCall: { toolCallId: 'tc1' } },
    ]);
    const won = two.dispatch('ahp-chat:/s1', {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'tc1',
      approved: true,
      confirmed: 'user-action',
      selectedOptionId: 'allow',
      editedToolInput: 'ls -la',
    });
    const lost = one.dispatch('ahp-chat:/s1', {
      type: 'chat/toolCallConfirmed',
      turnId: 't1',
      toolCallId: 'tc1',
      approved: false,
      reason: 'denied',
    });
    expect((await two.echo(won)).params).not.toHaveProperty('rejectionReason');
    expect((await two.echo(won)).params.action).toMatchObject({
      selectedOptionId: 'allow',
      editedToolInput: 'ls -la',
    });
    expect((await one.echo(lost)).params.rejectionReason).toBe(
      'This was already answered by Tester client-2.',
    );
    await one.action('chat/turnComplete');
    await two.action('chat/turnComplete');
    expect(one.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall).toMatchObject({
      status: 'completed',
      toolInput: 'ls -la',
      confirmed: 'user-action',
      selectedOption: { id: 'allow', label: 'Allow once', kind: 'approve' },
      _meta: { decidedBy: 'Tester client-2', decision: 'Allow once', effect: 'allow' },
      content: [
        { type: 'terminal', title: 'ls', isPty: false },
        {
          type: 'text',
          text: JSON.stringify({ allowed: true, option: 'allow', input: { command: 'ls -la' } }),
        },
      ],
    });
    expect(
      two.said.filter(
        ({ params }) =>
          params?.origin?.clientId === 'client-1' && params.action.type === 'chat/toolCallConfirmed',
      ),
    ).toEqual([]);
    for (const channel of ['script:/s1', 'ahp-chat:/s1']) {
      await checkAgrees(one, channel);
      await checkAgrees(two, channel);
    }
  });

  test('shows edits by reference, and the host has the texts', async () => {
    const on = await host();
    on.scripts.set('*', (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 'tc1',
        name: 'write_file',
        title: 'Write',
        toolKind: 'edit',
        source: 'native',
      });
      turn.report({
        kind: 'tool.ended',
        tool: 'tc1',
        result: {
          status: 'done',
          content: [
            { type: 'text', text: 'ok' },
            { type: 'edit', path: '/w/a', before: 'old\n', after: 'new ü\n' },
          ],
        },
      });
      return Promise.resolve();
    });
    const one = await inSession(on);
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'edit'));
    await one.action('chat/turnComplete');
    const { before, after } = one.views.get('ahp-chat:/s1').turns[0].responseParts[0].toolCall.content[1];
    expect([before.uri, after.uri]).toEqual(['file:///w/a', 'file:///w/a']);
    expect(await one.request('resourceRead', { uri: before.content.uri })).toEqual({
      data: 'old\n',
      encoding: 'utf-8',
      contentType: 'text/plain',
    });
    expect(await one.request('resourceRead', { uri: after.content.uri, encoding: 'base64' })).toEqual({
      data: Buffer.from('new ü\n').toString('base64'),
      encoding: 'base64',
      contentType: 'text/plain',
    });
  });

  test('asks questions that two clients fill in together', async () => {
    const on = await host();
    on.scripts.set('*', async (turn) => {
      const answer = await turn.ask({
        kind: 'question',
        message: 'Tell me',
        questions: [
          {
            id: 'colour',
            message: 'Which?',
            required: true,
            answer: {
              type: 'one',
              choices: [
                { id: 'r', label: 'Red' },
                { id: 'b', label: 'Blue' },
              ],
              freeform: true,
            },
          },
          { id: 'sure', message: 'Sure?', answer: { type: 'boolean' } },
        ],
      });
      turn.report({ kind: 'text.added', item: 'a', channel: 'answer', text: JSON.stringify(answer) });
    });
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    one.dispatch('ahp-chat:/s1', turnStarted('t1', 'ask me'));
    const requestId = (await two.action('chat/inputRequested')).params.action.request.id as string;
    const draft = one.dispatch('ahp-chat:/s1', {
      type: 'chat/inputAnswerChanged',
      requestId,
      questionId: 'sure',
      answer: { state: 'submitted', value: { kind: 'boolean', value: true } },
    });
    await one.echo(draft);
    const bad = two.dispatch('ahp-chat:/s1', {
      type: 'chat/inputAnswerChanged',
      requestId,
      questionId: 'sure',
      answer: { state: 'draft', value: { kind: 'text', value: 'yes' } },
    });
    expect((await two.echo(bad)).params.rejectionReason).toMatch(/boolean/);
    const early = two.dispatch('ahp-chat:/s1', {
      type: 'chat/inputCompleted',
      requestId,
      response: 'accept',
    });
    expect((await two.echo(early)).params.rejectionReason).toMatch(/colour/);
    two.dispatch('ahp-chat:/s1', {
      type: 'chat/inputCompleted',
      requestId,
      response: 'accept',
      answers: { colour: { state: 'submitted', value: { kind: 'selected', value: 'b' } } },
    });
    await one.action('chat/turnComplete');
    await two.action('chat/turnComplete');
    expect(two.views.get('ahp-chat:/s1').turns[0].responseParts.at(-1).content).toBe(
      JSON.stringify({ kind: 'fields', values: { colour: 'b', sure: true } }),
    );
    const late = one.dispatch('ahp-chat:/s1', {
      type: 'chat/inputCompleted',
      requestId,
      response: 'decline',
    });
    expect((await one.echo(late)).params.rejectionReason).toBe(
      'This was already answered by Tester client-2.',
    );
    await checkAgrees(one, 'ahp-chat:/s1');
  });

  test('is steered, queued behind, cancelled and gone back on', async () => {
    const on = await host();
    on.scripts.set(
      'slow',
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }))),
    );
    const one = await inSession(on);
    const say = (text: string) => ({ text, origin: { kind: 'user' } });
    await one.echo(one.dispatch('ahp-chat:/s1', turnStarted('t1', 'slow')));
    const busy = await one.echo(one.dispatch('ahp-chat:/s1', turnStarted('t2', 'slow')));
    expect(busy.params.rejectionReason).toMatch(/running/);
    for (const [id, text] of [
      ['q1', 'first'],
      ['q2', 'slow'],
      ['q3', 'third'],
    ] as const) {
      await one.echo(
        one.dispatch('ahp-chat:/s1', {
          type: 'chat/pendingMessageSet',
          kind: 'queued',
          id,
          message: say(text),
        }),
      );
    }
    await one.echo(
      one.dispatch('ahp-chat:/s1', {
        type: 'chat/pendingMessageSet',
        kind: 'steering',
        id: 'st',
        message: say('left'),
      }),
    );
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/queuedMessagesReordered', order: ['q2'] }));
    await one.echo(
      one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'queued', id: 'q1' }),
    );
    expect(
      (
        await one.echo(
          one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'q3' }),
        )
      ).params.rejectionReason,
    ).toMatch(/no longer queued/);
    expect(one.views.get('ahp-chat:/s1')).toMatchObject({
      steeringMessage: { id: 'st' },
      queuedMessages: [{ id: 'q2' }, { id: 'q3' }],
    });
    await one.echo(
      one.dispatch('ahp-chat:/s1', { type: 'chat/pendingMessageRemoved', kind: 'steering', id: 'st' }),
    );
    expect(
      (
        await one.echo(
          one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 'other', duration: 1 }),
        )
      ).params.rejectionReason,
    ).toBeDefined();
    const cancelled = await one.echo(
      one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't1', duration: 1 }),
    );
    expect(cancelled.params.action.type).toBe('chat/turnCancelled');
    await one.wait(({ params }) => params?.action?.queuedMessageId === 'q2');
    const back = await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 't1' }));
    expect([back.params.action, back.params.rejectionReason]).toEqual([
      { type: 'chat/truncated', turnId: 't1' },
      undefined,
    ]);
    expect(
      one.said.filter(({ params }) => params?.origin?.clientSeq === back.params.origin.clientSeq),
    ).toHaveLength(1);
    expect(one.views.get('ahp-chat:/s1')).toMatchObject({
      turns: [{ id: 't1', state: 'cancelled' }],
      queuedMessages: [{ id: 'q3' }],
    });
    expect(
      (
        await one.echo(
          one.dispatch('ahp-chat:/s1', { type: 'chat/turnCancelled', turnId: 't1', duration: 1 }),
        )
      ).params.rejectionReason,
    ).toBeDefined();
    expect(
      (await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/truncated', turnId: 'nope' }))).params
        .rejectionReason,
    ).toBeDefined();
    await checkAgrees(one, 'ahp-chat:/s1');
    await checkAgrees(one, 'script:/s1');
  });
});

test('a turn of an editor of another protocol says which model it had', async () => {
  const on = await host();
  const one = await inSession(on);
  const session = on.host.opened('s1');
  const by = { kind: 'client', door: 'acp', client: 'zed', name: 'Zed' } as const;
  session?.dispatch({ kind: 'changeSession', changes: { model: 'script/one' } }, by);
  session?.dispatch({ kind: 'startTurn', chat: 's1', turn: 't1', message: { id: 'm', text: 'hi' } }, by);
  const { params } = await one.action('chat/turnStarted');
  expect(params.action.message.model).toEqual({ id: 'script/one' });
  await one.action('chat/turnComplete');
  session?.dispatch({ kind: 'changeSession', changes: { model: 'script/other' } }, by);
  await checkAgrees(one, 'ahp-chat:/s1');
  expect(one.views.get('ahp-chat:/s1').turns[0].message.model).toEqual({ id: 'script/one' });
});

describe('settings and marks', () => {
  test('of a session are kept, shown to everybody and come back', async () => {
    const on = await host();
    const one = await inSession(on);
    const two = await inSession(on, { id: 'client-2' });
    const actions: readonly Loose[] = [
      { type: 'session/titleChanged', title: 'A title' },
      { type: 'session/isReadChanged', isRead: false },
      { type: 'session/isArchivedChanged', isArchived: true },
      { type: 'session/configChanged', config: { permissions: 'plan' } },
      {
        type: 'session/activeClientSet',
        activeClient: { clientId: 'client-1', tools: [{ name: 'usages' }] },
      },
    ];
    for (const action of actions)
      expect((await one.echo(one.dispatch('script:/s1', action))).params.action.type).toBe(action.type);
    const onChat = await one.echo(
      one.dispatch('ahp-chat:/s1', { type: 'session/titleChanged', title: 'From the chat' }),
    );
    expect(onChat.params).toMatchObject({
      channel: 'ahp-chat:/s1',
      action: { type: 'session/titleChanged' },
    });
    const draft = { text: 'unfinished', origin: { kind: 'user' } };
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/draftChanged', draft }));
    await checkAgrees(two, 'script:/s1');
    await checkAgrees(two, 'ahp-chat:/s1');
    expect(two.views.get('script:/s1')).toMatchObject({
      title: 'From the chat',
      status: 65,
      config: { values: { permissions: 'plan' } },
      activeClients: [{ clientId: 'client-1' }],
    });
    expect(two.views.get('ahp-chat:/s1').draft).toEqual(draft);
    await one.echo(one.dispatch('script:/s1', { type: 'session/activeClientRemoved', clientId: 'client-1' }));
    await one.echo(one.dispatch('ahp-chat:/s1', { type: 'chat/draftChanged' }));
    await checkAgrees(two, 'script:/s1');
    await checkAgrees(two, 'ahp-chat:/s1');
  });

  test('tools of an editor with very many extensions are taken, up to a limit', async () => {
    const on = await host();
    const one = await inSession(on);
    const lend = async (length: number) => {
      const tools = [{ name: 'big', description: 'x'.repeat(length) }];
      const activeClient = { clientId: 'client-1', tools };
      const { params } = await one.echo(
        one.dispatch('script:/s1', { type: 'session/activeClientSet', activeClient }),
      );
      return params.rejectionReason as unknown;
    };
    expect(await lend(2 * 1_048_576)).toBeUndefined();
    expect(await lend(4 * 1_048_576)).toMatch(/the limit is 4 MiB/);
  });

  test('of the root are shared and survive, and allow nothing', async () => {
    const store = new MemoryStore();
    const on = await host(store);
    const one = await client(on);
    const two = await client(on, { id: 'client-2' });
    const config = { terminalAutoApproveEnabled: true, 'http.proxy': '' };
    const first = await one.echo(one.dispatch('ahp-root://', { type: 'root/configChanged', config }));
    const again = await one.echo(one.dispatch('ahp-root://', { type: 'root/configChanged', config }));
    expect(again.params.serverSeq).toBeGreaterThan(first.params.serverSeq);
    await checkAgrees(two, 'ahp-root://');
    expect(two.views.get('ahp-root://').config.values).toEqual(config);
    expect(on.host.own.head.rules).toEqual([]);
    await on.close();
    const later = await rig(store);
    open.push(() => later.close());
    expect((await client(later)).views.get('ahp-root://').config.values).toEqual(config);
  });
});
