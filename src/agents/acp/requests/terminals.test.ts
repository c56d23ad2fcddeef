// The terminals that an agent runs through us.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerOf, chatOf, ended, prompt, send } from '../../../../test/kit/agentRig.ts';
import { answered, start } from '../../../../test/kit/agentStart.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import { alive, untilGone, pause } from '../../../../test/kit/living.ts';

describe('terminals', () => {
  test('are terminals of the chat, seen and used by everybody while they run', async () => {
    const { rig, session } = await start();
    const id = send(session, 'call terminal/create {"command":"cat","args":["-u"]}\nhang');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    session.dispatch(
      {
        kind: 'answer',
        chat: session.id,
        ask: Object.keys(chatOf(session).asks)[0] ?? '',
        answer: { kind: 'option', option: 'allow' },
      },
      testClient,
    );
    while (rig.terminals.list().length === 0) await pause(5);
    const [terminal] = rig.terminals.list();
    expect(terminal).toMatchObject({
      title: 'cat -u',
      owner: { kind: 'session', session: session.id, chat: session.id, turn: id },
      lifecycle: { status: 'running' },
    });
    await until(
      session,
      () =>
        chatOf(session).active?.items.some((item) => item.type === 'tool' && item.result !== undefined) ??
        false,
    );
    expect(chatOf(session).active?.items[0]).toMatchObject({
      name: 'shell_command',
      result: { status: 'done', content: [{ type: 'terminal', terminal: terminal?.id }] },
    });
    expect(terminal?.write('typed by somebody\r', { kind: 'client', client: 'anybody' })).toBeUndefined();
    while (!terminal?.text.text.includes('typed by somebody\r\ntyped')) await pause(5);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await terminal?.ended;
  });

  test('have the environment of the agent, but for its screen', async () => {
    const env = { GIVEN: 'agent', OTHER: 'agent', TERM: 'xterm', PAGER: 'less', GIT_PAGER: 'less' };
    const { session } = await start({ program: { env } });
    const asked = '"env":[{"name":"OTHER","value":"call"}]';
    const line = 'echo $GIVEN $OTHER $TERM $PAGER $GIT_PAGER';
    const started = await answered(session, `call terminal/create {"command":"${line}","args":[],${asked}}`);
    const about = JSON.stringify(JSON.parse(started));
    await answered(session, `call terminal/wait_for_exit ${about}`);
    expect(await answered(session, `call terminal/output ${about}`)).toContain('agent call dumb cat cat');
  });

  test('run, print, end and are released; what was printed stays with the call', async () => {
    const { session } = await start();
    const first = await answered(
      session,
      'call terminal/create {"command":"printf %s","args":[],"outputByteLimit":5}',
    );
    expect(first).toMatch(/^\{"terminalId":"id-\d+"\}\n$/);
    const { terminalId } = JSON.parse(
      await answered(
        session,
        'call terminal/create {"command":"sh","args":["-c","printf aäöüb; echo err >&2; exit 3"],"env":[{"name":"A","value":"1"}],"outputByteLimit":9}',
      ),
    ) as { terminalId: string };
    const about = JSON.stringify({ terminalId });
    const turn = await prompt(
      session,
      [
        `call terminal/wait_for_exit ${about}`,
        `call terminal/output ${about}`,
        `update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","kind":"execute","status":"in_progress","content":[{"type":"terminal","terminalId":"${terminalId}"},{"type":"terminal","terminalId":"old"}]}`,
        `call terminal/release ${about}`,
        `call terminal/output ${about}`,
        'update {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}',
      ].join('\n'),
    );
    expect(answerOf(turn)).toBe(
      [
        '{"exitCode":3,"signal":null}',
        '{"output":"öüberr\\n","truncated":true,"exitStatus":{"exitCode":3,"signal":null}}',
        '{}',
        `error -32002 There is no terminal ${terminalId}.`,
        '',
      ].join('\n'),
    );
    expect(turn.items.find((item) => item.type === 'tool')).toMatchObject({
      output: 'öüberr\n',
      result: {
        status: 'done',
        content: [
          { type: 'terminal', terminal: terminalId, title: 'sh -c printf aäöüb; echo err >&2; exit 3' },
          { type: 'text', text: '```\nöüberr\n```' },
          { type: 'terminal', terminal: 'old', title: 'Terminal' },
        ],
      },
    });
  });

  test('print while they run, and are killed', async () => {
    const { session } = await start();
    const { terminalId } = JSON.parse(
      await answered(session, 'call terminal/create {"command":"echo on; exec sleep 300"}'),
    ) as { terminalId: string };
    const id = send(
      session,
      [
        `update {"sessionUpdate":"tool_call","toolCallId":"c","title":"Run","status":"in_progress","content":[{"type":"terminal","terminalId":"${terminalId}"}]}`,
        'pause 200',
        `call terminal/kill {"terminalId":"${terminalId}"}`,
        `call terminal/output {"terminalId":"${terminalId}"}`,
      ].join('\n'),
    );
    await until(
      session,
      () =>
        chatOf(session).active?.items.some((item) => item.type === 'tool' && item.output === 'on\n') ?? false,
    );
    expect(answerOf(await ended(session, id))).toBe(
      '{}\n{"output":"on\\n","truncated":false,"exitStatus":{"exitCode":null,"signal":"SIGHUP"}}\n',
    );
  });

  test('of a stopped turn end with it', async () => {
    const { rig, session } = await start();
    send(session, 'call terminal/create {"command":"echo $$ > pid; exec sleep 300"}\nhang');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    session.dispatch(
      {
        kind: 'answer',
        chat: session.id,
        ask: Object.keys(chatOf(session).asks)[0] ?? '',
        answer: { kind: 'option', option: 'allow' },
      },
      testClient,
    );
    while (!existsSync(join(rig.place.root, 'pid')) || rig.place.tree()['pid'] === '') await pause(10);
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await prompt(session, 'say hi');
    const pid = Number(rig.place.tree()['pid']);
    await untilGone(pid);
    expect(alive(pid)).toBe(false);
  });

  check(
    'need a folder',
    'call terminal/create {"command":"ls","cwd":"/no/such"}',
    'error -32602 /no/such is not a directory.',
  );
  check(
    'that cannot start say so',
    'call terminal/create {"command":"/no/such/program","args":["x"]}\npause 50',
    expect.stringMatching(/^\{"terminalId"/),
  );
  check('must exist', 'call terminal/output {"terminalId":"x"}', 'error -32002 There is no terminal x.');

  function check(name: string, text: string, expected: unknown): void {
    test(`terminals ${name}`, async () => {
      const { session } = await start();
      expect((await answered(session, text)).trimEnd()).toEqual(expected);
    });
  }
});
