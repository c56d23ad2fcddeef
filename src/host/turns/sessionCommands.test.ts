import { expect, test } from 'vitest';
import type { SessionChanges } from '../../model/event.ts';
import { emptyState } from '../../model/state.ts';
import type { AgentInfo } from '../agent.ts';
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
  ['/help', '- `/init [what]` Begins.'],
  ['/help', '- `/cost` Tokens and cost of this chat'],
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
