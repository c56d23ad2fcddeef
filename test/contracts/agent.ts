// What every back end does for a session, as one suite that each of them runs.
import { afterEach, describe, expect, test } from 'vitest';
import type { Answer } from '../../src/model/event.ts';
import type { Item, ToolItem } from '../../src/model/state.ts';
import { answerOf, brief, chatOf, ended, prompt, send } from '../kit/agentRig.ts';
import type { AgentRig } from '../kit/agentRig.ts';
import { testClient, until } from '../kit/host.ts';

/** A back end with a host around it, and the words that make it do things. */
export interface AgentUnderTest {
  readonly rig: AgentRig;
  readonly deeds: {
    say(words: string): string;
    /** Runs a command, for which it asks first. */
    run(command: string): string;
    readonly hang: string;
    fail(words: string): string;
  };
  /** The options it offers when it asks. */
  readonly options: { readonly once: string; readonly session: string; readonly no: string };
}

export function agentContract(name: string, make: () => Promise<AgentUnderTest>): void {
  describe(`${name} does what a back end does`, () => {
    let under: AgentUnderTest | undefined;
    const start = async () => {
      under = await make();
      return { ...under, session: await under.rig.create() };
    };
    afterEach(async () => {
      await under?.rig.close();
      const problems = under?.rig.problems ?? [];
      under = undefined;
      if (problems.length > 0) throw new Error(`problems were reported: ${JSON.stringify(problems)}`);
    });

    test('it answers, and every word is in the log', async () => {
      const { session, deeds } = await start();
      const turn = await prompt(session, deeds.say('Hello there'));
      expect([turn.outcome, answerOf(turn).trim()]).toEqual([{ kind: 'completed' }, 'Hello there']);
    });

    test('it answers one message after the other', async () => {
      const { session, deeds } = await start();
      for (const words of ['one', 'two', 'three'])
        expect(answerOf(await prompt(session, deeds.say(words))).trim()).toBe(words);
      expect(chatOf(session).turns).toHaveLength(3);
    });

    test('it asks before it runs a command, and the log says who allowed it', async () => {
      const { session, deeds, options, rig } = await start();
      const id = send(session, deeds.run('echo hi > made.txt'));
      await until(session, () => Object.keys(chatOf(session).asks).length === 1);
      expect(rig.place.tree()['made.txt']).toBeUndefined();
      const turn = await ended(session, id, choose(options.once));
      expect(turn.outcome).toEqual({ kind: 'completed' });
      expect(rig.place.tree()['made.txt']).toBe('hi\n');
      expect(callIn(turn.items)).toMatchObject({
        result: { status: 'done' },
        approval: { answer: choose(options.once), by: testClient },
        basis: { how: 'ask', option: options.once },
      });
    });

    test('what a command prints is in the log', async () => {
      const { session, deeds, options } = await start();
      const turn = await prompt(session, deeds.run('echo printed by it'), choose(options.once));
      expect(JSON.stringify(callIn(turn.items))).toContain('printed by it');
    });

    test('what was refused does not happen, and it goes on', async () => {
      const { session, deeds, options, rig } = await start();
      const turn = await prompt(session, deeds.run('echo hi > made.txt'), choose(options.no));
      expect([turn.outcome.kind, callIn(turn.items)?.result?.status]).toEqual(['completed', 'denied']);
      expect(rig.place.tree()['made.txt']).toBeUndefined();
    });

    test('what was allowed for the session is not asked again', async () => {
      const { session, deeds, options } = await start();
      await prompt(session, deeds.run('echo again'), choose(options.session));
      const second = await ended(session, send(session, deeds.run('echo again')), choose('nobody is asked'));
      expect(callIn(second.items)).toMatchObject({ result: { status: 'done' }, basis: { how: 'rule' } });
    });

    test('a rule that denies needs nobody', async () => {
      const { session, deeds, options, rig } = await start();
      const first = await prompt(session, deeds.run('echo a'), choose(options.no));
      const tool = callIn(first.items)?.name ?? '';
      session.dispatch(
        { kind: 'changeSession', changes: { rules: [{ id: 'r', effect: 'deny', tool }] } },
        testClient,
      );
      const turn = await prompt(session, deeds.run('echo hi > made.txt'), choose('nobody is asked'));
      expect(callIn(turn.items)).toMatchObject({
        result: { status: 'denied', rule: expect.stringContaining(`deny ${tool}`) as string },
      });
      expect(rig.place.tree()['made.txt']).toBeUndefined();
    });

    test('a stop ends the turn at once, and the next message is answered', async () => {
      const { session, deeds } = await start();
      const id = send(session, `${deeds.say('Working')}\n${deeds.hang}`);
      await until(session, () => (chatOf(session).active?.items.length ?? 0) > 0);
      session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'next' }, testClient);
      await session.settled();
      const turn = chatOf(session).turns.find((one) => one.id === id);
      expect([turn?.outcome, answerOf(turn ?? { items: [] }).trim()]).toEqual([
        { kind: 'cancelled' },
        'Working',
      ]);
      expect(answerOf(await prompt(session, deeds.say('Still here'))).trim()).toBe('Still here');
    });

    test('a stop takes an open question back', async () => {
      const { session, deeds, rig } = await start();
      send(session, deeds.run('echo hi > made.txt'));
      await until(session, () => Object.keys(chatOf(session).asks).length > 0);
      session.dispatch({ kind: 'stopTurn', chat: session.id, next: 'next' }, testClient);
      await session.settled();
      expect([chatOf(session).asks, callIn(chatOf(session).turns[0]?.items ?? [])?.result?.status]).toEqual([
        {},
        'cancelled',
      ]);
      expect(answerOf(await prompt(session, deeds.say('Still here'))).trim()).toBe('Still here');
      expect(rig.place.tree()['made.txt']).toBeUndefined();
    });

    test('a message that comes while it works waits for its turn', async () => {
      const { session, deeds, options } = await start();
      const first = send(session, deeds.run('echo one'));
      await until(session, () => Object.keys(chatOf(session).asks).length > 0);
      session.dispatch(
        {
          kind: 'queueMessage',
          chat: session.id,
          lane: 'queue',
          message: { id: 'q', text: deeds.say('two') },
          turn: 'unused',
        },
        testClient,
      );
      await ended(session, first, choose(options.once));
      await until(session, () => chatOf(session).turns.length === 2);
      expect(
        chatOf(session).turns.map(({ outcome, items }) => [
          outcome.kind,
          brief(items).at(-1)?.includes('two'),
        ]),
      ).toEqual([
        ['completed', false],
        ['completed', true],
      ]);
    });

    test('waiting messages are taken back and put in another order', async () => {
      const { session, deeds, options } = await start();
      const first = send(session, deeds.run('echo one'));
      await until(session, () => Object.keys(chatOf(session).asks).length > 0);
      for (const words of ['two', 'three', 'four'])
        session.dispatch(
          {
            kind: 'queueMessage',
            chat: session.id,
            lane: 'queue',
            message: { id: words, text: deeds.say(words) },
            turn: 'unused',
          },
          testClient,
        );
      expect(
        session.dispatch({ kind: 'withdrawMessage', chat: session.id, message: 'three' }, testClient),
      ).toBeUndefined();
      expect(
        session.dispatch({ kind: 'reorderQueue', chat: session.id, order: ['four', 'two'] }, testClient),
      ).toBeUndefined();
      await ended(session, first, choose(options.once));
      await until(session, () => chatOf(session).turns.length === 3);
      expect(
        chatOf(session)
          .turns.slice(1)
          .map((turn) => answerOf(turn).trim()),
      ).toEqual(['four', 'two']);
    });

    test('a chat that is forked from an earlier turn knows what was said until then, and both go on', async () => {
      const { session, deeds } = await start();
      await prompt(session, deeds.say('one'));
      await prompt(session, deeds.say('two'));
      const [first] = chatOf(session).turns;
      expect(
        session.dispatch(
          {
            kind: 'createChat',
            chat: 'fork',
            origin: { type: 'fork', chat: session.id, turn: first?.id ?? '' },
          },
          testClient,
        ),
      ).toBeUndefined();
      session.dispatch(
        { kind: 'startTurn', chat: 'fork', turn: 'f', message: { id: 'f', text: deeds.say('three') } },
        testClient,
      );
      await until(session, ({ chats }) => chats['fork']?.turns.some(({ id }) => id === 'f') ?? false);
      expect(answerOf(session.state.chats['fork']?.turns.at(-1) ?? { items: [] }).trim()).toBe('three');
      expect(answerOf(await prompt(session, deeds.say('four'))).trim()).toBe('four');
    });

    test('a failure is an outcome in words, and the next message is answered', async () => {
      const { session, deeds } = await start();
      const turn = await prompt(session, deeds.fail('It is broken'));
      expect(turn.outcome).toMatchObject({
        kind: 'failed',
        problem: { message: expect.stringContaining('It is broken') as string },
      });
      expect(answerOf(await prompt(session, deeds.say('Still here'))).trim()).toBe('Still here');
    });

    test('two sessions do not hear each other', async () => {
      const { session, deeds, rig } = await start();
      const other = await rig.create();
      const [one, two] = await Promise.all([
        prompt(session, deeds.say('for one')),
        prompt(other, deeds.say('for two')),
      ]);
      expect([answerOf(one).trim(), answerOf(two).trim()]).toEqual(['for one', 'for two']);
    });
  });
}

function choose(option: string): Answer {
  return { kind: 'option', option };
}

function callIn(items: readonly Item[]): ToolItem | undefined {
  return items.find((item) => item.type === 'tool');
}
