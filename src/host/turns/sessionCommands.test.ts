import { expect, test } from 'vitest';
import { testClient, testWorld } from '../../../test/kit/host.ts';
import { MemoryStore } from '../../../test/kit/memoryStore.ts';
import { isRejection } from '../../model/command.ts';
import type { SessionChanges } from '../../model/event.ts';
import { emptyState } from '../../model/state.ts';
import type { Agent, AgentInfo } from '../agent.ts';
import { Host } from '../host.ts';
import { isSessionCommand, sessionAnswer, sessionCommands } from './sessionCommands.ts';

const agent: AgentInfo = {
  id: 'a',
  name: 'A',
  description: '',
  models: [
    { id: 'x/one', name: 'One', variants: ['low', 'high'] },
    { id: 'x/two', name: 'Two' },
  ],
  modes: [{ id: 'code', name: 'Code' }],
  commands: [...sessionCommands, { name: 'init', description: 'Begins.', hint: 'what' }],
};

function answer(message: string, changes: SessionChanges[] = [], of = agent): Promise<string | undefined> {
  return sessionAnswer(message, {
    state: { ...emptyState('s'), model: 'x/one' },
    chat: 's',
    agent: of,
    summaries: () => [],
    change: (change) => void changes.push(change),
    fork: () => Promise.resolve('Forked.'),
    trust: (word) => `Trust ${word ?? 'what'}?`,
    save: (file) => Promise.resolve(`Saved ${file ?? 'as usual'}.`),
  });
}

test.each<[string, string, SessionChanges?]>([
  ['/help', '- `/init [what]`: Begins.'],
  ['/help', '- `/cost`: Tokens and cost of this chat'],
  ['/cost', '0 tokens in, 0 tokens out.'],
  ['/context', 'Nothing is known'],
  ['/model', '- `x/one` (in use)\n- `x/two`'],
  ['/model two', 'The model is x/two.', { model: 'x/two' }],
  ['/model x/tow', 'Did you mean x/two?'],
  ['/mode code', 'The mode is code.', { mode: 'code' }],
  ['/mode coed', 'Did you mean code?'],
  ['/permissions', '- `ask` (in use)'],
  ['/permissions edits', 'The permission mode is edits.', { autonomy: 'edits' }],
  ['/permissions atuo', 'Did you mean auto?'],
  ['/effort', '- `low`\n- `high`'],
  ['/effort high', 'The effort is high.', { options: { variant: 'high' } }],
  ['/resume', 'no other sessions'],
  ['/fork', 'Forked.'],
  ['/export', 'Saved as usual.'],
  ['/export a.jsonl', 'Saved a.jsonl.'],
  ['/trust', 'Trust what?'],
  ['/trust yes', 'Trust yes?'],
])('%s', async (message, words, change) => {
  const changes: SessionChanges[] = [];
  expect(await answer(message, changes)).toContain(words);
  expect(changes).toEqual(change ? [change] : []);
});

test('every command of the table is offered, and has an answer', async () => {
  const answers = await Promise.all(sessionCommands.map(({ name }) => answer(`/${name}`)));
  expect(answers.filter((each) => each === undefined)).toEqual([]);
});

test('what the agent does itself, or nobody offers, is not answered', async () => {
  const own = { ...agent, commands: [{ name: 'cost', description: 'Its own.' }] };
  expect(await answer('/cost', [], own)).toBe(undefined);
  expect(await answer('/init')).toBe(undefined);
  expect(await answer('the /cost of it')).toBe(undefined);
  expect([isSessionCommand('/cost'), isSessionCommand('/init')]).toEqual([true, false]);
});

test('an agent is asked what it offers only for a message that could be a command', async () => {
  let asked = 0;
  const info = { id: 'a', name: 'A', description: '', models: [], commands: sessionCommands };
  const conversation = {
    ref: 'x',
    close: () => Promise.resolve(),
    prompt: () => Promise.resolve({ kind: 'completed' } as const),
  };
  const offering: Agent = {
    info,
    at: () => {
      asked += 1;
      return info;
    },
    open: () => Promise.resolve(conversation),
  };
  const host = await Host.start(testWorld(new MemoryStore()), [offering]);
  const session = host.create({ roots: ['/w'] }, testClient);
  if (isRejection(session)) throw new Error(session.message);
  const turns = () => session.head.chats[session.id]?.turns.length;
  const say = async (text: string, at: number) => {
    session.dispatch(
      { kind: 'startTurn', chat: session.id, turn: `t${at}`, message: { id: `m${at}`, text } },
      testClient,
    );
    await expect.poll(turns).toBe(at);
  };
  const before = asked;
  await say('How are you?', 1);
  expect(asked).toBe(before);
  await say('/help', 2);
  expect(asked).toBe(before + 1);
  await host.close();
});
