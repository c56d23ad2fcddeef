// Signing in to an agent, and the forms and links it puts to people.
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, brief, chatOf, ended, notConfined, prompt, send } from '../../../../test/kit/agentRig.ts';
import { referenceBundle } from '../../../../test/kit/reference/program.ts';
import type { AgentRig } from '../../../../test/kit/agentRig.ts';
import { start } from '../../../../test/kit/agentStart.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import type { Session } from '../../../host/session/session.ts';
import { eventually } from '../../../../test/kit/patience.ts';

describe('signing in', () => {
  const methods = [
    { id: 'browser', name: 'In the browser', description: 'Opens one.' },
    { id: 'broken', name: 'Broken' },
    {
      ...{ type: 'terminal', id: 'term', name: 'In a terminal', description: 'Opens a browser.' },
      ...{ args: ['login', 'a b'], env: { X: '1' } },
    },
  ];

  test('is a question whose answer the agent acts on', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: methods } });
    const id = send(session, 'say hi');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    const [open] = Object.values(chatOf(session).asks);
    expect(open?.ask).toMatchObject({
      kind: 'question',
      message: 'Reference needs you to sign in.',
      questions: [
        {
          id: 'method',
          answer: {
            type: 'one',
            choices: [
              { id: 'browser', label: 'In the browser', description: 'Opens one.' },
              { id: 'broken', label: 'Broken' },
              {
                id: 'term',
                description: expect.stringMatching(
                  /^Runs "X=1 .* login 'a b'" in a terminal\. Opens a browser\.$/,
                ) as string,
              },
            ],
          },
        },
      ],
    });
    const turn = await ended(session, id, { kind: 'fields', values: { method: 'browser' } });
    expect(answerOf(turn)).toBe('hi\n');
  });

  test('that fails says why', async () => {
    const { session } = await start({ switches: { start: 'login', authMethods: methods } });
    const turn = await prompt(session, 'say hi', { kind: 'fields', values: { method: 'broken' } });
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'signin-failed',
        message: 'Signing in to Reference with Broken failed: The login server is away.',
      },
    });
  });

  test('that nobody wants says what to do', async () => {
    const path = (await referenceBundle()).path;
    const { session } = await start({
      switches: {
        start: 'login',
        authMethods: [
          ...methods,
          { type: 'env_var', id: 'key', name: 'By key', vars: [{ name: 'THE_KEY' }] },
        ],
      },
      program: { args: [path], signIn: 'Run "reference login".' },
    });
    const turn = await prompt(session, 'say hi', { kind: 'declined' });
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'signin-required',
        message:
          'Reference needs you to sign in. Run "reference login". In the browser: choose it when asked. ' +
          'Broken: choose it when asked. In a terminal: choose it when asked, or run "X=1 ' +
          `${process.execPath} ${path} login 'a b'" in a terminal. By key: set THE_KEY for the agent with ` +
          '"parley agents add reference --env NAME=VALUE".',
      },
    });
  });
});

describe('signing in in a terminal', () => {
  const methods = [
    { type: 'terminal', id: 'term', name: 'In a terminal', args: ['login', 'us'], env: { X: '1' } },
  ];
  const someTerminal = async (rig: AgentRig) => {
    return eventually(() => rig.terminals.list()[0], 'a terminal');
  };
  const choose = async (session: Session, method: string) => {
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    const [ask = ''] = Object.keys(chatOf(session).asks);
    expect(
      session.dispatch(
        { kind: 'answer', chat: session.id, ask, answer: { kind: 'fields', values: { method } } },
        testClient,
      ),
    ).toBeUndefined();
  };

  test('shows the terminal to everybody, takes what anybody types, and starts the agent anew', async () => {
    const { rig, session } = await start({ switches: { start: 'login', authMethods: methods } });
    const id = send(session, 'say hi');
    await choose(session, 'term');
    const terminal = await someTerminal(rig);
    await eventually(() => terminal.text.text.includes('Your word: '), 'the question for the word');
    expect(terminal).toMatchObject({
      title: 'Sign in to Reference: In a terminal',
      owner: { kind: 'session', session: session.id, chat: session.id, turn: id },
    });
    expect(terminal.text.text).toContain('Welcome\u001b[0m to us on a terminal.');
    terminal.write('sesame\r', { kind: 'client', client: 'anybody' });
    const turn = await ended(session, id);
    expect(turn).toMatchObject({
      outcome: { kind: 'completed' },
      items: [
        { type: 'ask' },
        {
          type: 'notice',
          text: expect.stringContaining(
            'is waiting for you in the terminal "Sign in to Reference: In a terminal"',
          ) as string,
        },
        {
          type: 'tool',
          name: 'sign_in',
          content: [{ type: 'terminal', terminal: terminal.id }],
          result: { status: 'done', content: [{ type: 'terminal', terminal: terminal.id }] },
        },
        { type: 'notice', text: 'Reference asks you to open this page: https://login.example/us?code=1' },
        { type: 'text', text: 'hi\n' },
      ],
    });
    expect(turn.items.find((item) => item.type === 'tool')?.output).toContain(
      'Welcome to us on a terminal.\nSee https://login.example/us?code=1 for the word.\nYour word: ',
    );
  });

  test('that fails says what was printed, and the next message may try again', async () => {
    const { rig, session } = await start({ switches: { start: 'login', authMethods: methods } });
    const id = send(session, 'say hi');
    await choose(session, 'term');
    (await someTerminal(rig)).write('open\r', { kind: 'client', client: 'anybody' });
    expect((await ended(session, id)).outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'signin-failed',
        message:
          'Signing in to Reference with In a terminal failed: it ended with exit code 4. Its last ' +
          'output: That is not the word.',
      },
    });
    expect((await prompt(session, 'say hi', { kind: 'declined' })).outcome).toMatchObject({
      problem: { code: 'signin-required' },
    });
  });

  test('ends with the turn', async () => {
    const { rig, session } = await start({ switches: { start: 'login', authMethods: methods } });
    send(session, 'say hi');
    await choose(session, 'term');
    const terminal = await someTerminal(rig);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await terminal.ended;
    expect(chatOf(session).turns[0]?.outcome).toEqual({ kind: 'cancelled' });
  });

  test('works for agents that name their command in the old way', async () => {
    const { path } = await referenceBundle();
    const { rig, session } = await start({
      switches: {
        start: 'login',
        authMethods: [
          {
            id: 'k',
            name: 'Old',
            _meta: { 'terminal-auth': { command: process.execPath, args: [path, 'login', 'them'] } },
          },
        ],
      },
    });
    const id = send(session, 'say hi');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    expect(Object.values(chatOf(session).asks)[0]?.ask).toMatchObject({
      questions: [
        {
          answer: {
            choices: [
              {
                id: 'k',
                label: 'Old',
                description: `Runs "${process.execPath} ${path} login them" in a terminal.`,
              },
            ],
          },
        },
      ],
    });
    await choose(session, 'k');
    (await someTerminal(rig)).write('open\r', { kind: 'client', client: 'anybody' });
    expect((await ended(session, id)).outcome).toMatchObject({ problem: { code: 'signin-failed' } });
  });
});

describe('signing in to a confined agent, outside the sandbox', () => {
  const confined = async (path: string, authMethods: readonly object[], program: object = {}) =>
    start({
      switches: { start: 'login', authMethods },
      program: { sandbox: 'on', args: [path], env: { HOME: tmpdir() }, ...program },
      confine: notConfined,
    });
  const question = async (session: Session) => {
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    return Object.values(chatOf(session).asks)[0]?.ask;
  };

  test('runs its program with no variable of the agent, and not in the workspace', async () => {
    const { path } = await referenceBundle();
    const env = { NODE_OPTIONS: '--require ./evil.cjs', X: '1' };
    const method = { type: 'terminal', id: 'term', name: 'In a terminal', args: ['login', 'us'], env };
    const { rig, session } = await confined(path, [method]);
    writeFileSync(
      join(rig.place.root, 'evil.cjs'),
      "require('node:fs').writeFileSync(__filename + '.ran', '')",
    );
    const id = send(session, 'say hi');
    const description = `Runs "${process.execPath} ${path} login us" in a terminal, outside the sandbox.`;
    expect(await question(session)).toMatchObject({
      questions: [{ answer: { choices: [{ description }] } }],
    });
    const [ask = ''] = Object.keys(chatOf(session).asks);
    const answer = { kind: 'fields', values: { method: 'term' } } as const;
    session.dispatch({ kind: 'answer', chat: session.id, ask, answer }, testClient);
    const terminal = await eventually(() => rig.terminals.list()[0], 'a terminal');
    await eventually(() => terminal.text.text.includes('Your word: '), 'the question for the word');
    expect(terminal.cwd).toBe(tmpdir());
    terminal.write('sesame\r', { kind: 'client', client: 'anybody' });
    expect((await ended(session, id)).outcome).toEqual({ kind: 'completed' });
    expect(existsSync(join(rig.place.root, 'evil.cjs.ran'))).toBe(false);
  });

  const named = (id: string, command: string, ...args: string[]) => ({
    ...{ id, name: id, _meta: { 'terminal-auth': { command, args } } },
  });

  test.each(['mise', 'docker', 'nix', 'nix-shell', 'sudo', 'python3.11', 'op'])(
    'offers nothing else that %s would start',
    async (launcher) => {
      const { path } = await referenceBundle();
      const command = join(mkdtempSync(join(tmpdir(), 'parley-launcher-')), launcher);
      writeFileSync(command, '#!/bin/sh\nshift 2\nexec "$@"\n', { mode: 0o755 });
      const args = ['exec', '--', process.execPath, path];
      const ways = [
        named('launched', launcher, 'exec', '--', 'sh', '-c', 'evil'),
        named('own', launcher, ...args, 'login'),
      ];
      const { session } = await confined(path, ways, { command, args });
      send(session, 'say hi');
      expect(await question(session)).toMatchObject({
        questions: [{ answer: { choices: [{ id: 'own' }] } }],
      });
    },
  );

  test('offers no other program, also not as the program of a launcher', async () => {
    const { path } = await referenceBundle();
    const { session } = await confined(path, [
      named('shell', 'sh', '-c', 'evil'),
      named('launched', 'node', '-e', 'evil'),
      named('own', 'node', path, 'login', 'us'),
    ]);
    send(session, 'say hi');
    expect(await question(session)).toMatchObject({
      questions: [
        {
          answer: {
            choices: [
              {
                id: 'own',
                description: `Runs "${process.execPath} ${path} login us" in a terminal, outside the sandbox.`,
              },
            ],
          },
        },
      ],
    });
  });
});

test('an agent that describes itself before it asks for a sign-in gets one, too', async () => {
  const { session } = await start({
    switches: { authMethods: [{ id: 'web', name: 'By web' }] },
    program: { signIn: 'Run "reference login".' },
  });
  const commands = 'update {"sessionUpdate":"available_commands_update","availableCommands":[]}';
  const turn = await prompt(session, `${commands}\nfail -32000 Authentication required`, {
    kind: 'declined',
  });
  expect(brief(turn.items).some((line) => line.startsWith('asked: '))).toBe(true);
});

test('an agent that says that a sign-in is missing before it refuses gets one, too', async () => {
  const { session } = await start({ switches: { authMethods: [{ id: 'web', name: 'By web' }] } });
  const turn = await prompt(session, 'say Not logged in.\nfail -32000 Authentication required', {
    kind: 'declined',
  });
  expect(brief(turn.items)).toEqual(['answer: Not logged in.\n', 'asked: question declined']);
  expect(turn.outcome).toMatchObject({ problem: { code: 'signin-required' } });
});

test('an agent that has worked before it refuses does not work again after a sign-in', async () => {
  const { session } = await start({ switches: { authMethods: [{ id: 'web', name: 'By web' }] } });
  const call = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Do', status: 'completed' };
  const turn = await prompt(session, `update ${JSON.stringify(call)}\nfail -32000 Authentication required`, {
    kind: 'fields',
    values: { method: 'web' },
  });
  expect(brief(turn.items)).toEqual(['Do done [Do]']);
  expect(turn.outcome).toMatchObject({ problem: { message: 'Authentication required' } });
});

test('an agent that has signed its user out in the middle of things asks, and the message is not lost', async () => {
  const { session } = await start({ switches: { authMethods: [{ id: 'browser', name: 'In the browser' }] } });
  await prompt(session, 'logout');
  const turn = await prompt(session, 'say hi', { kind: 'fields', values: { method: 'browser' } });
  expect([turn.outcome, answerOf(turn)]).toEqual([{ kind: 'completed' }, 'hi\n']);
});

describe('a form or a link', () => {
  const form = {
    mode: 'form',
    message: 'Which one?',
    requestedSchema: {
      type: 'object',
      required: ['colour'],
      properties: {
        colour: { type: 'string', enum: ['red', 'blue'] },
        count: { type: 'integer', title: 'How many' },
        odd: { type: 'what' },
      },
    },
  };

  test('is put to a human and the answer given back', async () => {
    const { session } = await start();
    const turn = await prompt(session, `call elicitation/create ${JSON.stringify(form)}`, {
      kind: 'fields',
      values: { colour: 'red', count: '4' },
    });
    expect(answerOf(turn)).toBe('{"action":"accept","content":{"colour":"red","count":4}}\n');
    expect(turn.items[0]).toMatchObject({
      ask: {
        kind: 'question',
        message: 'Reference asks: Which one?',
        questions: [
          { id: 'colour', required: true, answer: { type: 'one' } },
          { id: 'count', answer: { type: 'integer' } },
          { id: 'odd', answer: { type: 'text' } },
        ],
      },
    });
  });

  test('may be declined', async () => {
    const { session } = await start();
    expect(
      answerOf(
        await prompt(session, `call elicitation/create ${JSON.stringify(form)}`, { kind: 'declined' }),
      ),
    ).toBe('{"action":"decline"}\n');
  });

  test('that was followed elsewhere needs no answer', async () => {
    const { session } = await start();
    const link = {
      mode: 'url',
      message: 'Sign in',
      elicitationId: 'e1',
      url: 'https://user@login.example/x',
    };
    const id = send(session, `call elicitation/create ${JSON.stringify(link)}`);
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    expect(Object.values(chatOf(session).asks)[0]?.ask).toMatchObject({
      kind: 'signin',
      url: 'https://user@login.example/x',
      message: 'Reference asks: Sign in\nThe link opens login.example.',
    });
    expect(answerOf(await ended(session, id, { kind: 'fields', values: {} }))).toBe('{"action":"accept"}\n');
    const next = send(
      session,
      `late 50 notify elicitation/complete {"elicitationId":"e1"}\ncall elicitation/create ${JSON.stringify(link)}`,
    );
    await until(session, () => chatOf(session).turns.some((turn) => turn.id === next));
    expect(answerOf(chatOf(session).turns.at(-1) ?? { items: [] })).toBe('{"action":"accept"}\n');
  });

  test('that was followed before it could be shown needs no answer, in that turn alone', async () => {
    const { session } = await start();
    const link = { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://login.example/x' };
    const complete = 'notify elicitation/complete {"elicitationId":"e1"}';
    const create = `call elicitation/create ${JSON.stringify(link)}`;
    const early = send(session, `${complete}\n${create}`);
    await until(session, () => chatOf(session).turns.some((turn) => turn.id === early));
    expect(answerOf(chatOf(session).turns.at(-1) ?? { items: [] })).toBe('{"action":"accept"}\n');
    await prompt(session, complete);
    expect(answerOf(await prompt(session, create, { kind: 'declined' }))).toBe('{"action":"decline"}\n');
  });
});
