import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { agentRig, answerOf, brief, chatOf, disposeReference, ended, prompt, referenceBundle, send } from '../../../test/kit/agentRig.ts';
import type { AgentRig, RigOptions } from '../../../test/kit/agentRig.ts';
import { someone, until } from '../../../test/kit/host.ts';
import { alive, gone, pause } from '../../../test/kit/living.ts';
import type { Agent, TurnContext } from '../../host/agent.ts';
import { attachMeta, attachPrompt } from '../../host/attached.ts';
import type { Session } from '../../host/session.ts';
import type { UserMessage } from '../../model/event.ts';

const rigs: AgentRig[] = [];

afterEach(async () => {
  for (const rig of rigs.splice(0)) {
    await rig.close();
    if (rig.problems.length > 0) throw new Error(`problems were reported: ${JSON.stringify(rig.problems)}`);
  }
});
afterAll(disposeReference);

async function start(options: RigOptions = {}): Promise<{ readonly rig: AgentRig; readonly session: Session }> {
  const rig = await agentRig(options);
  rigs.push(rig);
  return { rig, session: await rig.create() };
}

async function answered(session: Session, text: string): Promise<string> {
  const turn = await prompt(session, text);
  expect(turn.outcome).toEqual({ kind: 'completed' });
  return answerOf(turn);
}

async function shown(session: Session, message: Omit<UserMessage, 'id'>): Promise<{ readonly blocks: unknown; readonly items: readonly string[] }> {
  const id = `turn-${message.text}-${Math.random()}`;
  session.dispatch({ kind: 'startTurn', chat: session.id, turn: id, message: { id: `m-${id}`, ...message } }, someone);
  const turn = await ended(session, id);
  return { blocks: JSON.parse(answerOf(turn)) as unknown, items: brief(turn.items).filter((line) => !line.startsWith('answer')) };
}

describe('what a conversation is set to', () => {
  check('by modes and models alone', ['modes', 'models'], { options: [] });
  check('by config options', ['options'], {
    options: [
      { id: 'effort', name: 'Effort', value: 'low', category: 'thought_level', choices: [{ id: 'low', label: 'LOW' }, { id: 'high', label: 'HIGH' }] },
      { id: 'fast', name: 'Fast', value: false },
    ],
  });

  function check(name: string, offers: readonly ('modes' | 'models' | 'options')[], { options }: { options: readonly object[] }): void {
    test(`${name} is known after the first start, chosen, and followed`, async () => {
      const { rig, session } = await start({ switches: { offers } });
      const changes: string[] = [];
      rig.host.follow(({ kind }) => changes.push(kind));
      expect(rig.host.agents()[0]).toEqual({ id: 'reference', name: 'Reference', description: 'An agent for tests.', models: [], accepts: { systemPrompt: 'append' } });
      expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'ask', model: 'large' });
      expect(rig.host.agents()[0]).toMatchObject({ models: [{ id: 'large' }, { id: 'small' }], modes: [{ id: 'ask' }, { id: 'plan' }], options });
      expect(changes).toContain('agents');
      expect(session.head).toMatchObject({ mode: 'ask', model: 'large' });
      session.dispatch({ kind: 'changeSession', changes: { model: 'small', mode: 'plan', options: { effort: 'high', fast: true, other: 1 } } }, someone);
      expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan', model: 'small', ...(options.length > 0 ? { effort: 'high', fast: true } : {}) });
    });
  }

  test('is taken at once, also between turns', async () => {
    const { session } = await start({ switches: { offers: ['modes'] } });
    await prompt(session, 'say hi');
    session.dispatch({ kind: 'changeSession', changes: { mode: 'plan' } }, someone);
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan' });
  });

  test('may be changed by the agent itself', async () => {
    const { rig, session } = await start({ switches: { offers: ['options'] } });
    await prompt(session, [
      'update {"sessionUpdate":"current_mode_update","currentModeId":"plan"}',
      'update {"sessionUpdate":"session_info_update","title":"Its own title"}',
      'update {"sessionUpdate":"available_commands_update","availableCommands":[{"name":"init","description":"Begins.","input":{"hint":"what"}},{"bad":1}]}',
    ].join('\n'));
    expect(session.state).toMatchObject({ mode: 'plan', title: 'Its own title', notes: { 'agent:reference:commands': [{ name: 'init', description: 'Begins.', hint: 'what' }] } });
    expect(rig.host.agents()[0]?.commands).toEqual([{ name: 'init', description: 'Begins.', hint: 'what' }]);
    const options = [{ id: 'effort', name: 'E', type: 'select', currentValue: 'high', options: [{ value: 'high', name: 'H' }] }];
    await prompt(session, `update ${JSON.stringify({ sessionUpdate: 'config_option_update', configOptions: options })}`);
    expect(session.state.options).toEqual({ effort: 'high' });
  });

  test('cannot be what there is not', async () => {
    const { session } = await start({ switches: { offers: ['modes'] } });
    session.dispatch({ kind: 'changeSession', changes: { mode: 'fly', model: 'huge' } }, someone);
    const turn = await prompt(session, 'say hi');
    expect(brief(turn.items)).toEqual(['warning: Reference has not the mode fly and the model huge.', 'answer: hi\n']);
  });

  test('begins with the mode in which the agent asks', async () => {
    const { session } = await start({ switches: { offers: ['modes'] }, program: { quirks: { mode: 'plan' } } });
    expect(JSON.parse(await answered(session, 'settings'))).toMatchObject({ mode: 'plan' });
    expect(session.state.mode).toBe('plan');
  });
});

describe('a message', () => {
  const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const;
  const text = { type: 'text', label: 'notes', text: 'remember', uri: 'file:///n' } as const;

  test('goes out as rich as the agent takes it', async () => {
    const { session } = await start({ switches: { can: ['images', 'embedded'] } });
    const attachments = [image, text, { type: 'file', path: '/w/a b.ts', lines: { start: 3, end: 5 } }, { type: 'directory', path: '/w/d' }, { type: 'cursor', path: '/w/a', line: 1, character: 2 }, { type: 'link', uri: 'https://x.y/', name: 'X' }] as const;
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
      items: ['warning: Reference cannot take an image; it was told so.'],
      blocks: [{ type: 'text', text: 'show' }, { type: 'text', text: '(The user attached an image, which cannot be passed on to you.)' }, { type: 'text', text: 'notes:\nremember' }],
    });
  });
});

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

describe('files of the workspace', () => {
  check('are read', 'call fs/read_text_file {"path":"ROOT/a.txt"}', '{"content":"one\\ntwo\\n"}');
  check('are read from a line on', 'call fs/read_text_file {"path":"ROOT/a.txt","line":2,"limit":1}', '{"content":"two\\n"}');
  check('are read as far as they go', 'call fs/read_text_file {"path":"ROOT/a.txt","line":1,"limit":1}', '{"content":"one\\n"}');
  check('that are not there are missed', 'call fs/read_text_file {"path":"ROOT/none.txt"}', 'error -32002 Resource not found: ROOT/none.txt');
  check('are written, with the folders above them', 'call fs/write_text_file {"path":"ROOT/new/b.txt","content":"b"}\ncall fs/read_text_file {"path":"ROOT/new/b.txt"}', '{}\n{"content":"b"}');
  check('are written over', 'call fs/write_text_file {"path":"ROOT/a.txt","content":"b"}\ncall fs/read_text_file {"path":"ROOT/a.txt"}', '{}\n{"content":"b"}');
  check('are all there is to read', 'call fs/read_text_file {"path":"/etc/hostname"}', 'error -32602 /etc/hostname is outside the workspace.');
  check('are all there is to write', 'call fs/write_text_file {"path":"ROOT/../x","content":""}', 'error -32602 ROOT/../x is outside the workspace.');
  check('need a path', 'call fs/read_text_file {}', 'error -32602 Invalid params: path: Invalid input: expected string, received undefined');
  check('behind a link are outside', 'shell ln -s /etc out\ncall fs/read_text_file {"path":"ROOT/out/hostname"}', 'Done.\nerror -32602 ROOT/out/hostname is outside the workspace.');

  function check(name: string, text: string, expected: string): void {
    test(`files ${name}`, async () => {
      const { rig, session } = await start();
      expect((await answered(session, text.replaceAll('ROOT', rig.place.root))).replaceAll(rig.place.root, 'ROOT')).toBe(`${expected}\n`);
    });
  }

  test('are not offered to an agent that is better off without', async () => {
    const { session } = await start({ program: { quirks: { files: 'off', terminals: 'off' } } });
    expect(JSON.parse((await answered(session, 'environment CLIENT_CAPABILITIES')).replace('CLIENT_CAPABILITIES=', ''))).toMatchObject({ fs: { readTextFile: false, writeTextFile: false }, terminal: false, elicitation: { form: {}, url: {} } });
  });
});

test('files are as the editor behind the message has them', async () => {
  const { rig, session } = await start();
  const path = join(rig.place.root, 'a.txt');
  const written: string[] = [];
  const id = send(session, `pause 100\ncall fs/read_text_file {"path":"${path}"}\ncall fs/write_text_file {"path":"${path}","content":"new"}\ncall fs/write_text_file {"path":"/etc/x","content":""}`);
  const giveBack = rig.host.workbenches.lend(session.head.chats[session.id]?.active?.message.id ?? '', {
    readText: () => Promise.resolve('not saved yet'),
    writeText: (_, text) => Promise.resolve(void written.push(text)),
  });
  expect(answerOf(await ended(session, id))).toBe('{"content":"not saved yet"}\n{}\nerror -32602 /etc/x is outside the workspace.\n');
  giveBack();
  expect([written, rig.place.tree()['a.txt']]).toEqual([['new'], 'one\ntwo\n']);
});

test('the servers of tools that clients want go to the agent, as far as it takes them', async () => {
  const { rig, session } = await start();
  rig.host.toolServers.give(session.id, [
    { type: 'process', name: 'p', command: '/bin/p', args: ['x'], env: { A: '1' } }, { type: 'http', name: 'h', url: 'http://h', headers: {} },
  ]);
  expect(await answered(session, 'servers')).toBe('[{"name":"p","command":"/bin/p","args":["x"],"env":[{"name":"A","value":"1"}]}]\n');
});

describe('what an agent does through us', () => {
  const write = (path: string) => `call fs/write_text_file {"path":"${path}","content":"new"}`;
  const allowed = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };

  test('is asked about like everything else, and is in the log as a call with its change', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const turn = await prompt(session, `${write(path)}\ncall terminal/create {"command":"sh","args":["-c","echo hi"]}`);
    expect(brief(turn.items).filter((line) => !line.startsWith('answer'))).toEqual([`write_file done [Write ${path}]`, `shell_command done [$ sh -c 'echo hi']`]);
    const [edit] = turn.items;
    expect(edit).toMatchObject({ approval: { option: { effect: 'allow' } }, result: { content: [{ type: 'edit', path, before: 'one\ntwo\n', after: 'new' }] } });
    expect(rig.place.tree()['a.txt']).toBe('new');
  });

  test('is not done where nobody wants it', async () => {
    const { rig, session } = await start();
    const turn = await prompt(session, `${write(join(rig.place.root, 'a.txt'))}\ncall terminal/create {"command":"touch made"}`, { kind: 'declined', reason: 'Not now.' });
    expect(answerOf(turn)).toBe('error -32603 Refused: Not now.\nerror -32603 Refused: Not now.\n');
    expect(rig.place.tree()).toMatchObject({ 'a.txt': 'one\ntwo\n' });
    expect(Object.keys(rig.place.tree())).not.toContain('made');
  });

  test('is not asked about again where its call was approved, but a rule against it holds', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const call = { toolCallId: 'c', title: 'Edit', kind: 'edit', locations: [{ path }] };
    const asking = `call session/request_permission ${JSON.stringify({ toolCall: call, options: [allowed] })}`;
    const turn = await prompt(session, `${asking}\n${write(path)}\n${write(join(rig.place.root, 'b.txt'))}`);
    expect(brief(turn.items).filter((line) => line.includes('['))).toEqual([expect.stringMatching(/^edit .*\[Edit\]$/), `write_file done [Write ${join(rig.place.root, 'b.txt')}]`]);
    session.dispatch({ kind: 'changeSession', changes: { rules: [{ id: 'r', effect: 'deny', tool: 'write_file' }] } }, someone);
    expect(answerOf(await prompt(session, write(path)))).toMatch(/^error -32603 Refused: Refused by the rule/);
  });
});

describe('a word in between', () => {
  const add = (session: Session, text: string) => session.dispatch({ kind: 'queueMessage', lane: 'steer', chat: session.id, turn: `t-${text}`, message: { id: `s-${text}`, text } }, someone);

  test('goes to an agent that can take it, and with the next message where it does not', async () => {
    const { session } = await start({ switches: { can: ['steering'] } });
    const id = send(session, 'say Begun.\npause 600\nsay Done.');
    await until(session, () => JSON.stringify(chatOf(session).active?.items ?? []).includes('Begun.'));
    add(session, 'left');
    add(session, 'refuse');
    const turn = await ended(session, id);
    expect(answerOf(turn)).toMatch(/Begun\.\n[^]*steered by left[^]*Done\./);
    expect(brief(turn.items)).toContain('warning: Reference did not take what was added (Not now.); it is told with the next message.');
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'The user has added this while you were at work:' }, { type: 'text', text: 'refuse' }, { type: 'text', text: 'show' }]);
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
    session.dispatch(attachMeta({ tag: 'blue' }), someone);
    session.dispatch(attachPrompt({ mode: 'append', text: 'Be brief.' }), someone);
  };

  test('goes to the agent when the conversation is made', async () => {
    const { session } = await start({ switches: { can: ['systemPrompt'] } });
    attach(session);
    expect(JSON.parse(await answered(session, 'given'))).toEqual({ _meta: { tag: 'blue' }, systemPrompt: { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] } });
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'show' }]);
  });

  test('comes with the first message where the agent has no place for instructions', async () => {
    const { session } = await start();
    attach(session);
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'Instructions for this whole conversation:\n\nBe brief.' }, { type: 'text', text: 'show' }]);
    expect((await shown(session, { text: 'show' })).blocks).toEqual([{ type: 'text', text: 'show' }]);
    expect(JSON.parse(await answered(session, 'given'))).toEqual({ _meta: { tag: 'blue' } });
  });
});

describe('terminals', () => {
  test('run, print, end and are released; what was printed stays with the call', async () => {
    const { session } = await start();
    const first = await answered(session, 'call terminal/create {"command":"printf %s","args":[],"outputByteLimit":5}');
    expect(first).toMatch(/^\{"terminalId":"id-\d+"\}\n$/);
    const { terminalId } = JSON.parse(await answered(session, 'call terminal/create {"command":"sh","args":["-c","printf aäöüb; echo err >&2; exit 3"],"env":[{"name":"A","value":"1"}],"outputByteLimit":9}')) as { terminalId: string };
    const about = JSON.stringify({ terminalId });
    const turn = await prompt(session, [
      `call terminal/wait_for_exit ${about}`, `call terminal/output ${about}`,
      `update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"${terminalId}"},{"type":"terminal","terminalId":"old"}]}`,
      `call terminal/release ${about}`, `call terminal/output ${about}`,
      'update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}',
    ].join('\n'));
    expect(answerOf(turn)).toBe([
      '{"exitCode":3,"signal":null}', '{"output":"öüberr\\n","truncated":true,"exitStatus":{"exitCode":3,"signal":null}}', '{}', `error -32002 There is no terminal ${terminalId}.`, '',
    ].join('\n'));
    expect(turn.items.find((item) => item.type === 'tool')).toMatchObject({
      output: 'öüberr\n',
      result: { status: 'done', content: [{ type: 'terminal', terminal: terminalId, title: 'sh -c printf aäöüb; echo err >&2; exit 3' }, { type: 'text', text: '```\nöüberr\n```' }, { type: 'terminal', terminal: 'old', title: 'Terminal' }] },
    });
  });

  test('print while they run, and are killed', async () => {
    const { session } = await start();
    const { terminalId } = JSON.parse(await answered(session, 'call terminal/create {"command":"echo on; exec sleep 300"}')) as { terminalId: string };
    const id = send(session, [
      `update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","status":"in_progress","content":[{"type":"terminal","terminalId":"${terminalId}"}]}`,
      'pause 200', `call terminal/kill {"terminalId":"${terminalId}"}`, `call terminal/output {"terminalId":"${terminalId}"}`,
    ].join('\n'));
    await until(session, () => chatOf(session).active?.items.some((item) => item.type === 'tool' && item.output === 'on\n') ?? false);
    expect(answerOf(await ended(session, id))).toBe('{}\n{"output":"on\\n","truncated":false,"exitStatus":{"exitCode":null,"signal":"SIGHUP"}}\n');
  });

  test('of a stopped turn end with it', async () => {
    const { rig, session } = await start();
    send(session, 'call terminal/create {"command":"echo $$ > pid; exec sleep 300"}\nhang');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    session.dispatch({ kind: 'answer', chat: session.id, ask: Object.keys(chatOf(session).asks)[0] ?? '', answer: { kind: 'option', option: 'allow' } }, someone);
    while (!existsSync(join(rig.place.root, 'pid')) || rig.place.tree()['pid'] === '') await pause(10);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, someone);
    await prompt(session, 'say hi');
    const pid = Number(rig.place.tree()['pid']);
    await gone(pid);
    expect(alive(pid)).toBe(false);
  });

  check('need a folder', 'call terminal/create {"command":"ls","cwd":"/no/such"}', 'error -32602 /no/such is not a directory.');
  check('that cannot start say so', 'call terminal/create {"command":"/no/such/program","args":["x"]}\npause 50', expect.stringMatching(/^\{"terminalId"/));
  check('must exist', 'call terminal/output {"terminalId":"x"}', 'error -32002 There is no terminal x.');

  function check(name: string, text: string, expected: unknown): void {
    test(`terminals ${name}`, async () => {
      const { session } = await start();
      expect((await answered(session, text)).trimEnd()).toEqual(expected);
    });
  }
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

describe('one program serves a session', () => {
  test('with all its chats, and another session has its own', async () => {
    const { rig, session } = await start();
    session.dispatch({ kind: 'createChat', chat: 'second', origin: { type: 'user' } }, someone);
    const first = await answered(session, 'process');
    session.dispatch({ kind: 'startTurn', chat: 'second', turn: 's1', message: { id: 's1', text: 'process' } }, someone);
    await until(session, ({ chats }) => chats['second']?.turns.length === 1);
    expect(answerOf(session.state.chats['second']?.turns[0] ?? { items: [] })).toBe(first);
    expect(await answered(await rig.create(), 'process')).not.toBe(first);
  });

  test('and is let go when it rests, if it can be found again', async () => {
    const { session } = await start({ switches: { can: ['resume'] }, times: { idle: 50 } });
    const before = await answered(session, 'process');
    await pause(400);
    const turn = await prompt(session, 'process');
    expect([answerOf(turn) === before, brief(turn.items)[0]]).toEqual([false, 'info: Reference was started again and continues its conversation.']);
    expect(await answered(session, 'memory')).toBe('I remember 2.\n');
  });

  test('with little of our environment', async () => {
    process.env['PARLEY_TEST_SECRET'] = 'secret';
    process.env['ANSWER_KEY'] = 'given';
    const { session } = await start();
    expect(await answered(session, 'environment PARLEY_TEST_SECRET\nenvironment ANSWER_KEY')).toBe('PARLEY_TEST_SECRET=nothing\nANSWER_KEY=given\n');
    delete process.env['PARLEY_TEST_SECRET'];
    delete process.env['ANSWER_KEY'];
  });
});

describe('the history', () => {
  test('is handed over to an agent that takes over, and back again', async () => {
    const other: Agent = {
      info: { id: 'other', name: 'Other', description: '', models: [] },
      open: () => Promise.resolve({ ref: 'o', close: () => Promise.resolve(), prompt: (turn: TurnContext) => {
        turn.report({ kind: 'text.added', item: 'o', channel: 'answer', text: `I know ${turn.history.length} turns, the last said ${turn.history.at(-1)?.message.text}` });
        return Promise.resolve({ kind: 'completed' });
      } }),
    };
    const { session } = await start({ others: () => [other] });
    await prompt(session, 'say The word is mango');
    session.dispatch({ kind: 'changeSession', changes: { agent: 'other' } }, someone);
    const theirs = await prompt(session, 'what was said?');
    expect(brief(theirs.items)).toEqual(['info: Other takes over from Reference and was given the turn before this one.', 'answer: I know 1 turns, the last said say The word is mango']);
    session.dispatch({ kind: 'changeSession', changes: { agent: 'reference' } }, someone);
    const back = await prompt(session, 'show');
    expect(brief(back.items).slice(0, 2)).toEqual([
      'info: Reference takes over from other.', 'info: Reference does not remember this conversation. It was given all 2 turns before this one as text, with the output of tools cut short.',
    ]);
    expect(answerOf(back)).toContain('The word is mango');
    expect(answerOf(back)).toContain('what was said?');
  });

  test('that was cut short is all the agent knows', async () => {
    const { session } = await start({ switches: { can: ['resume', 'close'] } });
    await prompt(session, 'say one');
    await prompt(session, 'say two');
    session.dispatch({ kind: 'truncateChat', chat: session.id, after: chatOf(session).turns[0]?.id ?? '' }, someone);
    const turn = await prompt(session, 'show');
    expect(answerOf(turn)).toContain('Assistant: one');
    expect(answerOf(turn)).not.toContain('two');
    expect(await answered(session, 'memory')).toBe('I remember 1.\n');
  });

  test('is copied by an agent that can', async () => {
    const { session } = await start({ switches: { can: ['fork'] } });
    await prompt(session, 'say one');
    session.dispatch({ kind: 'createChat', chat: 'fork', origin: { type: 'fork', chat: session.id, turn: chatOf(session).turns[0]?.id ?? '' } }, someone);
    session.dispatch({ kind: 'startTurn', chat: 'fork', turn: 'f1', message: { id: 'f1', text: 'memory' } }, someone);
    await until(session, ({ chats }) => chats['fork']?.turns.length === 1);
    expect(answerOf(session.state.chats['fork']?.turns[0] ?? { items: [] })).toBe('I remember 1.\n');
  });

  test('waits while a command comes first', async () => {
    const { session } = await start();
    await prompt(session, 'say mango');
    await prompt(session, 'crash');
    const command = await prompt(session, '/init');
    expect(answerOf(command)).toBe('You said: /init ');
    expect(answerOf(await prompt(session, 'show'))).toContain('mango');
  });

  test('of a removed session is forgotten by the agent, too', async () => {
    const { rig, session } = await start({ switches: { can: ['delete'] } });
    await prompt(session, 'say one');
    const folder = join(rig.place.root, '.reference');
    expect(readdirSync(folder)).toHaveLength(1);
    await rig.host.remove(session.id);
    expect(readdirSync(folder)).toHaveLength(0);
  });
});

test('what a turn used is counted, and what it cost is what it added', async () => {
  const { session } = await start();
  await prompt(session, 'update {"sessionUpdate":"usage_update","used":10,"size":100,"cost":{"amount":1.5,"currency":"USD"}}');
  const turn = await prompt(session, 'update {"sessionUpdate":"usage_update","used":20,"size":100,"cost":{"amount":2,"currency":"USD"}}\nstop max_tokens');
  expect([turn.usage, turn.outcome]).toEqual([{ context: { used: 20, size: 100 }, cost: 0.5 }, { kind: 'completed', stop: 'length' }]);
});

describe('a turn ends as the agent says', () => {
  check('max_turn_requests', { kind: 'completed', stop: 'steps' });
  check('refusal', { kind: 'completed', stop: 'refusal' });
  check('cancelled', { kind: 'cancelled' });
  check('something_new', { kind: 'completed' });

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
  const session = rig.host.create({ roots }, someone);
  if ('rejected' in session) throw new Error(session.message);
  await session.settled();
  expect(await answered(session, 'folders')).toBe(`${roots.join(' ')}\n`);
});
