// What a back end can do wrong, with a real process: it dies, hangs, floods, babbles, asks twice, answers
// late, and speaks out of turn.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../src/host/session/session.ts';
import { agentRig, answerOf, brief, chatOf, ended, prompt, send } from '../kit/agentRig.ts';
import type { RigOptions } from '../kit/agentRig.ts';
import { start } from '../kit/agentStart.ts';
import { testClient, until } from '../kit/host.ts';
import { alive, untilGone, pause } from '../kit/living.ts';
import { eventually } from '../kit/patience.ts';
import { expectWithin } from '../kit/timeLimit.ts';

async function pidOf(session: Session): Promise<number> {
  return Number(/pid (\d+)/.exec(answerOf(await prompt(session, 'process')))?.[1]);
}

function stop(session: Session): void {
  expect(session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'next' }, testClient)).toBeUndefined();
}

const texts = (session: Session) => chatOf(session).active?.items.length ?? 0;

describe('an agent that dies in the middle of a turn', () => {
  test('fails the turn within a second and loses no word; the next message finds it again', async () => {
    const { rig, session } = await start({ switches: { can: ['resume'] } });
    const pid = await pidOf(session);
    const id = send(session, 'say Before the end\nhang');
    await until(session, () => texts(session) > 0);
    const killed = performance.now();
    process.kill(pid, 'SIGKILL');
    const turn = await ended(session, id);
    await expectWithin(1_000, killed);
    expect([turn.outcome, brief(turn.items)]).toEqual([
      {
        kind: 'failed',
        problem: { code: 'agent-crashed', message: 'Reference ended unexpectedly (signal SIGKILL).' },
      },
      ['answer: Before the end\n'],
    ]);
    const next = await prompt(session, 'memory');
    expect(brief(next.items)).toEqual([
      'info: Reference was restarted and continues its conversation.',
      'answer: I remember 1.\n',
    ]);
    expect(rig.problems).toEqual([]);
  });

  test('says what it complained about last', async () => {
    const { session } = await start();
    const turn = await prompt(session, 'say a\ncrash 7');
    expect(turn.outcome).toMatchObject({
      problem: { code: 'agent-crashed', message: 'Reference ended unexpectedly (exit code 7).' },
    });
  });

  test('does not make us wait for processes it leaves behind, and those end, too', async () => {
    const { session } = await start();
    const id = send(session, 'leave child\nsay On\ncrash');
    const started = performance.now();
    const turn = await ended(session, id);
    expect(turn.outcome.kind).toBe('failed');
    await expectWithin(3_000, started);
  });

  test('and has nothing to remember begins anew with what was said so far', async () => {
    const { session } = await start();
    await prompt(session, 'say The word is mango');
    await prompt(session, 'crash');
    const turn = await prompt(session, 'show');
    expect(brief(turn.items).slice(0, 2)).toEqual([
      'warning: Reference could not continue its conversation (it cannot continue earlier ' +
        'conversations) and starts a new one.',
      'info: Reference does not remember this conversation. It was given all 2 turns before this one as ' +
        'text, with the output of tools cut short.',
    ]);
    const [past, message] = JSON.parse(answerOf(turn)) as { text: string }[];
    expect(past?.text).toContain('Assistant: The word is mango');
    expect(message?.text).toBe('show');
    expect(answerOf(await prompt(session, 'show'))).not.toContain('mango');
  });

  test('and cannot find its conversation again begins anew and says why', async () => {
    const { session } = await start({ switches: { can: ['resume', 'load'], quirks: ['forgets'] } });
    await prompt(session, 'say The word is mango');
    await prompt(session, 'crash');
    const turn = await prompt(session, 'show');
    expect(brief(turn.items)[0]).toBe(
      'warning: Reference could not continue its conversation (No such conversation; No such ' +
        'conversation) and starts a new one.',
    );
    expect(answerOf(turn)).toContain('mango');
  });

  test('again and again is not started a sixth time', async () => {
    const { session } = await start({ switches: { can: ['resume'] } });
    for (let count = 0; count < 5; count += 1) await prompt(session, 'crash');
    const turn = await prompt(session, 'say hi');
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'agent-crashing',
        message:
          'Reference has failed 5 times within 3 minutes and is not started again for now. Try it with ' +
          '"parley agents test reference", then send your message again in 3 minutes.',
      },
    });
  });
});

describe('an agent that dies between turns', () => {
  test('is started again for a message that comes at once, also while others hold its pipes', async () => {
    const { rig, session } = await start({ switches: { can: ['resume'] } });
    const pid = Number(/pid (\d+)/.exec(answerOf(await prompt(session, 'leave child\nprocess')))?.[1]);
    process.kill(pid, 'SIGKILL');
    await untilGone(pid);
    const turn = await prompt(session, 'memory');
    expect([turn.outcome, brief(turn.items)]).toEqual([
      { kind: 'completed' },
      ['info: Reference was restarted and continues its conversation.', 'answer: I remember 1.\n'],
    ]);
    expect(rig.problems).toEqual([]);
  });
});

describe('an agent that has lost its conversation', () => {
  test('and can take it up again does so with the next message', async () => {
    const { session } = await start({ switches: { can: ['resume'] } });
    await prompt(session, 'lose');
    expect((await prompt(session, 'say hi')).outcome).toMatchObject({
      kind: 'failed',
      problem: { message: 'Session not found' },
    });
    expect(brief((await prompt(session, 'memory')).items)).toEqual(['answer: I remember 1.\n']);
  });

  test('and cannot begins a new one, and is told the old', async () => {
    const { session } = await start();
    await prompt(session, 'say mango\nlose');
    await prompt(session, 'say hi');
    expect(answerOf(await prompt(session, 'show'))).toContain('mango');
  });
});

test('a question on the way to a conversation is asked, and two chats start one program', async () => {
  const { rig, session } = await start({ switches: { start: 'form' } });
  session.dispatch({ kind: 'createChat', chat: 'second', origin: { type: 'user' } }, testClient);
  const id = send(session, 'process');
  session.dispatch(
    { kind: 'startTurn', chat: 'second', turn: 'other', message: { id: 'other', text: 'process' } },
    testClient,
  );
  const answerAll = async () => {
    for (const chat of [session.id, 'second']) {
      for (const ask of Object.keys(session.state.chats[chat]?.asks ?? {}))
        session.dispatch(
          { kind: 'answer', chat, ask, answer: { kind: 'fields', values: { name: 'me' } } },
          testClient,
        );
    }
    await session.settled();
  };
  while (
    !chatOf(session).turns.some((turn) => turn.id === id) ||
    session.state.chats['second']?.turns.length !== 1
  ) {
    await answerAll();
    await pause(10);
  }
  const [one, two] = [chatOf(session).turns[0], session.state.chats['second']?.turns[0]];
  expect(answerOf(one ?? { items: [] })).toMatch(/^pid \d+\n$/);
  expect(answerOf(one ?? { items: [] })).toBe(answerOf(two ?? { items: [] }));
  // The agent does not say for which of the two it asks.
  const asked = [...(one?.items ?? []), ...(two?.items ?? [])].flatMap((item) =>
    item.type === 'ask' && item.ask.kind === 'question' ? [item.ask.message] : [],
  );
  expect(asked).toEqual(['Reference asks: Who are you?', 'Reference asks: Who are you?']);
  expect(rig.problems).toEqual([]);
});

describe('an agent that replays its past', () => {
  test('adds nothing to the log that is there already', async () => {
    const { rig, session } = await start({
      switches: { can: ['load'], quirks: ['replays-slowly', 'answers-null'] },
    });
    await prompt(session, 'say one');
    await prompt(session, 'say two');
    await prompt(session, 'crash');
    const before = chatOf(session).turns.map(({ items }) => items);
    const turn = await prompt(session, 'memory');
    expect(brief(turn.items)).toEqual([expect.stringContaining('was restarted'), 'answer: I remember 2.\n']);
    expect(
      chatOf(session)
        .turns.slice(0, -1)
        .map(({ items }) => items),
    ).toEqual(before);
    expect(rig.problems).toEqual([]);
  });

  test('also after the host was started again', async () => {
    const { rig, session } = await start({ switches: { can: ['load', 'close'] } });
    await prompt(session, 'say one');
    await rig.host.close();
    const again = await agentRig({
      switches: { can: ['load', 'close'] },
      store: rig.store,
      place: rig.place,
    });
    const reopened = await again.host.open(session.id);
    if ('rejected' in reopened) throw new Error(reopened.message);
    expect(brief((await prompt(reopened, 'memory')).items)).toEqual(['answer: I remember 1.\n']);
    await again.close();
  });
});

describe('an agent that hangs', () => {
  test('is noticed, and a stop that it ignores is over in two seconds', async () => {
    const { session } = await start({
      switches: { can: ['resume'], quirks: ['ignores-cancel', 'ignores-end'] },
      times: { quiet: 300, cancel: 300 },
      program: { quirks: { end: 'ignored' } },
    });
    const pid = await pidOf(session);
    const hung = send(session, 'say Hm\nhang');
    await until(session, () => texts(session) > 1);
    expect(brief(chatOf(session).active?.items ?? []).slice(0, 2)).toEqual([
      'answer: Hm\n',
      expect.stringMatching(/^warning: Reference has sent nothing for a second/),
    ]);
    const stopped = performance.now();
    stop(session);
    expect((await ended(session, hung)).outcome).toEqual({ kind: 'cancelled' });
    await expectWithin(2_000, stopped);
    const next = await prompt(session, 'memory');
    await expectWithin(8_000, stopped);
    expect(brief(next.items).filter((line) => !line.startsWith('warning'))).toEqual([
      'info: Reference was restarted and continues its conversation.',
      'answer: I remember 1.\n',
    ]);
    await untilGone(pid);
  });

  test('is not accused while it waits for a human', async () => {
    const { session } = await start({ times: { quiet: 40 } });
    const id = send(session, 'shell echo hi');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    // A loaded machine may have kept it quiet before and will again afterwards, which is told rightly.
    const warnings = () => chatOf(session).active?.items.filter(({ type }) => type === 'notice').length;
    const before = warnings();
    await pause(200);
    expect(warnings()).toBe(before);
    await ended(session, id);
  });

  test('when it starts is given up', async () => {
    const { session } = await start({ switches: { start: 'silent' }, times: { setup: 100 } });
    expect((await prompt(session, 'hi')).outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'agent-start',
        message:
          'Reference could not be started: Reference did not answer initialize and sent nothing ' +
          'for a second.',
      },
    });
  });
});

describe('an agent that does not start', () => {
  check(
    'because there is no such program',
    { program: { command: '/no/such/agent', install: 'Install it.' } },
    'Reference could not be started: there is no program named /no/such/agent. Install it.',
  );
  check(
    'because it ends at once',
    { switches: { start: 'exit' } },
    'Reference ended unexpectedly (exit code 3). Its last output: I do not want to.',
  );
  check('because it refuses', { switches: { start: 'error' } }, 'Reference could not be started: Not today.');
  check(
    'because it speaks another version',
    { switches: { start: 'version-2' } },
    'Reference names ACP version 2, but does not answer in its form.',
  );
  check(
    'because we are the administrator',
    { program: { quirks: { root: 'refused' } }, root: true },
    'Reference does not run as the administrator. Start Parley as a regular user.',
  );

  function check(name: string, options: RigOptions, message: string): void {
    test(`${name} says so`, async () => {
      const { session } = await start(options);
      expect((await prompt(session, 'hi')).outcome).toMatchObject({ kind: 'failed', problem: { message } });
    });
  }

  test('because its folder is gone says so', async () => {
    const { rig, session } = await start();
    rig.place.close();
    expect((await prompt(session, 'hi')).outcome).toMatchObject({
      kind: 'failed',
      problem: { message: `The folder ${rig.place.root} of this session does not exist.` },
    });
  });
});

describe('an agent that babbles', () => {
  test('on its output is not listened to, and says so', async () => {
    const { rig, session } = await start({ switches: { quirks: ['greets-on-stdout'] } });
    const turn = await prompt(
      session,
      'garbage 5000\nraw {"jsonrpc":"2.0","method":"session/update"}\nraw {"jsonrpc":"2.0","method":"session/update","params":{"sessionId":7,"update":null}}\nraw [1,2]\nraw \u0000\nsay fine',
    );
    expect([turn.outcome, brief(turn.items), rig.problems]).toEqual([
      { kind: 'completed' },
      [
        'answer: fine\n',
        expect.stringMatching(
          /^warning: Reference printed \d+ lines that are not valid ACP; they were ignored\.$/,
        ),
      ],
      [],
    ]);
    expect(brief((await prompt(session, 'say fine')).items)).toEqual(['answer: fine\n']);
  });

  test('in one line that never seems to end goes on after it', async () => {
    const { rig, session } = await start();
    const turn = await prompt(session, 'endless 70000\nsay fine');
    expect([turn.outcome, brief(turn.items), rig.problems]).toEqual([
      { kind: 'completed' },
      ['answer: fine\n', 'warning: Reference printed a line that is not valid ACP; it was ignored.'],
      [],
    ]);
  });

  test('about other sessions tells nobody', async () => {
    const { rig, session } = await start();
    const other = await rig.create();
    await prompt(other, 'say mine');
    const turn = await prompt(
      session,
      'stranger {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"leak"}}\nsay fine',
    );
    expect([brief(turn.items), chatOf(other).turns.length]).toEqual([['answer: fine\n'], 1]);
  });

  test('in words we do not know is answered or ignored', async () => {
    const { rig, session } = await start();
    const turn = await prompt(
      session,
      [
        'notify _vendor/thing {"a":1}',
        'notify qwen/notify/session/prompt-suggestion {}',
        'call craft/drainMidTurnQueue {}',
        'call _vendor/ask {}',
        'update {"sessionUpdate":"subagent_update","sessionId":"child","_meta":{"x":1}}',
        'update {"sessionUpdate":"tool_call"}',
        'update 7',
        'say fine',
      ].join('\n'),
    );
    expect(brief(turn.items)).toEqual([
      'answer: error -32601 Method not found\nerror -32601 Method not found\nfine\n',
    ]);
    expect(rig.problems).toEqual([]);
  });

  test('without an end is stopped', async () => {
    const { session } = await start({
      switches: { can: ['resume'], quirks: ['ignores-cancel'] },
      times: { cancel: 300 },
    });
    const turn = await prompt(session, 'flood 1000000');
    expect(turn.outcome).toEqual({
      kind: 'failed',
      problem: {
        code: 'agent-flood',
        message: 'Reference sent more output than a turn can store and was stopped.',
      },
    });
    expect(answerOf(turn).length).toBeLessThan(65_000_000);
    expect(answerOf(await prompt(session, 'say fine'))).toBe('fine\n');
  }, 120_000);
});

describe('an agent that asks', () => {
  const ask = (call: object, options?: object[]) =>
    `call session/request_permission ${JSON.stringify({ toolCall: call, ...(options ? { options } : {}) })}`;
  const yesNo = [
    { optionId: 'y', name: 'Yes', kind: 'allow_once' },
    { optionId: 'n', name: 'No', kind: 'reject_once' },
  ];
  const run = { toolCallId: 'c', title: 'Do it', kind: 'other', rawInput: { a: 1 } };

  test('before it has told of the call is understood', async () => {
    const { session } = await start();
    const turn = await prompt(
      session,
      `${ask(run, yesNo)}\nupdate {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`,
      { kind: 'option', option: 'y' },
    );
    expect(brief(turn.items)).toEqual([
      'Do it done [Do it]',
      'answer: {"outcome":{"outcome":"selected","optionId":"y"}}\n',
    ]);
  });

  test('twice about the same call is answered twice', async () => {
    const { rig, session } = await start();
    const line = JSON.stringify({
      jsonrpc: '2.0',
      id: 501,
      method: 'session/request_permission',
      params: { sessionId: '', toolCall: run, options: yesNo },
    });
    const turn = await prompt(
      session,
      [ask(run, yesNo), ask(run, yesNo), `raw ${line}`, 'say fine'].join('\n'),
      { kind: 'option', option: 'y' },
    );
    expect(brief(turn.items).at(-1)).toBe(
      'answer: {"outcome":{"outcome":"selected","optionId":"y"}}\n{"outcome":{"outcome":"selected","optionId":"y"}}\nfine\n',
    );
    expect(rig.problems).toEqual([]);
  });

  test('again after a refusal begins a new call', async () => {
    const { rig, session } = await start();
    const turn = await prompt(session, [ask(run, yesNo), ask(run, yesNo)].join('\n'), {
      kind: 'option',
      option: 'n',
    });
    expect(turn.items.map(({ id, type }) => (type === 'tool' ? id : type))).toEqual([
      'c',
      'text',
      'c~2',
      'text',
    ]);
    expect(rig.problems).toEqual([]);
  });

  test('in a shape nobody knows is put to a human all the same', async () => {
    const { rig, session } = await start();
    const turn = await prompt(
      session,
      'call session/request_permission {"options":[{"optionId":"go","name":"Proceed"},{"optionId":"x","name":"Never mind","kind":"what"},{"bad":true}]}\ncall session/request_permission {}',
      { kind: 'declined', reason: 'I do not know what this is.' },
    );
    expect(answerOf(turn)).toBe(
      '{"outcome":{"outcome":"cancelled"}}\n{"outcome":{"outcome":"selected","optionId":"reject_once"},"_meta":{"reason":"I do not know what this is."}}\n',
    );
    expect(rig.problems).toEqual([]);
  });

  test('and is stopped hears that it was cancelled, and its late words are not heard', async () => {
    const { rig, session } = await start({ switches: { quirks: ['ends-cancelled-turns'] } });
    const said = join(rig.place.root, 'said');
    send(session, `${ask(run, yesNo)}\nlate 30 say too late\nlate 60 put ${said} "x"`);
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    stop(session);
    await session.settled();
    // What the agent has said by then is read with the next look at its output.
    while (!existsSync(said)) await pause(10);
    await pause(20);
    const next = await prompt(session, 'memory');
    expect([brief(next.items), chatOf(session).turns.length]).toEqual([['answer: I remember 1.\n'], 2]);
    expect(rig.problems).toEqual([]);
  });

  test('and goes on without waiting has taken its question back', async () => {
    const { session } = await start();
    const line = JSON.stringify({
      jsonrpc: '2.0',
      id: 777,
      method: 'session/request_permission',
      params: { sessionId: 'SESSION', toolCall: run, options: yesNo },
    });
    const id = send(session, 'process');
    await ended(session, id);
    const turn = send(
      session,
      `raw ${line.replace('SESSION', chatOf(session).bound?.ref ?? '')}\npause 50\nupdate {"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed","content":[]}\nsay done`,
    );
    await until(session, () => chatOf(session).turns.some((one) => one.id === turn));
    expect(brief(chatOf(session).turns.at(-1)?.items ?? [])).toEqual([
      'Do it done [Do it]',
      'answer: done\n',
    ]);
    expect(chatOf(session).turns.at(-1)?.items[0]).toMatchObject({
      approval: { answer: { kind: 'withdrawn' } },
    });
  });
});

test('an agent that takes its question back is not answered any more', async () => {
  const { rig, session } = await start();
  await prompt(session, 'say hi');
  const request = JSON.stringify({
    jsonrpc: '2.0',
    id: 888,
    method: 'session/request_permission',
    params: {
      sessionId: chatOf(session).bound?.ref,
      toolCall: { toolCallId: 'c', title: 'Do it' },
      options: [],
    },
  });
  const id = send(
    session,
    `raw ${request}\npause 300\nnotify $/cancel_request {"requestId":888}\npause 100\nsay done`,
  );
  await until(session, () => Object.keys(chatOf(session).asks).length > 0);
  await until(session, () => Object.keys(chatOf(session).asks).length === 0);
  await until(session, () => chatOf(session).turns.some((turn) => turn.id === id));
  expect(chatOf(session).turns.at(-1)?.items[0]).toMatchObject({
    type: 'tool',
    approval: { answer: { kind: 'withdrawn', why: 'The agent took its question back.' } },
    result: { status: 'denied' },
  });
  expect(rig.problems).toEqual([]);
});

/** Goes on to speak four times a second. */
const late = (times: number) =>
  Array.from({ length: times }, (_, at) => `late ${(at + 1) * 250} say rest\n`).join('');

describe('an agent that speaks out of turn', () => {
  test('gets a turn of its own', async () => {
    const { rig, session } = await start();
    await prompt(session, 'late 500 say I have more\nsay First');
    await until(session, () => chatOf(session).turns.length === 2);
    const [, own] = chatOf(session).turns;
    expect(own).toMatchObject({
      message: { text: 'Reference continued on its own.', from: 'agent' },
      by: { kind: 'agent' },
      outcome: { kind: 'completed' },
    });
    expect([brief(own?.items ?? []), rig.problems]).toEqual([['answer: I have more\n'], []]);
  });

  test('gets none for what is left of a turn that was stopped, and the next turn says so once', async () => {
    const { rig, session } = await start({ times: { cancel: 1_000 } });
    const first = send(session, `${late(20)}late 5250 put done.txt "x"\nsay First\nhang`);
    await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
    stop(session);
    await ended(session, first);
    await eventually(() => rig.place.tree()['done.txt'] !== undefined, 'all that the agent has to say');
    expect(chatOf(session).turns).toHaveLength(1);
    const said = brief((await prompt(session, 'say hi')).items);
    expect(said).toEqual([
      'info: Reference went on after it was stopped; what it said then is left out.',
      'answer: hi\n',
    ]);
    expect([brief((await prompt(session, 'say hi')).items), rig.problems]).toEqual([['answer: hi\n'], []]);
  });

  test('gets one for a call that it begins long after it was stopped', async () => {
    const { session } = await start({ times: { cancel: 1_000 } });
    const calls = [3_000, 6_000, 9_000].map((at) => `late ${at} shell echo hi\n`).join('');
    const first = send(session, `${late(40)}${calls}say First\nhang`);
    await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
    stop(session);
    await ended(session, first);
    await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
    expect(chatOf(session).active?.message.text).toBe('Reference continued on its own.');
    expect(brief(chatOf(session).active?.items ?? []).join()).toContain('echo hi');
  });

  test('may ask there, too', async () => {
    const { rig, session } = await start();
    await prompt(session, 'late 500 shell echo hi > made.txt\nsay First');
    await until(session, () => Object.keys(chatOf(session).asks).length > 0);
    const own = await ended(session, chatOf(session).active?.id ?? '');
    expect([own.outcome, brief(own.items), rig.place.tree()['made.txt'], rig.problems]).toEqual([
      { kind: 'completed' },
      [
        'execute done [echo hi > made.txt]',
        'answer: Done.\n',
        'workspace done [Changed by the command, or by you meanwhile]',
      ],
      'hi\n',
      [],
    ]);
  });

  test('a moment after its answer still speaks in it', async () => {
    const { session } = await start({ times: { settle: 1_500 } });
    const turn = await prompt(session, 'late 5 say And this\nsay First');
    expect(brief(turn.items)).toEqual(['answer: First\nAnd this\n']);
  });

  test('about its account only begins no turn', async () => {
    const { rig, session } = await start({
      switches: { quirks: ['usage-after-turn', 'speaks-early'] },
      times: { settle: 0 },
    });
    await prompt(session, 'late 900 say I have more\nsay hi');
    await until(session, () => chatOf(session).turns.length === 2);
    const [, own] = chatOf(session).turns;
    expect([brief(own?.items ?? []), own?.usage, rig.problems]).toEqual([
      ['answer: I have more\n'],
      undefined,
      [],
    ]);
  });

  test('is stopped like any other', async () => {
    const { session } = await start({ times: { wake: 60_000 } });
    await prompt(session, 'late 500 say On\nsay First');
    await until(session, () => texts(session) > 0);
    stop(session);
    await session.settled();
    expect(chatOf(session).turns[1]?.outcome).toEqual({ kind: 'cancelled' });
    expect(answerOf(await prompt(session, 'say fine'))).toBe('fine\n');
  });
});

test('no process is left when the session is let go, not even of an agent that ignores everything', async () => {
  const { rig, session } = await start({
    switches: { quirks: ['ignores-end', 'ignores-cancel'] },
    program: { quirks: { end: 'ignored' } },
  });
  const pid = await pidOf(session);
  send(session, 'leave child\nhang');
  await until(session, () => chatOf(session).active !== undefined);
  await rig.host.close();
  await untilGone(pid);
  expect(alive(pid)).toBe(false);
});
