import { expect, test } from 'vitest';
import type { PendingToolCall } from '../../../protocols/ahp/v1_0/toolCall.ts';
import { paintFor } from '../../output.ts';
import { AskPanel } from './askPanel.ts';

const rule = 'commands that begin with "npm test" and commands that begin with "echo"';
const call: PendingToolCall = {
  ...{ toolCallId: 'c1', toolName: 'shell_command', displayName: 'Run command' },
  ...{ status: 'pending-confirmation', invocationMessage: '$ npm test', toolInput: 'npm test' },
  options: [{ id: 's', label: 'In this session', kind: 'approve', _meta: { effect: 'allow-session', rule } }],
};

test('what an answer would allow is broken between words', async () => {
  let changed = 0;
  const panel = new AskPanel({
    paint: paintFor({ isTTY: false }),
    read: async () => '',
    changed: () => (changed += 1),
    dispatch: () => {},
    note: () => {},
    folder: () => 'file:///home/ada/shop',
  });
  panel.update({ kind: 'approval', turn: 't', chat: 'ahp-chat:/c', call });
  await expect.poll(() => changed).toBeGreaterThan(0);
  const words = panel.lines(60, 30).join('\n').match(/\S+/g) ?? [];
  panel.close();
  expect(words).toEqual(expect.arrayContaining(`Longer than once allows: ${rule}`.split(' ')));
});
