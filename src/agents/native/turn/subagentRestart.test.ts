import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { testClient, until } from '../../../../test/kit/host.ts';
import { briefItems, nativeRig } from '../../../../test/kit/nativeRig.ts';
import type { NativeRig } from '../../../../test/kit/nativeRig.ts';
import type { Session } from '../../../host/session/session.ts';
import type { Json } from '../../../model/event.ts';
import type { Chat } from '../../../model/state.ts';
import type { LanguageModel, ModelPart, ModelRequest } from '../model.ts';

let rig: NativeRig;
let requests: ModelRequest[];
afterEach(() => rig.close());

const call = (id: string, name: string, input: Json): ModelPart => ({
  type: 'tool-call',
  id,
  name,
  input: JSON.stringify(input),
});
const task = { agent: 'general', task: 'Write it.', activity: 'write it' };

/** The agent of the user gives tasks to others, and the one whose call is `writes` asks before it writes. */
async function open(...spawned: readonly string[]): Promise<void> {
  requests = [];
  const model: LanguageModel = {
    id: 'm/m',
    name: 'Em',
    async *stream(request) {
      const isFirst = !requests.some(({ chat }) => chat === request.chat);
      requests.push(request);
      if (!isFirst) yield { type: 'text', text: `Done in ${request.chat}.` };
      else if (request.chat === 'subagent-waits') await new Promise(() => {});
      else if (request.chat?.startsWith('subagent-'))
        yield call('w', 'write_file', { path: 'b.txt', content: 'new' });
      else for (const id of spawned) yield call(id, 'spawn_agent', task);
      yield { type: 'finish', reason: isFirst ? 'calls' : 'stop' };
    },
  };
  rig = await nativeRig([model]);
  rig.start('go');
  await until(rig.session, () => asksIn(rig.session, 'subagent-writes').length === 1);
}

const chatIn = ({ state }: Session, id: string): Chat | undefined => state.chats[id];
const asksIn = (session: Session, id: string) => Object.keys(chatIn(session, id)?.asks ?? {});
const file = () => join(rig.place.root, 'b.txt');

async function allow(session: Session): Promise<Chat | undefined> {
  const [ask = ''] = asksIn(session, 'subagent-writes');
  const answer = { kind: 'option', option: 'allow' } as const;
  session.dispatch({ kind: 'answer', chat: 'subagent-writes', ask, answer }, testClient);
  await until(session, () => chatIn(session, session.id)?.turns.length === 1);
  return chatIn(session, session.id);
}

describe('a subagent that waits for an answer when the host ends', () => {
  check('dies', async () => {});
  check('is closed in good order', () => rig.host.close());

  function check(name: string, end: () => Promise<void>): void {
    test(`goes on in its chat, and its report comes back: the host ${name}`, async () => {
      await open('writes');
      const asked = asksIn(rig.session, 'subagent-writes');
      await end();
      const { session, host } = await rig.nextHost();
      expect([asksIn(session, 'subagent-writes'), existsSync(file())]).toEqual([asked, false]);
      expect(chatIn(session, session.id)?.turns).toEqual([]);
      const parent = await allow(session);
      expect(readFileSync(file(), 'utf8')).toBe('new');
      expect(session.state.order).toEqual([session.id, 'subagent-writes']);
      const [turn] = chatIn(session, 'subagent-writes')?.turns ?? [];
      expect([turn?.outcome, briefItems(turn?.items ?? [])]).toEqual([
        { kind: 'completed' },
        ['write_file done', 'answer: Done in subagent-writes.'],
      ]);
      expect([parent?.turns[0]?.outcome, briefItems(parent?.turns[0]?.items ?? [])]).toEqual([
        { kind: 'completed' },
        ['spawn_agent done', `answer: Done in ${session.id}.`],
      ]);
      expect(JSON.stringify(requests.at(-1)?.messages)).toContain('Done in subagent-writes.');
      expect(requests).toHaveLength(4);
      await host.close();
    });
  }

  test('goes on alone; one beside it that was at work is interrupted, and the agent is told', async () => {
    await open('waits', 'writes');
    const { session, host } = await rig.nextHost();
    await until(session, () => chatIn(session, 'subagent-waits')?.turns.length === 1);
    expect(chatIn(session, 'subagent-waits')?.turns[0]?.outcome).toEqual({ kind: 'interrupted' });
    const parent = await allow(session);
    expect(briefItems(parent?.turns[0]?.items ?? [])).toEqual([
      'spawn_agent failed',
      'spawn_agent done',
      `answer: Done in ${session.id}.`,
    ]);
    await host.close();
  });

  test('is stopped with the turn that it works for', async () => {
    await open('writes');
    const { session, host } = await rig.nextHost();
    session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'n' }, testClient);
    await until(session, () => chatIn(session, 'subagent-writes')?.turns.length === 1);
    expect([session.id, 'subagent-writes'].map((id) => chatIn(session, id))).toMatchObject([
      { asks: {}, turns: [{ outcome: { kind: 'cancelled' } }] },
      { asks: {}, turns: [{ outcome: { kind: 'cancelled' } }] },
    ]);
    expect(existsSync(file())).toBe(false);
    await host.close();
  });
});
