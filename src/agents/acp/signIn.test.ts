// Signing in to an agent, and the forms and links it puts to people.
import { describe, expect, test } from 'vitest';
import { answerOf, chatOf, ended, prompt, referenceBundle, send } from '../../../test/kit/agentRig.ts';
import { start } from '../../../test/kit/agentStart.ts';
import { until } from '../../../test/kit/host.ts';

describe('signing in', () => {
  const methods = [{ id: 'browser', name: 'In the browser', description: 'Opens one.' }, { id: 'broken', name: 'Broken' }, { type: 'terminal', id: 'term', name: 'In a terminal', args: ['login', 'a b'], env: { X: '1' } }];

  test('is a question whose answer the agent acts on', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: methods } });
    const id = send(session, 'say hi');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    const [open] = Object.values(chatOf(session).asks);
    expect(open?.ask).toMatchObject({
      kind: 'question', message: 'Reference needs you to sign in.',
      questions: [{ id: 'method', answer: { type: 'one', choices: [{ id: 'browser', label: 'In the browser', description: 'Opens one.' }, { id: 'broken', label: 'Broken' }] } }],
    });
    const turn = await ended(session, id, { kind: 'fields', values: { method: 'browser' } });
    expect(answerOf(turn)).toBe('hi\n');
  });

  test('that fails says why', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: methods } });
    const turn = await prompt(session, 'say hi', { kind: 'fields', values: { method: 'broken' } });
    expect(turn.outcome).toEqual({ kind: 'failed', problem: { code: 'signin-failed', message: 'Signing in to Reference with Broken failed: The login server is away.' } });
  });

  test('that nobody wants says what to do', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: methods }, program: { args: [(await referenceBundle()).path], signIn: 'Run "reference login".' } });
    const turn = await prompt(session, 'say hi', { kind: 'declined' });
    const path = (await referenceBundle()).path;
    expect(turn.outcome).toEqual({ kind: 'failed', problem: {
      code: 'signin-required',
      message: `Reference needs you to sign in. Run "reference login". In the browser: choose it when asked. Broken: choose it when asked. In a terminal: run "X=1 ${process.execPath} ${path} login 'a b'" in a terminal.`,
    } });
  });

  test('without any way to do it here says so', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: [{ id: 'k', name: 'Kimi', _meta: { 'terminal-auth': { command: 'kimi', args: ['login'] } } }] } });
    expect((await prompt(session, 'say hi')).outcome).toMatchObject({ problem: { message: 'Reference needs you to sign in. Kimi: run "kimi login" in a terminal.' } });
  });
});

describe('a form or a link', () => {
  const form = { mode: 'form', message: 'Which one?', requestedSchema: { type: 'object', required: ['colour'], properties: { colour: { type: 'string', enum: ['red', 'blue'] }, count: { type: 'integer', title: 'How many' }, odd: { type: 'what' } } } };

  test('is put to a human and the answer given back', async () => {
    const { session } = await start();
    const turn = await prompt(session, `call elicitation/create ${JSON.stringify(form)}`, { kind: 'fields', values: { colour: 'red', count: '4' } });
    expect(answerOf(turn)).toBe('{"action":"accept","content":{"colour":"red","count":4}}\n');
    expect(turn.items[0]).toMatchObject({ ask: { kind: 'question', message: 'Reference asks: Which one?', questions: [{ id: 'colour', required: true, answer: { type: 'one' } }, { id: 'count', answer: { type: 'integer' } }, { id: 'odd', answer: { type: 'text' } }] } });
  });

  test('may be declined', async () => {
    const { session } = await start();
    expect(answerOf(await prompt(session, `call elicitation/create ${JSON.stringify(form)}`, { kind: 'declined' }))).toBe('{"action":"decline"}\n');
  });

  test('that was followed elsewhere needs no answer', async () => {
    const { session } = await start();
    const link = { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://user@login.example/x' };
    const id = send(session, `call elicitation/create ${JSON.stringify(link)}`);
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    expect(Object.values(chatOf(session).asks)[0]?.ask).toMatchObject({ kind: 'signin', url: 'https://user@login.example/x', message: 'Reference asks: Sign in\nThis leads to login.example.' });
    expect(answerOf(await ended(session, id, { kind: 'fields', values: {} }))).toBe('{"action":"accept"}\n');
    const next = send(session, `late 50 notify elicitation/complete {"elicitationId":"e1"}\ncall elicitation/create ${JSON.stringify(link)}`);
    await until(session, () => chatOf(session).turns.some((turn) => turn.id === next));
    expect(answerOf(chatOf(session).turns.at(-1) ?? { items: [] })).toBe('{"action":"accept"}\n');
  });
});
