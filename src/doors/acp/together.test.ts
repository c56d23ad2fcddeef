import { describe, expect, test } from 'vitest';
import { chunk, connect, sessionOf, start } from '../../../test/kit/acpDoor.ts';
import { until } from '../../../test/kit/host.ts';

describe('several clients', () => {
  test('a turn of one streams to all that have the session open, with the message of the user', async () => {
    const host = await start();
    host.scripts.set('go', (turn) =>
      Promise.resolve(turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Yes.' })),
    );
    const [one, two, three] = [await connect(host), await connect(host), await connect(host)];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.prompt(sessionId, 'go');
    const turn = sessionOf(host, sessionId).state.chats[sessionId]?.turns[0];
    expect(one.updates(sessionId)).toEqual([chunk('Yes.')]);
    expect(two.updates(sessionId)).toEqual([
      { sessionUpdate: 'user_message_chunk', messageId: turn?.id, content: { type: 'text', text: 'go' } },
      chunk('Yes.'),
    ]);
    expect(three.updates(sessionId)).toEqual([]);
  });

  test('a turn that fails says so to those who did not ask for it', async () => {
    const host = await start();
    host.scripts.set('go', () =>
      Promise.resolve({ kind: 'failed', problem: { code: 'x', message: 'No luck.' } }),
    );
    const [one, two] = [await connect(host), await connect(host)];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.failure('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'go' }] });
    expect(one.updates(sessionId)).toEqual([]);
    expect(two.updates(sessionId).at(-1)).toEqual(chunk('The turn failed: No luck.'));
  });

  test('a notice reaches a client that knows notices; the others get warnings as a message, the rest as a thought', async () => {
    const host = await start();
    host.scripts.set('go', (turn) => {
      turn.report({ kind: 'notice.added', level: 'info', text: 'By the way.' });
      turn.report({ kind: 'notice.added', level: 'warning', text: 'Mind this.\nIt is slow.' });
      return Promise.resolve();
    });
    const [one, two] = [
      await connect(host),
      await connect(host, {}, { clientCapabilities: { session: { notices: {} } } }),
    ];
    const sessionId = await one.newSession();
    await two.call('session/resume', { sessionId, cwd: '/w' });
    await one.prompt(sessionId, 'go');
    expect(one.updates(sessionId)).toEqual([
      {
        sessionUpdate: 'agent_thought_chunk',
        messageId: expect.any(String),
        content: { type: 'text', text: '\n\nBy the way.\n\n' },
      },
      chunk('\n\nMind this.\nIt is slow.\n\n'),
    ]);
    expect(two.updates(sessionId).slice(1)).toEqual([
      { sessionUpdate: 'notice', severity: 'info', title: 'By the way.' },
      { sessionUpdate: 'notice', severity: 'warning', title: 'Mind this.', description: 'It is slow.' },
    ]);
  });

  test('that an agent is waited for is a message, and again where one is sent meanwhile', async () => {
    const host = await start();
    host.scripts.set('go', (turn) =>
      Promise.resolve(turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: 'Yes.' })),
    );
    const one = await connect(host);
    const sessionId = await one.newSession();
    const stopping = 'Waiting up to 10 seconds for it to stop.';
    sessionOf(host, sessionId).dispatch({ kind: 'changeChat', chat: sessionId, stopping }, { kind: 'host' });
    await one.prompt(sessionId, 'go');
    const waits = chunk(`\n\n${stopping}\n\n`);
    expect(one.updates(sessionId)).toEqual([waits, waits, chunk('Yes.')]);
  });

  test('a notice is replayed only to a client that has got it as words', async () => {
    const host = await start();
    host.scripts.set('go', (turn) => {
      turn.report({ kind: 'notice.added', level: 'warning', text: 'Mind this.' });
      return Promise.resolve();
    });
    const maker = await connect(host);
    const sessionId = await maker.newSession();
    await maker.prompt(sessionId, 'go');
    const words = await connect(host);
    const knows = await connect(host, {}, { clientCapabilities: { session: { notices: {} } } });
    for (const client of [words, knows])
      await client.call('session/load', { sessionId, cwd: '/w', mcpServers: [] });
    const kinds = (client: typeof words) => client.updates(sessionId).map((update) => update.sessionUpdate);
    expect(kinds(words)).toEqual(['user_message_chunk', 'agent_message_chunk']);
    expect(kinds(knows)).toEqual(['user_message_chunk']);
  });

  test('a state that the client has is not sent again', async () => {
    const host = await start();
    const client = await connect(host);
    const sessionId = await client.newSession();
    const session = sessionOf(host, sessionId);
    const change = (model: string) =>
      session.dispatch({ kind: 'changeSession', changes: { model } }, { kind: 'host' });
    for (const model of ['script/one', 'script/one', 'script/two', 'script/two']) change(model);
    await session.settled();
    const models = client
      .updates(sessionId)
      .flatMap((update) => (update.sessionUpdate === 'config_option_update' ? update.configOptions : []))
      .map((option) => option.currentValue);
    expect(models).toEqual(['script/two']);
  });

  test('a cost that was shown stays when a later report has none', async () => {
    const host = await start();
    host.scripts.set('go', (turn) => {
      const context = { used: 10, size: 100 };
      turn.report({ kind: 'usage.reported', usage: { context, cost: 0.5 } });
      turn.report({ kind: 'usage.reported', usage: { context: { ...context, used: 20 } } });
      return Promise.resolve();
    });
    const client = await connect(host);
    const sessionId = await client.newSession();
    await client.prompt(sessionId, 'go');
    const costs = client
      .updates(sessionId)
      .flatMap((update) => (update.sessionUpdate === 'usage_update' ? [update.cost?.amount] : []));
    expect(costs).toEqual([0.5, 0.5]);
  });

  test('a client that stops reading gets the rest later, in order, and its answer last', async () => {
    const host = await start();
    host.scripts.set('go', async (turn) => {
      for (let i = 0; i < 300; i += 1) {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${i} ${'x'.repeat(50)},` });
        if (i % 10 === 0) await new Promise(setImmediate);
      }
    });
    const client = await connect(host, { limits: { softBufferedBytes: 2_000 } });
    const sessionId = await client.newSession();
    client.transport.hold();
    const answer = client.prompt(sessionId, 'go');
    await until(sessionOf(host, sessionId), ({ chats }) => chats[sessionId]?.turns.length === 1);
    expect(client.sent.some(({ result }) => result && 'stopReason' in result)).toBe(false);
    client.transport.release();
    expect(await answer).toEqual({ stopReason: 'end_turn' });
    const text = client
      .updates(sessionId)
      .map((update) =>
        'content' in update && update.content && 'text' in update.content ? update.content.text : '',
      )
      .join('');
    expect(text).toBe(Array.from({ length: 300 }, (_, i) => `${i} ${'x'.repeat(50)},`).join(''));
    expect(client.updates(sessionId).length).toBeLessThan(300);
  });

  test('twenty sessions stream at once in order, and a question in one holds up none', async () => {
    const host = await start();
    host.scripts.set('stream', async (turn) => {
      for (let i = 0; i < 40; i += 1) {
        turn.report({ kind: 'text.added', item: 'i', channel: 'answer', text: `${i},` });
        if (i % 7 === 0) await new Promise(setImmediate);
      }
    });
    host.scripts.set('ask', async (turn) => {
      turn.report({
        kind: 'tool.started',
        tool: 't',
        name: 'shell_command',
        title: 'Run',
        toolKind: 'execute',
        source: 'native',
      });
      await turn.approve({
        tool: 't',
        intent: { name: 'shell_command', toolKind: 'execute', input: {}, paths: [] },
        title: 'Run',
      });
    });
    const client = await connect(host);
    const blocked = await client.newSession();
    const asking = client.prompt(blocked, 'ask');
    await client.seen(({ method }) => method === 'session/request_permission');
    const sessions = await Promise.all(Array.from({ length: 20 }, () => client.newSession()));
    expect(new Set(sessions).size).toBe(20);
    const answers = await Promise.all(sessions.map((id) => client.prompt(id, 'stream')));
    expect(answers).toEqual(sessions.map(() => ({ stopReason: 'end_turn' })));
    const whole = Array.from({ length: 40 }, (_, i) => `${i},`).join('');
    for (const id of sessions)
      expect(
        client
          .updates(id)
          .map((update) =>
            'content' in update && update.content && 'text' in update.content ? update.content.text : '',
          )
          .join(''),
      ).toBe(whole);
    client.peer.notify('session/cancel', { sessionId: blocked });
    expect(await asking).toEqual({ stopReason: 'cancelled' });
  });
});
