// Several clients and one host: everybody sees the same, the first answer wins, and nobody waits for anybody.
import { describe, expect, test } from 'vitest';
import { content } from '../../../test/kit/ecaClient.ts';
import type { EcaClient } from '../../../test/kit/ecaClient.ts';
import { says, shell, useEcaHost } from '../../../test/kit/ecaHost.ts';
import { testClient } from '../../../test/kit/host.ts';
import type { Script } from '../../../test/kit/host.ts';

const { start, connect } = useEcaHost();

const finished = content('progress', 'finished');

describe('several clients on one chat', () => {
  test('both see the turn that one of them began', async () => {
    const made = await start({ one: says('1'), two: says('2') });
    const [first, second] = [await connect(made, { name: 'emacs' }), await connect(made, { name: 'vscode' })];
    await first.request('chat/prompt', { chatId: 'c', message: 'one' });
    await first.until(finished);
    await second.request('chat/open', { chatId: 'c' });
    first.news();
    second.news();
    await second.request('chat/prompt', { chatId: 'c', message: 'two' });
    await first.until(finished);
    await second.until(finished);
    const begin = [
      'user text "two\\n"',
      'chat/statusChanged {"chatId":"c","status":"running"}',
      'system progress "Waiting model"',
    ];
    const end = [
      'system progress "Generating"',
      'assistant text "2"',
      'chat/statusChanged {"chatId":"c","status":"idle"}',
      'system progress finished',
    ];
    expect(first.news()).toEqual([...begin, ...end]);
    expect(second.news()).toEqual([
      ...begin,
      'result {"chatId":"c","model":"script/one","status":"prompting"}',
      ...end,
    ]);
  });

  test('a prompt into a chat of another door joins it and keeps its choices', async () => {
    const made = await start({ one: says('1') });
    await made.create('c');
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'one', agent: 'code', model: 'other/model' });
    await client.until(finished);
    expect(client.news().slice(0, 2)).toEqual([
      'config/updated {"chatId":"c","chat":{"selectModel":"script/one","selectAgent":"script","variants":[],"selectVariant":null}}',
      'user text "one\\n"',
    ]);
    expect(made.host.opened('c')?.state).toMatchObject({ agent: 'script', roots: ['/w'] });
  });

  test('chat ids that are numbers stand for chats of their own connection and come back as numbers', async () => {
    const made = await start({ one: says('1') });
    const [first, second] = [await connect(made), await connect(made)];
    for (const client of [first, second]) {
      const { result } = await client.request('chat/prompt', { chatId: 1, message: 'one' });
      expect(result).toMatchObject({ chatId: 1, status: 'prompting' });
      await client.until(finished);
      const ids = client.wire.flatMap(({ params }) => params?.['chatId'] ?? []);
      expect([...new Set(ids)]).toEqual([1]);
    }
    expect(made.host.summaries()).toHaveLength(2);
    expect(await first.request('chat/prompt', { chatId: 1.5, message: 'one' })).toMatchObject({
      error: { code: -32602 },
    });
  });

  test('a prompt from another door is seen with its text', async () => {
    const made = await start({ one: says('1'), two: says('2') });
    const client = await connect(made);
    await client.request('chat/prompt', { chatId: 'c', message: 'one' });
    await client.until(finished);
    client.news();
    made.host
      .opened('c')
      ?.dispatch(
        { kind: 'startTurn', chat: 'c', turn: 't2', message: { id: 'm2', text: 'two' } },
        testClient,
      );
    await client.until(content('text', '2'));
    expect(client.news().slice(0, 3)).toEqual([
      'user text "two\\n"',
      'chat/statusChanged {"chatId":"c","status":"running"}',
      'system progress "Waiting model"',
    ]);
  });

  test('a chat that a client neither prompted nor opened is not heard', async () => {
    const made = await start({ one: says('1') });
    const [first, second] = [await connect(made), await connect(made)];
    await first.request('chat/prompt', { chatId: 'c', message: 'one' });
    await first.until(finished);
    await second.request('shutdown');
    expect(second.news()).toEqual(['result null']);
  });

  test('the first answer wins, and a late one is told who was first', async () => {
    const made = await start({ go: shell });
    const [first, second] = [await connect(made, { name: 'emacs' }), await connect(made, { name: 'vscode' })];
    await first.request('chat/prompt', { chatId: 'c', message: 'go' });
    await first.until(content('progress', 'Waiting for tool call approval'));
    await second.request('chat/open', { chatId: 'c' });
    first.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'x' });
    await first.until(finished);
    await second.until(finished);
    [first, second].forEach((client) => void client.news());
    second.notify('chat/toolCallReject', { chatId: 'c', toolCallId: 'x' });
    first.notify('chat/toolCallApprove', { chatId: 'c', toolCallId: 'x' });
    await Promise.all([first.request('shutdown'), second.request('shutdown')]);
    expect(second.news()).toEqual([
      '$/showMessage {"type":"info","message":"\\"$ echo hi\\" was already allowed by emacs (eca)."}',
      'result null',
    ]);
    expect(first.news()).toEqual([
      '$/showMessage {"type":"info","message":"\\"$ echo hi\\" was already allowed by you."}',
      'result null',
    ]);
    expect(made.host.opened('c')?.state.chats['c']?.turns[0]?.items[0]).toMatchObject({
      result: { status: 'done' },
    });
  });
});

describe('questions', () => {
  const asks: Script = async (turn) => {
    const answer = await turn.ask({
      kind: 'question',
      message: 'color?',
      questions: [
        {
          id: 'q',
          message: 'color?',
          answer: {
            type: 'one',
            choices: [
              { id: 'r', label: 'red' },
              { id: 'b', label: 'blue', description: 'the sky' },
            ],
          },
        },
      ],
    });
    turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: JSON.stringify(answer) });
  };
  const question = ({ method }: { readonly method?: string }) => method === 'chat/askQuestion';

  test('the first client that answers decides, the others are told to stop asking', async () => {
    const made = await start({ go: asks });
    const [first, second, third] = [
      await connect(made, { asks: true }),
      await connect(made, { asks: true }),
      await connect(made),
    ];
    await first.request('chat/prompt', { chatId: 'c', message: 'go' });
    const asked = await first.until(question);
    for (const client of [second, third]) await client.request('chat/open', { chatId: 'c' });
    const askedToo = await second.until(question);
    expect(asked.params).toEqual({
      chatId: 'c',
      question: 'color?',
      allowFreeform: false,
      requestId: expect.any(String) as string,
      options: [{ label: 'red' }, { label: 'blue', description: 'the sky' }],
    });
    first.send({ jsonrpc: '2.0', id: asked.id, result: { answer: 'blue', cancelled: false } });
    await first.until(content('text', '{"kind":"fields","values":{"q":"b"}}'));
    const cancel = await second.until(({ method }) => method === '$/cancelRequest');
    expect(cancel.params).toEqual({ id: askedToo.id });
    expect(third.wire.some(question)).toBe(false);
  });

  test.each([
    ['cancelled', { answer: null, cancelled: true }, '{"kind":"declined"}'],
    ['no answer', { answer: null, cancelled: false }, '{"kind":"declined"}'],
    ['other case', { answer: 'RED', cancelled: false }, '{"kind":"fields","values":{"q":"r"}}'],
  ])('%s', async (_, result, expected) => {
    const client = await connect(await start({ go: asks }), { asks: true });
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    const { id } = await client.until(question);
    client.send({ jsonrpc: '2.0', id, result });
    expect((await client.until(content('text', expected))).method).toBe('chat/contentReceived');
  });

  test('an answer that does not fit is asked for again; stopping takes the question away', async () => {
    const client = await connect(await start({ go: asks }), { asks: true });
    await client.request('chat/prompt', { chatId: 'c', message: 'go' });
    const { id } = await client.until(question);
    client.send({ jsonrpc: '2.0', id, result: { answer: 'green', cancelled: false } });
    const again = await client.until((message) => question(message) && message.id !== id);
    client.notify('chat/promptStop', { chatId: 'c' });
    expect((await client.until(({ method }) => method === '$/cancelRequest')).params).toEqual({
      id: again.id,
    });
  });
});

describe('a slow client', () => {
  test('holds nobody up and misses nothing', async () => {
    const long = 'x'.repeat(2_000);
    const many: Script = async (turn) => {
      for (let n = 0; n < 200; n += 1) {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${n} ${long}` });
        await new Promise((resolve) => void setImmediate(resolve));
      }
    };
    const made = await start({ go: many });
    const [slow, fast] = [
      await connect(made, { pair: { softBufferedBytes: 10_000, maxBufferedBytes: 100_000 } }),
      await connect(made),
    ];
    await slow.request('chat/prompt', { chatId: 'c', message: 'go' });
    await fast.request('chat/open', { chatId: 'c' });
    slow.transport.hold();
    await fast.until(finished);
    slow.transport.release();
    await slow.until(finished);
    const text = (client: EcaClient) =>
      client.wire
        .filter(content('text'))
        .map(({ params }) => params?.['content'] as { text: string })
        .map((given) => given.text)
        .join('');
    expect(text(slow).replace('go\n', '')).toBe(text(fast).replace('\ngo', ''));
    expect(slow.wire.length).toBeLessThan(fast.wire.length);
  });
});
