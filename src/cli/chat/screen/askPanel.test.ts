import { expect, test } from 'vitest';
import type { ClientAction } from '../../../protocols/ahp/v1_0/actions.ts';
import type { ChatInputQuestion } from '../../../protocols/ahp/v1_0/message.ts';
import type { PendingToolCall } from '../../../protocols/ahp/v1_0/toolCall.ts';
import { paintFor } from '../../output.ts';
import { AskPanel } from './askPanel.ts';

const rule = 'commands that begin with "npm test" and commands that begin with "echo"';
const call: PendingToolCall = {
  ...{ toolCallId: 'c1', toolName: 'shell_command', displayName: 'Run command' },
  ...{ status: 'pending-confirmation', invocationMessage: '$ npm test', toolInput: 'npm test' },
  options: [{ id: 's', label: 'In this session', kind: 'approve', _meta: { effect: 'allow-session', rule } }],
};

function newPanel(changed: () => void, dispatch: (chat: string, action: ClientAction) => void = () => {}) {
  return new AskPanel({
    paint: paintFor({ isTTY: false }),
    read: async () => '',
    changed,
    dispatch,
    note: () => {},
    folder: () => 'file:///home/ada/shop',
  });
}

test('what an answer would allow is broken between words', async () => {
  let changed = 0;
  const panel = newPanel(() => (changed += 1));
  panel.update({ kind: 'approval', turn: 't', chat: 'ahp-chat:/c', call });
  await expect.poll(() => changed).toBeGreaterThan(0);
  const words = panel.lines(60, 30).join('\n').match(/\S+/g) ?? [];
  panel.close();
  expect(words).toEqual(expect.arrayContaining(`Longer than once allows: ${rule}`.split(' ')));
});

function asked(
  question: Partial<ChatInputQuestion>,
  dispatch?: (chat: string, action: ClientAction) => void,
) {
  const panel = newPanel(() => {}, dispatch);
  const whole = { id: 'q', message: 'Which?', required: true, ...question } as ChatInputQuestion;
  const request = { id: 'r', message: whole.message ?? '', questions: [whole] };
  panel.update({ kind: 'question', chat: 'ahp-chat:/c', request });
  return panel;
}

/** Their ids are what they say, as those of the tool that asks are. */
const numbers = ['3', '2', '1, or none'].map((label) => ({ id: label, label }));

test.each([
  ['single-select', 0, { kind: 'selected', value: '3' }],
  ['single-select', 1, { kind: 'selected', value: '2' }],
  ['multi-select', 2, { kind: 'selected-many', value: ['1, or none'] }],
] as const)(
  'Enter chooses the marked option of a %s, whatever it is called (%i)',
  async (kind, at, value) => {
    const sent: ClientAction[] = [];
    const panel = asked({ kind, options: numbers }, (_, action) => sent.push(action));
    for (let moved = 0; moved < 3 + at; moved += 1) panel.move('down');
    panel.answer('');
    panel.close();
    expect(sent).toMatchObject([{ answers: { q: { state: 'submitted', value } } }]);
  },
);

test.each([37, 80, 140])('options are whole on %i columns', (width) => {
  const label = 'SQLite, in one file of the project';
  const description = 'needs nothing else, and is enough for one machine with a few hundred users at a time';
  const panel = asked({ kind: 'single-select', options: [{ id: 'a', label, description }] });
  const words = panel
    .lines(width, 20)
    .join(' ')
    .match(/[^\s│]+/g);
  panel.close();
  expect(words?.join(' ')).toContain(`❯ 1 ${label} ${description}`);
});

test('a question that does not fit is printed above the box, once', () => {
  const message = Array.from({ length: 40 }, (_, at) => `Line ${at + 1}.`).join('\n');
  const panel = asked({ kind: 'single-select', message, options: numbers });
  expect(panel.longQuestion(80, 60)).toEqual([]);
  expect(panel.lines(80, 60).join('\n')).toContain('Line 40.');
  expect(panel.longQuestion(80, 12).map((line) => line.trim())).toEqual(['', ...message.split('\n')]);
  expect(panel.longQuestion(80, 12)).toEqual([]);
  const box = panel.lines(80, 12);
  panel.close();
  expect(box.length).toBeLessThanOrEqual(12);
  expect(box.join('\n')).toMatch(/↑ The question is above, in 40 lines\.[^]*❯ 1 {2}3[^]*1, or none/);
});
