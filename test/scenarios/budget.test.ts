// Budgets in the real program, from the settings: a turn that has used too much ends in words that say so, and the session says it before it begins.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brief, formats, talking } from '../kit/conversation.ts';
import type { Talking } from '../kit/conversation.ts';

let rig: Talking;

beforeAll(async () => {
  rig = await talking({ settings: { limits: { tokens: 1_000, session: { tokens: 2_500 } } } });
});
afterAll(() => rig.close());

test('a turn, and then a session, that has used more than it may', async () => {
  const done = new Set<string>();
  const isFirst = (prompt: string) => prompt.includes('Use') && !done.has(prompt) && done.add(prompt);
  rig.answer = ({ asked }) => (asked && isFirst(asked.prompt) ? [{ call: 'read_file', input: { path: 'a.txt' } }, { usage: { input: 1_400, output: 100 } }] : undefined);
  const model = formats[0][1];
  const over = 'system: The turn has used 1500 tokens and may use 1000. Raise limits.tokens in the settings to go on.';
  expect(brief(await rig.prompt('much', 'Use much.', model))).toContainEqual(expect.stringContaining(over));
  expect(brief(await rig.prompt('much', 'Use more.', model))).toContainEqual(expect.stringContaining('has used'));
  const asked = rig.asked().length;
  const said = brief(await rig.prompt('much', 'Use even more.', model));
  expect(said).toContainEqual(expect.stringMatching(/^system: The session has used \d+ tokens and may use 2500\. Raise limits\.session\.tokens in the settings to go on\.$/));
  expect(rig.asked().length).toBe(asked);
  expect(brief(await rig.prompt('other', 'Hello.', model)).at(-1)).toBe('assistant: You said: Hello.');
});
