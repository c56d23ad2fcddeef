import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { testClient, until } from '../../../../../test/kit/host.ts';
import { briefItems, nativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../../test/kit/nativeRig.ts';
import type { Session } from '../../../../host/session/session.ts';
import type { Answer } from '../../../../model/event.ts';
import type { Chat } from '../../../../model/state.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../../model.ts';

let rig: NativeRig;
let requests: ModelRequest[];
afterEach(() => rig.close());

/** A model that makes these calls in its first answer. */
async function open(...calls: readonly (readonly [name: string, input: object])[]): Promise<void> {
  requests = [];
  const parts = calls.flatMap(([name, given], at): ModelPart[] => {
    const [id, input] = [`c${at}`, JSON.stringify(given)];
    return [
      { type: 'tool-start', id, name },
      { type: 'tool-input', id, delta: input },
      { type: 'tool-call', id, name, input },
    ];
  });
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream(request) {
      requests.push(request);
      const isFirst = requests.length === 1;
      yield* isFirst ? parts : [{ type: 'text', text: 'Done.' } as const];
      yield { type: 'finish', reason: isFirst ? 'calls' : 'stop' };
    },
  };
  rig = await nativeRig([model]);
}

function chatOf({ state, id }: Session): Chat {
  const chat = state.chats[id];
  if (!chat) throw new Error('no chat');
  return chat;
}

const openAsks = (session: Session) => Object.keys(chatOf(session).asks);

async function ask(): Promise<string> {
  rig.start('go');
  await until(rig.session, () => openAsks(rig.session).length === 1);
  return openAsks(rig.session)[0] ?? '';
}

async function answer(session: Session, given: Answer): Promise<readonly string[]> {
  const [id = ''] = openAsks(session);
  expect(session.dispatch({ kind: 'answer', chat: session.id, ask: id, answer: given }, testClient)).toBe(
    undefined,
  );
  await until(session, () => chatOf(session).turns.length === 1);
  const [turn] = chatOf(session).turns;
  expect(turn?.outcome).toEqual({ kind: 'completed' });
  return briefItems(turn?.items ?? []);
}

const write = ['write_file', { path: 'b.txt', content: 'new' }] as const;
const allow: Answer = { kind: 'option', option: 'allow' };

describe('a call that waits for an answer when the host ends', () => {
  test('waits for the same answer in the next host, and runs after it', async () => {
    await open(write, ['read_file', { path: 'b.txt' }]);
    const asked = await ask();
    const { session, host } = await rig.nextHost();
    expect(openAsks(session)).toEqual([asked]);
    expect(chatOf(session).active?.items[0]).toMatchObject({ status: 'asking' });
    expect(await answer(session, allow)).toEqual(['write_file done', 'read_file done', 'answer: Done.']);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    await host.close();
  });

  test('does not run after a refusal', async () => {
    await open(write);
    await ask();
    const { session, host } = await rig.nextHost();
    expect(await answer(session, { kind: 'option', option: 'deny' })).toEqual([
      'write_file denied',
      'answer: Done.',
    ]);
    await host.close();
  });

  test('is a question of the agent', async () => {
    await open(['ask_user', { question: 'Which?', options: [{ label: 'red' }] }]);
    const asked = await ask();
    const { session, host } = await rig.nextHost();
    expect(openAsks(session)).toEqual([asked]);
    expect(await answer(session, { kind: 'fields', values: { answer: 'red' } })).toEqual([
      'ask_user done',
      'ask',
      'answer: Done.',
    ]);
    await host.close();
  });

  test.each([
    ['a call that asks', write, allow],
    [
      'a question',
      ['ask_user', { question: 'Which?', options: [{ label: 'red' }] }] as const,
      { kind: 'fields', values: { answer: 'red' } } as const,
    ],
  ])('and the log does not repeat what it says of %s', async (_, call, given) => {
    await open(call);
    await ask();
    const { session, host } = await rig.nextHost();
    await answer(session, given);
    const said: string[] = [];
    for await (const { event } of session.entries())
      if (event.kind === 'tool.ready' || event.kind === 'tool.running') said.push(JSON.stringify(event));
    expect(said).toEqual([...new Set(said)]);
    expect(said.map((each) => (JSON.parse(each) as { kind: string }).kind)).toContain('tool.ready');
    await host.close();
  });

  test('also waits when the host was closed in good order', async () => {
    await open(write);
    const asked = await ask();
    await rig.host.close();
    const { session, host } = await rig.nextHost();
    expect(openAsks(session)).toEqual([asked]);
    expect(await answer(session, allow)).toEqual(['write_file done', 'answer: Done.']);
    await host.close();
  });

  test('is taken back if it has become another one, and the turn goes on', async () => {
    await open(['edit_file', { path: 'a.txt', original_content: 'one', new_content: '1' }]);
    await ask();
    writeFileSync(join(rig.place.root, 'a.txt'), 'changed');
    const { session, host } = await rig.nextHost();
    await until(session, () => chatOf(session).turns.length === 1);
    expect(briefItems(chatOf(session).turns[0]?.items ?? [])).toEqual(['edit_file failed', 'answer: Done.']);
    await host.close();
  });

  test('can be stopped', async () => {
    await open(write);
    await ask();
    const { session, host } = await rig.nextHost();
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await until(session, () => chatOf(session).turns.length === 1);
    expect(chatOf(session)).toMatchObject({ asks: {}, turns: [{ outcome: { kind: 'cancelled' } }] });
    await host.close();
  });
});
