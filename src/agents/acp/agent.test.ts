// What a conversation with an external agent is set to, told and counted by, with a real process.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, brief, chatOf, ended, prompt, send } from '../../../test/kit/agentRig.ts';
import { answered, shown, start } from '../../../test/kit/agentStart.ts';
import { testClient, testWorld, until } from '../../../test/kit/host.ts';
import { untilGone } from '../../../test/kit/living.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Agent } from '../../host/agent.ts';
import { attachExtensions, attachPrompt } from '../../host/turns/clientInstructions.ts';
import type { Session } from '../../host/session/session.ts';
import { sessionCommands } from '../../host/turns/sessionCommands.ts';
import { isRejection } from '../../model/command.ts';
import { AgentProcesses } from './process/agentProcesses.ts';
import { usualTimes } from './process/program.ts';

describe('what a conversation is set to', () => {
  check('by modes and models alone', ['modes', 'models'], { options: [] });
  check('by config options', ['options'], {
    options: [
      {
        id: 'effort',
        name: 'Effort',
        value: 'low',
        category: 'thought_level',
        choices: [
          { id: 'low', label: 'LOW' },
          { id: 'high', label: 'HIGH' },
        ],
      },
      { id: 'fast', name: 'Fast', value: false },
    ],
  });

  function check(
    name: string,
    offers: readonly ('modes' | 'models' | 'options')[],
    { options }: { options: readonly object[] },
  ): void {
    test(`${name} is known after the first start, chosen, and followed`, async () => {
      const { rig, session } = await start({ switches: { offers } });
      const changes: string[] = [];
      rig.host.follow(({ kind }) => changes.push(kind));
      expect(rig.host.agents()[0]).toEqual({
        id: 'reference',
        name: 'Reference',
        description: 'An agent for tests.',
        models: [],
        accepts: { systemPrompt: 'append' },
        commands: [
          ...sessionCommands,
          expect.objectContaining({ name: 'undo' }),
          expect.objectContaining({ name: 'redo' }),
        ],
      });
      expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'ask', model: 'large' });
      expect(rig.host.agents()[0]).toMatchObject({
        models: [{ id: 'large' }, { id: 'small' }],
        modes: [{ id: 'ask' }, { id: 'plan' }],
        options,
      });
      expect(changes).toContain('agents');
      expect(session.head).toMatchObject({ mode: 'ask', model: 'large' });
      session.dispatch(
        {
          kind: 'changeSession',
          changes: { model: 'small', mode: 'plan', options: { effort: 'high', fast: true, other: 1 } },
        },
        testClient,
      );
      expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({
        mode: 'plan',
        model: 'small',
        ...(options.length > 0 ? { effort: 'high', fast: true } : {}),
      });
    });
  }

  test('is taken at once, also between turns', async () => {
    const { session } = await start({ switches: { offers: ['modes'] } });
    await prompt(session, 'say hi');
    session.dispatch({ kind: 'changeSession', changes: { mode: 'plan' } }, testClient);
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan' });
  });

  test('may be changed by the agent itself', async () => {
    const { rig, session } = await start({ switches: { offers: ['options'] } });
    await prompt(
      session,
      [
        'update {"sessionUpdate":"current_mode_update","currentModeId":"plan"}',
        'update {"sessionUpdate":"session_info_update","title":"Its own title"}',
        'update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"Begins.","input":{"hint":"what"}},{"bad":1}]}',
      ].join('\n'),
    );
    expect(session.state).toMatchObject({
      mode: 'plan',
      title: 'Its own title',
    });
    expect(rig.host.agents()[0]?.commands?.slice(-1)).toEqual([
      { name: 'init', description: 'Begins.', hint: 'what' },
    ]);
    const options = [
      {
        id: 'effort',
        name: 'E',
        type: 'select',
        currentValue: 'high',
        options: [{ value: 'high', name: 'H' }],
      },
    ];
    await prompt(
      session,
      `update ${JSON.stringify({ sessionUpdate: 'config_option_update', configOptions: options })}`,
    );
    expect(session.state.options).toMatchObject({ effort: 'high' });
  });

  test('cannot be what there is not', async () => {
    const { session } = await start({ switches: { offers: ['modes'] } });
    session.dispatch({ kind: 'changeSession', changes: { mode: 'fly', model: 'huge' } }, testClient);
    const turn = await prompt(session, 'say hi');
    expect(brief(turn.items)).toEqual([
      'warning: Reference does not offer the mode fly and the model huge.',
      'answer: hi\n',
    ]);
  });

  test('is what the agent says of a new conversation, and each session has its own', async () => {
    const { rig, session } = await start({ switches: { offers: ['options'] } });
    await prompt(session, 'say hi');
    expect(rig.host.agents()[0]?.usual).toEqual({ mode: 'ask', model: 'large' });
    session.dispatch({ kind: 'changeSession', changes: { options: { effort: 'high' } } }, testClient);
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ effort: 'high' });
    const effort = rig.host.agents()[0]?.options?.find(({ id }) => id === 'effort');
    expect([effort?.value, session.state.options['effort']]).toEqual(['low', 'high']);
  });

  test('comes back with the agent', async () => {
    const other: Agent = {
      info: { id: 'other', name: 'Other', description: '', models: [] },
      open: () => Promise.reject(new Error('unused')),
    };
    const { session } = await start({ switches: { offers: ['modes', 'models'] }, others: () => [other] });
    session.dispatch({ kind: 'changeSession', changes: { mode: 'plan', model: 'small' } }, testClient);
    session.dispatch({ kind: 'changeSession', changes: { agent: 'other' } }, testClient);
    expect(session.head).toMatchObject({ mode: undefined, model: undefined });
    session.dispatch({ kind: 'changeSession', changes: { agent: 'reference' } }, testClient);
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan', model: 'small' });
  });

  test.each([
    ['of an agent that never asks', { program: { quirks: { asks: 'never' } } }],
    ['of one that a script hides, and that tells its name', { switches: { name: 'pi-acp' } }],
  ] as const)('%s is confirmed once, and nothing runs without that', async (_, options) => {
    const { session } = await start(options);
    const deny = { kind: 'option', option: 'deny' } as const;
    const refused = await prompt(session, 'say hi', deny);
    expect(refused.outcome).toMatchObject({ kind: 'failed', problem: { code: 'denied' } });
    expect(answerOf(refused)).toBe('');
    const { items } = await prompt(session, 'say hi');
    expect(brief(items).filter((line) => !line.startsWith('info'))).toEqual([
      'unasked_reference done [Let Reference change files and run commands without asking]',
      'answer: hi\n',
    ]);
    expect(brief((await prompt(session, 'say again')).items)).toEqual(['answer: again\n']);
  });

  test('begins with the mode in which the agent asks', async () => {
    const { session } = await start({
      switches: { offers: ['modes'] },
      program: { quirks: { mode: 'plan' } },
    });
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan' });
    expect(session.state.mode).toBe('plan');
  });
});

describe('a command', () => {
  const offer =
    'update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"help","description":"Its own."},{"name":"tidy","description":"Tidies."}]}';

  test("of the host is the host's, and the agent has its own under another name", async () => {
    const { rig, session } = await start();
    await prompt(session, offer);
    const names = rig.host.agents()[0]?.commands?.map(({ name }) => name);
    expect(names).toEqual([...sessionCommands.map(({ name }) => name), 'undo', 'redo', 'agent:help', 'tidy']);
    expect(answerOf(await prompt(session, '/help'))).toContain('`/agent:help`: Its own.');
    expect(await answered(session, '/agent:help me')).toBe('You said: /help me');
    expect(await answered(session, '/tidy')).toBe('You said: /tidy ');
  });

  test('takes back what the agent has changed', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    await prompt(session, written(path, 'new'));
    expect(brief((await prompt(session, '/undo')).items)).toEqual([`info: As before: ${path}`]);
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
  });

  test('that takes back or redoes is told to the agent with the next message, once', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    await prompt(session, written(path, 'new'));
    await prompt(session, '/undo');
    const told = async () => JSON.stringify((await shown(session, { text: 'show' })).blocks);
    const first = await told();
    expect(first).toContain('has reverted changes');
    expect(first).toContain(path);
    expect(await told()).not.toContain('has reverted');
    await prompt(session, '/redo');
    expect(await told()).toContain('has redone changes');
  });

  test('takes back what no report explains only where the user says so', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const said = async (command: string) => brief((await prompt(session, command)).items);
    await prompt(session, `put ${path} "new"`);
    expect(await said('/undo')).toEqual([expect.stringContaining(`${path} was left as it is: no report`)]);
    expect(rig.place.tree()['a.txt']).toBe('new');
    expect(await said('/undo all')).toEqual([`info: As before: ${path}`]);
    expect(rig.place.tree()['a.txt']).toBe('one\ntwo\n');
    expect(await said('/redo')).toEqual([`info: Redone: ${path}`]);
    expect(rig.place.tree()['a.txt']).toBe('new');
    expect(await answered(session, '/undo it')).toBe('You said: /undo it');
  });

  test('redoes what was taken back, one turn at a time, and never over a change of the user', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const said = async (command: string) => brief((await prompt(session, command)).items);
    const now = () => rig.place.tree()['a.txt'];
    expect(await said('/redo')).toEqual(['info: There is nothing to redo.']);
    await prompt(session, written(path, 'new'));
    await prompt(session, written(path, 'newer'));
    await said('/undo');
    await said('/undo');
    expect(now()).toBe('one\ntwo\n');
    expect([await said('/redo'), now()]).toEqual([[`info: Redone: ${path}`], 'new']);
    expect([await said('/redo'), now()]).toEqual([[`info: Redone: ${path}`], 'newer']);
    expect([await said('/redo'), now()]).toEqual([['info: There is nothing to redo.'], 'newer']);
    expect([await said('/undo'), now()]).toEqual([[`info: As before: ${path}`], 'new']);
    rig.place.put({ 'a.txt': 'mine' });
    expect([await said('/redo'), now()]).toEqual([
      [`warning: ${path} was left as it is: ${path} has changed since.`],
      'mine',
    ]);
  });
});

test('a call that was refused and is then reported as failed causes no alarm', async () => {
  const { session } = await start();
  const call = (more: object) =>
    `update ${JSON.stringify({ sessionUpdate: 'tool_call_update', toolCallId: 'c', ...more })}`;
  const asking = `call session/request_permission ${JSON.stringify({
    toolCall: { toolCallId: 'c', title: 'Bash', kind: 'execute', rawInput: { command: 'x' } },
    options: [
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  })}`;
  const lines = [asking, call({ status: 'in_progress' }), call({ status: 'failed' })].join('\n');
  const turn = await prompt(session, lines, { kind: 'option', option: 'no' });
  expect(brief(turn.items).filter((line) => line.startsWith('warning'))).toEqual([]);
});

test('a program that takes long to start is told to the user', async () => {
  const { session } = await start({ times: { start: 0 } });
  const turn = await prompt(session, 'say hi');
  expect(brief(turn.items)).toEqual(['info: Reference is starting.', 'answer: hi\n']);
});

test('so is one that runs and takes long to begin a conversation', async () => {
  const { rig, session } = await start({ switches: { quirks: ['opens-slowly'] }, times: { start: 0 } });
  await prompt(session, 'say hi');
  const other = await rig.create();
  expect(brief((await prompt(other, 'say hi')).items)).toEqual([
    'info: Reference is starting.',
    'answer: hi\n',
  ]);
});

test('an agent that takes seconds to stop keeps its program', async () => {
  const { session } = await start({
    switches: { quirks: ['stops-slowly'] },
    times: { cancel: usualTimes.cancel },
  });
  const before = await answered(session, 'process');
  const first = send(session, 'say begun\nhang');
  await until(session, ({ chats }) => (chats[session.id]?.active?.items.length ?? 0) > 0);
  session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
  await ended(session, first);
  expect(await answered(session, 'process')).toBe(before);
});

describe('an agent that does not stop', () => {
  const stopped = async () => {
    const { session } = await start({
      switches: { quirks: ['ignores-cancel'], can: ['steering'] },
      times: { cancel: 2_500 },
    });
    const first = send(session, 'say begun\nhang');
    await until(session, ({ chats }) => (chats[session.id]?.active?.items.length ?? 0) > 0);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await ended(session, first);
    const waits = 'Waiting up to 3 seconds for Reference to stop; then it is ended.';
    await until(session, ({ chats }) => chats[session.id]?.stopping === waits);
    return session;
  };

  test('is said to be waited for beside its stopped turn, until it has ended', async () => {
    const session = await stopped();
    await until(session, ({ chats }) => chats[session.id]?.stopping === null);
    const turns = session.state.chats[session.id]?.turns;
    expect(turns).toMatchObject([{ outcome: { kind: 'cancelled' } }]);
    expect(await answered(session, 'say hi')).toBe('hi\n');
  });

  test('gets no message that steers while it is waited for; that runs afterwards', async () => {
    const session = await stopped();
    send(session, 'say hi');
    const message = { id: 'later', text: 'say later' };
    session.dispatch(
      { kind: 'queueMessage', lane: 'steer', chat: session.id, turn: 'q', message },
      testClient,
    );
    await until(session, ({ chats }) => chats[session.id]?.turns.length === 3);
    const turns = session.state.chats[session.id]?.turns ?? [];
    expect(turns.map((turn) => turn.message.text)).toEqual(['say begun\nhang', 'say hi', 'say later']);
    expect(turns.map(({ outcome }) => outcome.kind)).toEqual(['cancelled', 'completed', 'completed']);
  });
});

describe('a message', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const text = { type: 'text', label: 'notes', text: 'remember', uri: 'file:///n' } as const;

  test('goes out as rich as the agent takes it', async () => {
    const { session } = await start({ switches: { can: ['images', 'embedded'] } });
    const attachments = [
      image,
      text,
      { type: 'file', path: '/w/a b.ts', lines: { start: 3, end: 5 } },
      { type: 'directory', path: '/w/d' },
      { type: 'cursor', path: '/w/a', line: 1, character: 2 },
      { type: 'link', uri: 'https://x.y/', name: 'X' },
    ] as const;
    expect(await shown(session, { text: 'show', attachments })).toEqual({
      items: [],
      blocks: [
        { type: 'text', text: 'show' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///n', text: 'remember' } },
        { type: 'resource_link', uri: 'file:///w/a%20b.ts#L3:5', name: 'a b.ts (lines 3 to 5)' },
        { type: 'resource_link', uri: 'file:///w/d/', name: 'd' },
        { type: 'text', text: "The user's cursor is in /w/a, line 1, column 2." },
        { type: 'resource_link', uri: 'https://x.y/', name: 'X' },
      ],
    });
  });

  test('is put in words where the agent takes nothing else', async () => {
    const { session } = await start();
    expect(await shown(session, { text: 'show', attachments: [image, text] })).toEqual({
      items: ['warning: Reference does not accept an image; the agent was told so.'],
      blocks: [
        { type: 'text', text: 'show' },
        { type: 'text', text: '(The user attached an image, which cannot be passed on to you.)' },
        { type: 'text', text: 'notes:\nremember' },
      ],
    });
  });
});

describe('a word in between', () => {
  const add = (session: Session, text: string) =>
    session.dispatch(
      {
        kind: 'queueMessage',
        lane: 'steer',
        chat: session.id,
        turn: `t-${text}`,
        message: { id: `s-${text}`, text },
      },
      testClient,
    );

  test('goes to an agent that can take it, and with the next message where it does not', async () => {
    const { session } = await start({ switches: { can: ['steering'] } });
    const id = send(session, 'say Begun.\npause 600\nsay Done.');
    await until(session, () => JSON.stringify(chatOf(session).active?.items ?? []).includes('Begun.'));
    add(session, 'left');
    add(session, 'refuse');
    add(session, 'idle');
    const turn = await ended(session, id);
    expect(answerOf(turn)).toMatch(/Begun\.\n[^]*steered by left[^]*Done\./);
    expect(brief(turn.items)).toContain(
      'warning: Reference did not get your message (Not now.); it will be sent with the next one.',
    );
    expect(brief(turn.items)).toContain(
      'warning: Reference did not get your message (it had just finished); it will be sent ' +
        'with the next one.',
    );
    expect((await shown(session, { text: 'show' })).blocks).toEqual([
      { type: 'text', text: 'The user added this while you were working:' },
      { type: 'text', text: 'refuse' },
      { type: 'text', text: 'The user added this while you were working:' },
      { type: 'text', text: 'idle' },
      { type: 'text', text: 'show' },
    ]);
  });

  test('waits for the end of the turn where the agent knows nothing of it', async () => {
    const { session } = await start();
    const id = send(session, 'say Begun.\npause 300');
    await until(session, () => JSON.stringify(chatOf(session).active?.items ?? []).includes('Begun.'));
    add(session, 'say Later.');
    expect(answerOf(await ended(session, id))).toBe('Begun.\n');
    await until(session, () => chatOf(session).turns.length === 2);
    expect(chatOf(session).turns.map((turn) => answerOf(turn))).toEqual(['Begun.\n', 'Later.\n']);
  });
});

describe('what clients have attached to a session', () => {
  const attach = (session: Session) => {
    session.dispatch(attachExtensions({ tag: 'blue' }), testClient);
    session.dispatch(attachPrompt({ mode: 'append', text: 'Be brief.' }), testClient);
  };

  test('goes to the agent when the conversation is made', async () => {
    const { session } = await start({ switches: { can: ['systemPrompt'] } });
    attach(session);
    expect(JSON.parse(await answered(session, 'given'))).toEqual({
      _meta: { tag: 'blue' },
      systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] },
    });
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'show' }]);
  });

  test('comes with the first message where the agent has no place for instructions', async () => {
    const { session } = await start();
    attach(session);
    expect((await shown(session, { text: 'show' })).blocks).toEqual([
      { type: 'text', text: 'Instructions for this whole conversation:\n\nBe brief.' },
      { type: 'text', text: 'show' },
    ]);
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'show' }]);
    expect(JSON.parse(await answered(session, 'given'))).toEqual({ _meta: { tag: 'blue' } });
  });
});

describe('one program serves a session', () => {
  test('with all its chats, and with the other sessions of its folder', async () => {
    const { rig, session } = await start();
    session.dispatch({ kind: 'createChat', chat: 'second', origin: { type: 'user' } }, testClient);
    const first = await answered(session, 'process');
    session.dispatch(
      { kind: 'startTurn', chat: 'second', turn: 's1', message: { id: 's1', text: 'process' } },
      testClient,
    );
    await until(session, ({ chats }) => chats['second']?.turns.length === 1);
    expect(answerOf(session.state.chats['second']?.turns[0] ?? { items: [] })).toBe(first);
    const others = await Promise.all(Array.from({ length: 9 }, () => rig.create()));
    for (const other of others) expect(await answered(other, 'process')).toBe(first);
    // It goes with the last session, not with the first one.
    await rig.host.remove(session.id);
    for (const other of others.slice(1)) await rig.host.remove(other.id);
    expect(await answered(others[0] ?? session, 'process')).toBe(first);
    await rig.host.remove(others[0]?.id ?? '');
    await untilGone(Number(/\d+/.exec(first)));
  });

  test('and ends for all of them when it does not stop; the others are told and go on', async () => {
    const { rig, session } = await start({
      switches: { quirks: ['ignores-cancel'] },
      times: { cancel: 100 },
    });
    const other = await rig.create();
    const idle = await rig.create();
    expect(await answered(idle, 'say hello')).toBe('hello\n');
    const turns = [session, other].map((each) => ({ each, turn: send(each, 'say begun\nhang') }));
    for (const { each } of turns)
      await until(each, ({ chats }) => (chats[each.id]?.active?.items.length ?? 0) > 0);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    const [stopped, told] = await Promise.all(turns.map(({ each, turn }) => ended(each, turn)));
    expect([stopped?.outcome, told?.outcome]).toEqual([
      { kind: 'cancelled' },
      {
        kind: 'failed',
        problem: {
          code: 'agent-crashed',
          message:
            'Reference was ended for all sessions of this folder, because it did not answer when another ' +
            'session was stopped. Send your message again.',
        },
      },
    ]);
    expect(await answered(other, 'say again')).toBe('again\n');
    expect(brief((await prompt(idle, 'say again')).items)).toContain(
      'warning: Reference was ended meanwhile, because it did not answer when another session of this folder ' +
        'was stopped.',
    );
  });

  test('and the one that rests longest goes where there are too many', async () => {
    const clock = testWorld(new MemoryStore()).clock;
    const processes = new AgentProcesses({ clock, limits: { count: 1, memory: 1e12 } });
    const { rig, session } = await start({ switches: { can: ['resume'] }, processes });
    const first = await answered(session, 'process');
    const elsewhere = workspace();
    const other = rig.host.create({ roots: [elsewhere.root] }, testClient);
    if (isRejection(other)) throw new Error(other.message);
    await other.settled();
    expect(await answered(other, 'process')).not.toBe(first);
    await untilGone(Number(/\d+/.exec(first)));
    expect(await processes.list()).toMatchObject([{ agent: 'reference', cwd: elsewhere.root, sessions: 1 }]);
    expect(await answered(session, 'memory')).toBe('I remember 1.\n');
    await rig.host.remove(other.id);
    elsewhere.close();
  });

  test('also where it cannot find its conversation again, after all that can; it gets the transcript', async () => {
    const clock = testWorld(new MemoryStore()).clock;
    const processes = new AgentProcesses({ clock, limits: { count: 1, memory: 1e12 } });
    const { rig, session } = await start({ processes });
    const first = await answered(session, 'process');
    expect(await processes.list()).toMatchObject([{ busy: false }]);
    const elsewhere = workspace();
    const other = rig.host.create({ roots: [elsewhere.root] }, testClient);
    if (isRejection(other)) throw new Error(other.message);
    await other.settled();
    expect(await answered(other, 'process')).not.toBe(first);
    await untilGone(Number(/\d+/.exec(first)));
    expect(await processes.list()).toMatchObject([{ cwd: elsewhere.root }]);
    expect(brief((await prompt(session, 'say hi')).items).join('\n')).toContain(
      'Reference does not remember this conversation. It was given',
    );
    await rig.host.remove(other.id);
    elsewhere.close();
  });

  test('and stays while a client follows one of its sessions, however long it rests', async () => {
    const { rig, session } = await start({ switches: { can: ['resume'] }, times: { idle: 20 } });
    const other = await rig.create();
    const leave = other.follow(() => {});
    // The one with a client comes first: the program could rest and go before it joins.
    const before = await answered(other, 'process');
    expect(await answered(session, 'process')).toBe(before);
    // Many times the idle time.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await answered(session, 'process')).toBe(before);
    leave();
    await untilGone(Number(/\d+/.exec(before)));
  });

  test('and is let go early where its memory has grown with its sessions, unless a client follows it', async () => {
    const clock = testWorld(new MemoryStore()).clock;
    let memory = 100;
    const processes = new AgentProcesses({ clock, memoryOf: () => Promise.resolve(memory) });
    const times = { grown: 20 };
    const { rig, session } = await start({ switches: { can: ['resume'] }, times, processes });
    const before = await answered(session, 'process');
    memory = 111;
    // Many times the time of a program that has grown.
    const longer = () => new Promise((resolve) => setTimeout(resolve, 300));
    await longer();
    expect(await answered(session, 'process')).toBe(before);
    memory = 109;
    const other = await rig.create();
    expect(await answered(other, 'process')).toBe(before);
    await longer();
    const leave = session.follow(() => {});
    memory = 111;
    expect(await answered(session, 'process')).toBe(before);
    await longer();
    expect(await answered(session, 'process')).toBe(before);
    leave();
    await untilGone(Number(/\d+/.exec(before)));
    expect(await answered(session, 'memory')).toBe('I remember 4.\n');
  });

  test('and is let go when it rests, if it can be found again', async () => {
    const { session } = await start({ switches: { can: ['resume'] }, times: { idle: 50 } });
    const before = await answered(session, 'process');
    await untilGone(Number(/\d+/.exec(before)));
    const turn = await prompt(session, 'process');
    expect([answerOf(turn) === before, brief(turn.items)[0]]).toEqual([
      false,
      'info: Reference was restarted and continues its conversation.',
    ]);
    expect(await answered(session, 'memory')).toBe('I remember 2.\n');
  });

  test('with our environment, but with no secrets of others and nothing of our own', async () => {
    const set = { PARLEY_TEST: 'ours', OTHER_TOKEN: 'secret', OTHER_PLAIN: 'plain', ANSWER_KEY: 'given' };
    Object.assign(process.env, set);
    const { session } = await start();
    const asked = Object.keys(set).map((name) => `environment ${name}`);
    expect(await answered(session, asked.join('\n'))).toBe(
      'PARLEY_TEST=nothing\nOTHER_TOKEN=nothing\nOTHER_PLAIN=plain\nANSWER_KEY=given\n',
    );
    for (const name of Object.keys(set)) delete process.env[name];
  });
});

test('what a turn used is counted, and what it cost is what it added', async () => {
  const { session } = await start();
  await prompt(
    session,
    'update {"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":1.5,"currency":"USD"}}',
  );
  const turn = await prompt(
    session,
    'update {"sessionUpdate":"usage_update","used":20,"size":100,"cost":{"amount":2,"currency":"USD"}}\nstop max_tokens',
  );
  expect([turn.usage, turn.outcome]).toEqual([
    { context: { used: 20, size: 100 }, cost: 0.5 },
    { kind: 'completed', stop: 'length' },
  ]);
});

describe('a turn that has used more than it may', () => {
  test('of money is stopped while it works, and the session goes on', async () => {
    const { session } = await start({ limits: { money: 1 } });
    const id = send(
      session,
      'say Working\nupdate {"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":1.5,"currency":"USD"}}\nhang',
    );
    const turn = await ended(session, id);
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'budget',
        message: 'The turn used $1.50; the limit is $1.00. Raise limits.money in the settings to continue.',
      },
    });
    expect(await answered(session, 'say fine')).toBe('fine\n');
  });

  test('of calls is stopped before the next one', async () => {
    const { rig, session } = await start({ limits: { steps: 1 } });
    const id = send(session, 'shell echo 1 > one.txt\nshell echo 2 > two.txt');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    session.dispatch(
      {
        kind: 'answer',
        chat: session.id,
        ask: Object.keys(chatOf(session).asks)[0] ?? '',
        answer: { kind: 'option', option: 'yes' },
      },
      testClient,
    );
    await until(session, () => chatOf(session).turns.some((turn) => turn.id === id));
    expect(chatOf(session).turns[0]?.outcome).toMatchObject({ kind: 'failed', problem: { code: 'budget' } });
    expect([rig.place.tree()['one.txt'], rig.place.tree()['two.txt']]).toEqual(['1\n', undefined]);
    expect(await answered(session, 'say fine')).toBe('fine\n');
  });
});

test('a conversation that its agent does not name goes by what was said first, one line of it', async () => {
  const { session } = await start();
  await prompt(session, '/init');
  expect(session.state.title).toBe('');
  await prompt(session, `say ${'word '.repeat(30)}\nsay more`);
  expect(session.state.title).toBe('say word word word word word word word word word word word …');
  await prompt(session, 'update {"sessionUpdate":"session_info_update","title":"Its own title"}');
  expect(session.state.title).toBe('Its own title');
});

test('an agent that tells its tokens in its own way is counted, too', async () => {
  const { session } = await start();
  const turn = await prompt(
    session,
    'quota {"token_count":{"input_tokens":7,"output_tokens":3},"model_usage":[]}',
  );
  expect(turn.usage).toEqual({ input: 7, output: 3 });
});

test('an agent that asks nobody is in the log with what it did by its own judgement', async () => {
  const { rig, session } = await start({ switches: { quirks: ['never-asks'] } });
  const turn = await prompt(session, 'shell echo hi > made.txt');
  expect([rig.place.tree()['made.txt'], turn.items[0]]).toMatchObject([
    'hi\n',
    { type: 'tool', basis: { how: 'agent' }, result: { status: 'done' } },
  ]);
});

describe('a turn ends as the agent says', () => {
  check('max_turn_requests', { kind: 'completed', stop: 'steps' });
  check('refusal', { kind: 'completed', stop: 'refusal' });
  check('cancelled', { kind: 'cancelled' });

  test.each(['something_new', 'constructor'])('with %s, and says so', async (reason) => {
    const { session } = await start();
    const turn = await prompt(session, `stop ${reason}`);
    expect([turn.outcome, ...brief(turn.items)]).toEqual([
      { kind: 'completed' },
      `warning: Reference ended the turn for a reason that Parley does not know: ${reason}.`,
    ]);
  });

  test.each(['null', '{}', '{"stopReason":null}', '{"stopReason":7}', '"done"', '[]'])(
    'which is no end without a word where it answers %s',
    async (answer) => {
      const { session } = await start();
      const turn = await prompt(session, `say Half.\nanswer ${answer}`);
      expect([answerOf(turn), turn.outcome]).toEqual([
        'Half.\n',
        {
          kind: 'failed',
          problem: {
            code: 'agent-protocol',
            message: 'Reference ended the turn with an answer that has no stopReason.',
          },
        },
      ]);
      expect(await answered(session, 'say fine')).toBe('fine\n');
    },
  );

  function check(reason: string, outcome: object): void {
    test(`with ${reason}`, async () => {
      const { session } = await start();
      expect((await prompt(session, `stop ${reason}`)).outcome).toEqual(outcome);
    });
  }
});

test('a session of several folders has them all, if the agent can', async () => {
  const { rig } = await start({ switches: { can: ['directories'] } });
  rig.place.put({ 'more/x.txt': '' });
  const roots = [rig.place.root, join(rig.place.root, 'more')];
  const session = rig.host.create({ roots }, testClient);
  if ('rejected' in session) throw new Error(session.message);
  await session.settled();
  expect(await answered(session, 'folders')).toBe(`${roots.join(' ')}\n`);
});

/** What makes the agent write a file through the host. */
function written(path: string, content: string): string {
  return `call fs/write_text_file ${JSON.stringify({ path, content })}`;
}
