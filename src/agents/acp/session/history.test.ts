// What an agent knows of the past, and who tells it.
import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { agentRig, answerOf, brief, chatOf, prompt } from '../../../../test/kit/agentRig.ts';
import { answered, start } from '../../../../test/kit/agentStart.ts';
import { testClient, until } from '../../../../test/kit/host.ts';
import type { Agent, TurnContext } from '../../../host/agent.ts';

describe('the history', () => {
  test('is handed over to an agent that takes over, and back again', async () => {
    const other: Agent = {
      info: { id: 'other', name: 'Other', description: '', models: [] },
      open: () =>
        Promise.resolve({
          ref: 'o',
          close: () => Promise.resolve(),
          prompt: (turn: TurnContext) => {
            turn.report({
              kind: 'text.added',
              item: 'o',
              channel: 'answer',
              text: `I know ${turn.history.length} turns, the last said ${turn.history.at(-1)?.message.text}`,
            });
            return Promise.resolve({ kind: 'completed' });
          },
        }),
    };
    const { session } = await start({ others: () => [other] });
    await prompt(session, 'say The word is mango');
    session.dispatch({ kind: 'changeSession', changes: { agent: 'other' } }, testClient);
    const theirs = await prompt(session, 'what was said?');
    expect(brief(theirs.items)).toEqual([
      'info: Other takes over from Reference and was given the turn before this one.',
      'answer: I know 1 turns, the last said say The word is mango',
    ]);
    session.dispatch({ kind: 'changeSession', changes: { agent: 'reference' } }, testClient);
    const back = await prompt(session, 'show');
    expect(brief(back.items).slice(0, 2)).toEqual([
      'info: Reference takes over from other.',
      'info: Reference does not remember this conversation. It was given all 2 turns before this one as ' +
        'text, with the output of tools cut short.',
    ]);
    expect(answerOf(back)).toContain('The word is mango');
    expect(answerOf(back)).toContain('what was said?');
  });

  test('that was cut short is all the agent knows', async () => {
    const { session } = await start({ switches: { can: ['resume', 'close'] } });
    await prompt(session, 'say one');
    await prompt(session, 'say two');
    session.dispatch(
      { kind: 'truncateChat', chat: session.id, after: chatOf(session).turns[0]?.id ?? '' },
      testClient,
    );
    const turn = await prompt(session, 'show');
    expect(answerOf(turn)).toContain('Assistant: one');
    expect(answerOf(turn)).not.toContain('two');
    expect(await answered(session, 'memory')).toBe('I remember 1.\n');
  });

  test('is copied by an agent that can', async () => {
    const { session } = await start({ switches: { can: ['fork'] } });
    await prompt(session, 'say one');
    session.dispatch(
      {
        kind: 'createChat',
        chat: 'fork',
        origin: { type: 'fork', chat: session.id, turn: chatOf(session).turns[0]?.id ?? '' },
      },
      testClient,
    );
    session.dispatch(
      { kind: 'startTurn', chat: 'fork', turn: 'f1', message: { id: 'f1', text: 'memory' } },
      testClient,
    );
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
    const folder = rig.place.beside;
    expect(readdirSync(folder)).toHaveLength(1);
    await rig.host.remove(session.id);
    expect(readdirSync(folder)).toHaveLength(0);
  });

  test('also if its program has ended, and the host has not opened the session since its start', async () => {
    const options = { switches: { can: ['delete', 'resume'] }, times: { cancel: 60_000 } } as const;
    const { rig, session } = await start(options);
    await prompt(session, 'say one');
    await rig.host.close();
    const { place, store } = rig;
    const again = await agentRig({ ...options, place, store });
    const other = await again.create('other');
    await prompt(other, 'say two');
    expect(readdirSync(place.beside)).toHaveLength(2);
    await again.host.remove(other.id);
    await again.host.remove(session.id);
    expect(readdirSync(place.beside)).toHaveLength(0);
    await again.close();
  });
});
