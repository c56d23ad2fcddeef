import { expect, test } from 'vitest';
import { paintFor } from '../../output.ts';
import { runningToolLines } from './toolLines.ts';

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
