import { expect, test } from 'vitest';
import { newCall } from './toolCall.ts';

test.each([
  [{ name: '*' }, '_'],
  [{ name: '@edit' }, '_edit'],
  [{ title: 'Fix *.ts?' }, 'Fix _.ts_'],
  [{ title: '@execute' }, '_execute'],
  [{ name: 'Bash', title: '*' }, 'Bash'],
  [{ title: '*', kind: 'edit' as const }, 'edit'],
])('a call that says %j of itself is no pattern in a rule: %s', (said, name) =>
  expect(newCall({ toolCallId: 'c', ...said }, 'c').name).toBe(name),
);
