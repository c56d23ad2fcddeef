// The files that an agent reads and writes through us.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, brief, ended, prompt, send } from '../../../../test/kit/agentRig.ts';
import { answered, start } from '../../../../test/kit/agentStart.ts';
import { testClient } from '../../../../test/kit/host.ts';

describe('files of the workspace', () => {
  check('are read', 'call fs/read_text_file {"path":"ROOT/a.txt"}', '{"content":"one\\ntwo\\n"}');
  check(
    'are read from a line on',
    'call fs/read_text_file {"path":"ROOT/a.txt","line":2,"limit":1}',
    '{"content":"two\\n"}',
  );
  check(
    'are read as far as they go',
    'call fs/read_text_file {"path":"ROOT/a.txt","line":1,"limit":1}',
    '{"content":"one\\n"}',
  );
  check(
    'that are not there are missed',
    'call fs/read_text_file {"path":"ROOT/none.txt"}',
    'error -32002 Resource not found: ROOT/none.txt',
  );
  check(
    'are written, with the folders above them',
    'call fs/write_text_file {"path":"ROOT/new/b.txt","content":"b"}\ncall fs/read_text_file {"path":"ROOT/new/b.txt"}',
    '{}\n{"content":"b"}',
  );
  check(
    'are written over',
    'call fs/write_text_file {"path":"ROOT/a.txt","content":"b"}\ncall fs/read_text_file {"path":"ROOT/a.txt"}',
    '{}\n{"content":"b"}',
  );
  check(
    'are all there is to read',
    'call fs/read_text_file {"path":"/etc/hostname"}',
    'error -32602 /etc/hostname is outside the workspace.',
  );
  check(
    'are all there is to write',
    'call fs/write_text_file {"path":"ROOT/../x","content":""}',
    'error -32602 ROOT/../x is outside the workspace.',
  );
  check(
    'need a path',
    'call fs/read_text_file {}',
    'error -32602 Invalid params: path: Invalid input: expected string, received undefined',
  );
  check(
    'behind a link are outside',
    'shell ln -s /etc out\ncall fs/read_text_file {"path":"ROOT/out/hostname"}',
    'Done.\nerror -32602 ROOT/out/hostname is outside the workspace.',
  );

  function check(name: string, text: string, expected: string): void {
    test(`files ${name}`, async () => {
      const { rig, session } = await start();
      expect(
        (await answered(session, text.replaceAll('ROOT', rig.place.root))).replaceAll(rig.place.root, 'ROOT'),
      ).toBe(`${expected}\n`);
    });
  }

  test('are not offered to an agent that is better off without', async () => {
    const { session } = await start({ program: { quirks: { files: 'off', terminals: 'off' } } });
    expect(
      JSON.parse(
        (await answered(session, 'environment CLIENT_CAPABILITIES')).replace('CLIENT_CAPABILITIES=', ''),
      ),
    ).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {}, url: {} },
    });
  });
});

test('files are as the editor behind the message has them', async () => {
  const { rig, session } = await start();
  const path = join(rig.place.root, 'a.txt');
  const written: string[] = [];
  const id = send(
    session,
    `pause 100\ncall fs/read_text_file {"path":"${path}"}\ncall fs/write_text_file {"path":"${path}","content":"new"}\ncall fs/write_text_file {"path":"/etc/x","content":""}`,
  );
  const release = rig.host.workbenches.lend(session.head.chats[session.id]?.active?.message.id ?? '', {
    readText: () => Promise.resolve('not saved yet'),
    writeText: (_, text) => Promise.resolve(void written.push(text)),
  });
  expect(answerOf(await ended(session, id))).toBe(
    '{"content":"not saved yet"}\n{}\nerror -32602 /etc/x is outside the workspace.\n',
  );
  release();
  expect([written, rig.place.tree()['a.txt']]).toEqual([['new'], 'one\ntwo\n']);
});

describe('what an agent does through us', () => {
  const write = (path: string) => `call fs/write_text_file {"path":"${path}","content":"new"}`;
  const allowed = { optionId: 'yes', name: 'Yes', kind: 'allow_once' };

  test('is asked about like everything else, and is in the log as a call with its change', async () => {
    const { rig, session } = await start();
    const path = join(rig.place.root, 'a.txt');
    const turn = await prompt(
      session,
      `${write(path)}\ncall terminal/create {"command":"sh","args":["-c","echo hi"]}`,
    );
    expect(brief(turn.items).filter((line) => !line.startsWith('answer'))).toEqual([
      `write_file done [Write ${path}]`,
      `shell_command done [$ sh -c 'echo hi']`,
    ]);
    const [edit] = turn.items;
    expect(edit).toMatchObject({
      approval: { option: { effect: 'allow' } },
      result: { content: [{ type: 'edit', path, before: 'one\ntwo\n', after: 'new' }] },
    });
    expect(rig.place.tree()['a.txt']).toBe('new');
  });

  test('is not done where nobody wants it', async () => {
    const { rig, session } = await start();
    const turn = await prompt(
      session,
      `${write(join(rig.place.root, 'a.txt'))}\ncall terminal/create {"command":"touch made"}`,
      { kind: 'declined', reason: 'Not now.' },
    );
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
    expect(brief(turn.items).filter((line) => line.includes('['))).toEqual([
      expect.stringMatching(/^edit .*\[Edit\]$/),
      `write_file done [Write ${join(rig.place.root, 'b.txt')}]`,
    ]);
    session.dispatch(
      { kind: 'changeSession', changes: { rules: [{ id: 'r', effect: 'deny', tool: 'write_file' }] } },
      testClient,
    );
    expect(answerOf(await prompt(session, write(path)))).toMatch(
      /^error -32603 Refused: Refused by the rule/,
    );
  });
});

test('files of secrets are asked about, what a rule denies is not read, and other reads leave no trace', async () => {
  const { rig, session } = await start();
  rig.place.put({ '.env': 'KEY=1\n', 'deny.txt': 'no\n' });
  const rules = [{ id: 'r', effect: 'deny' as const, tool: '*', paths: ['deny.txt'] }];
  session.dispatch({ kind: 'changeSession', changes: { rules } }, testClient);
  const read = (name: string) => `call fs/read_text_file {"path":"${join(rig.place.root, name)}"}`;
  const text = [read('a.txt'), read('.env'), read('deny.txt')].join('\n');
  const turn = await prompt(session, text);
  expect(answerOf(turn)).toBe(
    '{"content":"one\\ntwo\\n"}\n{"content":"KEY=1\\n"}\n' +
      'error -32603 Refused: Refused by the rule "deny *: deny.txt".\n',
  );
  expect(brief(turn.items).filter((line) => line.includes('['))).toEqual([
    `read_file done [Read ${join(rig.place.root, '.env')}]`,
    expect.stringContaining(`[Read ${join(rig.place.root, 'deny.txt')}]`),
  ]);
  const refused = await prompt(session, read('.env'), { kind: 'declined', reason: 'No.' });
  expect(answerOf(refused)).toBe('error -32603 Refused: No.\n');
});

test('a rule for a command does not cover other variables or another folder', async () => {
  const { session } = await start();
  const rules = ['git', 'ls'].map((id) => ({ id, effect: 'allow' as const, tool: '*', command: [id, '*'] }));
  session.dispatch({ kind: 'changeSession', changes: { rules } }, testClient);
  const create = (more: object) => `call terminal/create ${JSON.stringify({ args: [], ...more })}`;
  const turn = await prompt(
    session,
    [
      create({ command: 'ls', args: ['-l'] }),
      create({ command: 'ls', args: ['-l'], cwd: '/' }),
      create({ command: 'git', args: ['status'], env: [{ name: 'PATH', value: 'evil' }] }),
    ].join('\n'),
    { kind: 'declined', reason: 'No.' },
  );
  expect(answerOf(turn)).toMatch(/^\{"terminalId":"[^"]+"\}\n(?:error -32603 Refused: No\.\n){2}$/);
  expect(brief(turn.items).filter((line) => line.includes('['))).toEqual([
    'shell_command done [$ ls -l]',
    expect.stringContaining('[$ ls -l (in /)]'),
    expect.stringContaining('[$ env PATH=evil git status]'),
  ]);
});

test('files are as whichever attached editor has them unsaved', async () => {
  const { rig, session } = await start();
  const path = join(rig.place.root, 'a.txt');
  const written: string[] = [];
  const saved = {
    readText: () => Promise.resolve('one\ntwo\n'),
    writeText: (_: string, text: string) => Promise.resolve(void written.push(`saved ${text}`)),
  };
  const unsaved = {
    readText: () => Promise.resolve('not saved yet'),
    writeText: (_: string, text: string) => Promise.resolve(void written.push(`unsaved ${text}`)),
  };
  const deaf = { readText: () => new Promise<string>(() => {}) };
  const leave = [deaf, saved, unsaved].map((bench) => rig.host.workbenches.attach(session.id, bench));
  const text = `call fs/read_text_file {"path":"${path}"}\ncall fs/write_text_file {"path":"${path}","content":"new"}`;
  expect(await answered(session, text)).toBe('{"content":"not saved yet"}\n{}\n');
  expect([written, rig.place.tree()['a.txt']]).toEqual([['unsaved new'], 'one\ntwo\n']);
  leave.forEach((each) => each());
  expect(await answered(session, text)).toBe('{"content":"one\\ntwo\\n"}\n{}\n');
  expect([written.length, rig.place.tree()['a.txt']]).toEqual([1, 'new']);
});
