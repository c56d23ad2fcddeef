// An agent of version 2, made with the experimental side of the official SDK, as a real process.
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import {
  agentRig,
  answerOf,
  brief,
  chatOf,
  externalAgent,
  prompt,
  send,
  ended,
} from '../../../../test/kit/agentRig.ts';
import type { AgentRig } from '../../../../test/kit/agentRig.ts';
import { bundle } from '../../../../test/kit/bundle.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import { untilGone } from '../../../../test/kit/living.ts';
import type { Session } from '../../../host/session/session.ts';
import type { AgentProgram } from '../process/program.ts';
import { AgentProcesses } from '../process/agentProcesses.ts';

const sdk = bundle(join(import.meta.dirname, '../../../../test/kit/sdkAgentV2.ts'));
let rig: AgentRig | undefined;

afterEach(async () => {
  await rig?.close();
  const problems = rig?.problems ?? [];
  if (problems.length > 0) throw new Error(`problems were reported: ${JSON.stringify(problems)}`);
});

afterAll(async () => (await sdk).dispose());

async function start(
  more: Partial<AgentProgram> = {},
  args: readonly string[] = [],
): Promise<{ readonly rig: AgentRig; readonly session: Session; readonly processes: AgentProcesses }> {
  const { path } = await sdk;
  let processes: AgentProcesses | undefined;
  rig = await agentRig({
    agent: (world, place) => {
      processes = new AgentProcesses({ clock: world.clock });
      const program = {
        id: 'sdk',
        name: 'SDK',
        description: 'Made with the official SDK.',
        command: process.execPath,
        args: [path, ...args],
        ...more,
      };
      return externalAgent({ program, world, place, processes });
    },
  });
  if (!processes) throw new Error('no processes');
  return { rig, session: await rig.create(), processes };
}

test('version 1 stays the default for an agent that has both', async () => {
  const { session } = await start({}, ['both']);
  expect(answerOf(await prompt(session, 'say hello'))).toBe('I speak version 1.');
});

test('an agent that has both speaks version 2 where the settings ask for it', async () => {
  const { session } = await start({ quirks: { acpVersion: 2 } }, ['both']);
  expect(answerOf(await prompt(session, 'say hello')).trim()).toBe('hello');
});

test('an agent that refuses version 1 is asked for version 2', async () => {
  const { session } = await start();
  expect(answerOf(await prompt(session, 'say hello')).trim()).toBe('hello');
});

test('the mode, its choices and the commands come from the agent, and a choice reaches it', async () => {
  const {
    rig: { host },
    session,
  } = await start();
  expect(answerOf(await prompt(session, 'settings')).trim()).toBe('careful');
  expect(session.head.mode).toBe('careful');
  expect(host.agents()[0]).toMatchObject({
    modes: [
      { id: 'careful', name: 'CAREFUL' },
      { id: 'quick', name: 'QUICK' },
    ],
    accepts: { images: true, audio: false },
  });
  expect(host.agents()[0]?.commands?.map(({ name }) => name)).toContain('review');
  session.dispatch({ kind: 'changeSession', changes: { mode: 'quick' } }, testClient);
  expect(answerOf(await prompt(session, 'settings')).trim()).toBe('quick');
});

test('a message that comes in parts and then as a whole is in the log once', async () => {
  const { session } = await start();
  expect(answerOf(await prompt(session, 'whole Good morning'))).toBe('Good morning');
});

test('plans are kept', async () => {
  const { session } = await start();
  await prompt(session, 'plan one,two');
  expect(chatOf(session).plan).toMatchObject([{ text: 'one' }, { text: 'two' }]);
});

test('what a command of the agent prints is in the log, and why it failed', async () => {
  const { session } = await start();
  const { items } = await prompt(session, 'shell echo printed; exit 3');
  const call = items.find((item) => item.type === 'tool');
  expect(call?.result).toMatchObject({ status: 'failed' });
  expect(call?.output).toContain('printed');
  expect(JSON.stringify(call?.result)).toContain('Exit code: 3');
});

test('a question about a command shows it, and a refusal reaches the agent', async () => {
  const { session } = await start();
  const id = send(session, 'command rm -rf build');
  await until(session, () => Object.keys(chatOf(session).asks).length === 1);
  const [open] = Object.values(chatOf(session).asks);
  expect(open?.ask).toMatchObject({ kind: 'approval', title: '$ rm -rf build' });
  const turn = await ended(session, id, { kind: 'option', option: 'no' });
  expect(turn.items.find((item) => item.type === 'tool')?.title).toBe('rm -rf build');
  expect(answerOf(turn).trim()).toBe('refused');
});

test('a change is shown before it is allowed, observed, and taken back', async () => {
  const {
    rig: { place },
    session,
  } = await start();
  const path = join(place.root, 'a.txt');
  const id = send(session, `write ${path} three`);
  await until(session, () => Object.keys(chatOf(session).asks).length === 1);
  const asked = chatOf(session).active?.items.find((item) => item.type === 'tool');
  expect(asked?.preview).toMatchObject([{ type: 'edit', before: 'one\ntwo\n', after: 'three\n' }]);
  const turn = await ended(session, id);
  const call = turn.items.find((item) => item.type === 'tool');
  const edit = { type: 'edit', path, before: 'one\ntwo\n', after: 'three\n', observed: true };
  expect(call?.result).toMatchObject({ status: 'done', content: [edit] });
  expect(JSON.stringify(call?.result)).not.toContain('unattributed');
  await prompt(session, '/undo');
  expect(place.tree()['a.txt']).toBe('one\ntwo\n');
});

test('a file that the agent makes is taken back', async () => {
  const {
    rig: { place },
    session,
  } = await start();
  await prompt(session, `write ${join(place.root, 'new.txt')} new`);
  expect(place.tree()['new.txt']).toBe('new\n');
  await prompt(session, '/undo');
  expect(place.tree()['new.txt']).toBeUndefined();
});

test('a file that the agent removes comes back', async () => {
  const {
    rig: { place },
    session,
  } = await start();
  await prompt(session, `remove ${join(place.root, 'a.txt')}`);
  expect(place.tree()['a.txt']).toBeUndefined();
  await prompt(session, '/undo');
  expect(place.tree()['a.txt']).toBe('one\ntwo\n');
});

test('a message during a turn steers it', async () => {
  const { session } = await start();
  const id = send(session, 'say working\nsteered');
  await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
  const message = { id: 'steer', text: 'say more' };
  const command = { kind: 'queueMessage', chat: session.id, lane: 'steer', message, turn: 'unused' } as const;
  expect(session.dispatch(command, testClient)).toBeUndefined();
  expect(answerOf(await ended(session, id))).toContain('got say more');
});

test('a stop reaches it, and the next message is answered', async () => {
  const { session } = await start();
  const id = send(session, 'say working\nhang');
  await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
  session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'unused' }, testClient);
  expect((await ended(session, id)).outcome).toEqual({ kind: 'cancelled' });
  expect(answerOf(await prompt(session, 'say again')).trim()).toBe('again');
});

test('a sign-in is a question whose answer the agent acts on', async () => {
  const { session } = await start({}, ['login']);
  const id = send(session, 'say hello');
  await until(session, () => Object.keys(chatOf(session).asks).length > 0);
  const turn = await ended(session, id, { kind: 'fields', values: { method: 'browser' } });
  expect(answerOf(turn).trim()).toBe('hello');
});

test('after its program ended the conversation is resumed', async () => {
  const { session, processes } = await start();
  await prompt(session, 'say one');
  const pids = (await processes.list()).flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
  expect(pids).toHaveLength(1);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  await Promise.all(pids.map(untilGone));
  const turn = await prompt(session, 'say two');
  expect(brief(turn.items)).toEqual([
    'info: SDK was restarted and continues its conversation.',
    'answer: two\n',
  ]);
});
