import { expect, test } from 'vitest';
import { paintFor } from '../../output.ts';
import { endedToolLines, runningToolLines } from './toolLines.ts';

test.each([
  [5, '… 1 line above'],
  [6, '… 2 lines above'],
])('of %d lines of a running command the first are counted', (count, words) => {
  const output = Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('');
  const call = {
    status: 'running',
    toolCallId: 'c',
    toolName: 'shell_command',
    displayName: 'Shell command',
    invocationMessage: '$ make',
    confirmed: 'user-action',
  } as const;
  const look = { paint: paintFor({ isTTY: false }), width: 40, seconds: 0, output };
  expect(runningToolLines(call, look)).toContain(`  │ ${words}`);
});

test.each([
  ['execute', ['Done      $ make', '  │ built', '  /w/out +1 -0']],
  ['edit', ['Edited    $ make', '  /w/out +1 -0']],
])('of a call of the kind %s with output and a changed file', async (kind, expected) => {
  const call = {
    status: 'completed',
    toolCallId: 'c',
    toolName: 'shell_command',
    displayName: 'Shell command',
    invocationMessage: '$ make',
    confirmed: 'user-action',
    success: true,
    pastTenseMessage: '$ make',
    content: [
      { type: 'text', text: 'built' },
      { type: 'fileEdit', after: { uri: 'file:///w/out', content: { uri: 'parley:/after' } } },
    ],
    _meta: { kind },
  } as const;
  const look = { paint: paintFor({ isTTY: false }), width: 40 };
  const { lines } = await endedToolLines(call, look, () => Promise.resolve('one\n'));
  const texts = lines.map((line) => line.trimEnd());
  expect(texts.filter((line) => expected.includes(line))).toEqual(expected);
  expect(texts.some((line) => line.includes('built'))).toBe(kind === 'execute');
});

test('who decided, and why, stands below the title at any width', async () => {
  const call = {
    status: 'cancelled',
    toolCallId: 'c',
    toolName: 'shell_command',
    displayName: 'Shell command',
    invocationMessage: '$ make',
    reason: 'denied',
    reasonMessage: 'Use the script that is there for it.',
    _meta: { decidedBy: 'Terminal', decision: 'Deny', effect: 'deny', editedBy: 'Firefox on Linux' },
  } as const;
  const look = { paint: paintFor({ isTTY: false }), width: 40 };
  const { lines } = await endedToolLines(call, look, () => Promise.resolve(''));
  expect(lines.map((line) => line.trimEnd())).toEqual([
    'Denied    $ make',
    '          Denied by Terminal · edited by',
    '          Firefox on Linux',
    '          Use the script that is there',
    '          for it.',
  ]);
});
