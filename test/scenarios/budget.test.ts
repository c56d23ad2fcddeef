// Budgets in the real program, from the settings: a turn that has used too much ends in words that say so,
// and the session says it before it begins.
import { afterEach, expect, test } from 'vitest';
import { brief, formats, startConversation } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';

let rig: Talking;
const model = formats[0][1];

async function start(limits: object): Promise<void> {
  rig = await startConversation({ settings: { limits } });
}
afterEach(() => rig.close());

test('a turn, and then a session, that has used more than it may', async () => {
  await start({ tokens: 1_000, session: { tokens: 2_500 } });
  const done = new Set<string>();
  const isFirst = (prompt: string) => prompt.includes('Use') && !done.has(prompt) && done.add(prompt);
  rig.answer = ({ asked }) =>
    asked && isFirst(asked.prompt)
      ? [{ call: 'read_file', input: { path: 'a.txt' } }, { usage: { input: 1_400, output: 100 } }]
      : undefined;
  const over =
    'system: The turn used 1500 tokens; the limit is 1000. Raise limits.tokens in the settings to continue.';
  expect(brief(await rig.prompt('much', 'Use much.', model))).toContainEqual(expect.stringContaining(over));
  expect(brief(await rig.prompt('much', 'Use more.', model))).toContainEqual(
    expect.stringContaining(' used '),
  );
  const asked = rig.asked().length;
  const said = brief(await rig.prompt('much', 'Use even more.', model));
  expect(said).toContainEqual(
    expect.stringMatching(
      /^system: The session used \d+ tokens; the limit is 2500\. Raise limits\.session\.tokens in the settings to continue\.$/,
    ),
  );
  expect(rig.asked().length).toBe(asked);
  expect(brief(await rig.prompt('other', 'Hello.', model)).at(-1)).toBe('assistant: You said: Hello.');
});

test('a turn that has cost more than it may, and then a session', async () => {
  await start({ money: 0.5, session: { money: 1 } });
  rig.answer = () => [
    { call: 'read_file', input: { path: 'a.txt' } },
    { usage: { input: 1_000, output: 50_000 } },
  ];
  expect(brief(await rig.prompt('dear', 'Go.', model))).toContain(
    'system: The turn used $0.75; the limit is $0.50. Raise limits.money in the settings to continue.',
  );
  await rig.prompt('dear', 'Again.', model);
  const asked = rig.asked().length;
  expect(asked).toBe(2);
  expect(brief(await rig.prompt('dear', 'And again.', model))).toContain(
    'system: The session used $1.51; the limit is $1.00. Raise limits.session.money in the ' +
      'settings to continue.',
  );
  expect(rig.asked().length).toBe(asked);
});

test('a turn in which the model was asked as often as it may be', async () => {
  await start({ steps: 3 });
  rig.answer = ({ asked }) =>
    asked?.prompt === 'Go.'
      ? [{ text: 'On and on. ' }, { call: 'read_file', input: { path: `${asked.results.length}.txt` } }]
      : [{ text: 'Hello, too.' }];
  const said = brief(await rig.prompt('long', 'Go.', model));
  expect(said.filter((line) => line.startsWith('read_file'))).toEqual([
    'read_file failed',
    'read_file failed',
    'read_file failed',
  ]);
  expect(rig.asked().length).toBe(3);
  expect(said.at(-1)).toMatch(/steps/);
  expect(brief(await rig.prompt('long', 'Hello.', model)).at(-1)).toBe('assistant: Hello, too.');
});

test('what an agent uses that works for another one counts as the turn around it, and both end', async () => {
  await start({ tokens: 1_000 });
  rig.answer = ({ asked }) => {
    if (asked?.prompt === 'Help.')
      return [{ call: 'read_file', input: { path: 'a.txt' } }, { usage: { input: 700, output: 0 } }];
    return asked?.results.length === 0
      ? [
          { call: 'spawn_agent', input: { agent: 'general', task: 'Help.' } },
          { usage: { input: 600, output: 0 } },
        ]
      : undefined;
  };
  expect(brief(await rig.prompt('parent', 'Have it done.', model))).toContain(
    'system: The turn used 1300 tokens; the limit is 1000. Raise limits.tokens in the settings to continue.',
  );
  expect(rig.asked().length).toBe(2);
  const { chats } = await rig.eca.request('chat/list', {});
  expect(chats).toMatchObject([{ id: 'parent', status: 'idle' }]);
});

test('a command that runs longer than the settings let it is stopped, unless the model wants it otherwise', async () => {
  rig = await startConversation({
    settings: { limits: { commandTimeout: 300 }, approvals: { allow: ['shell_command'] } },
  });
  const commands = [{ command: 'sleep 600' }, { command: 'sleep 0.5; echo slow', timeout: 60_000 }];
  rig.answer = ({ asked }) => {
    const input = commands[asked?.results.length ?? 0];
    return input && [{ call: 'shell_command', input }];
  };
  await rig.prompt('commands', 'Go.', model);
  expect(rig.asked().at(-1)?.asked?.results).toEqual([
    'The command was stopped after 300 ms.\n',
    expect.stringContaining('slow'),
  ]);
});
