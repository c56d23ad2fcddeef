import { expect, test } from 'vitest';
import type { UserMessage } from '../../model/event.ts';
import { unknownCommand } from './commands.ts';

const knowledge = {
  commands: [{ name: 'ship', description: '', text: 'Ship it.', arguments: [], path: '/c/ship.md' }],
  skills: [],
};

const message = (text: string, more: Partial<UserMessage> = {}): UserMessage => ({ id: 'm', text, ...more });

test.each([
  ['/modle x', / \/modle\. Did you mean \/model\? \/help lists the commands\./],
  ['/shp', /Did you mean \/ship\?/],
  ['/nothing-like-this', /^There is no command \/nothing-like-this\. \/help/],
  ['/', /^There is no command \/\. \/help/],
  ['//x', /^There is no command \/\/x\. \/help/],
])('%s is no command', (text, words) => {
  expect(unknownCommand(message(text), knowledge)).toMatch(words);
});

test.each([
  '/ship now',
  '/compact',
  '/cost',
  '/undo',
  '/redo',
  '/etc/passwd has what?',
  ' /modle',
  'a /modle',
  '// a comment',
  '//server/share',
  ' //x',
])('%j is left alone', (text) => {
  expect(unknownCommand(message(text), knowledge)).toBe(undefined);
});

test('a command that a client has explained is left alone', () => {
  const attachments = [{ type: 'text', label: 'Meaning', text: 'Do x.', isCommand: true }] as const;
  expect(unknownCommand(message('/x', { attachments }), knowledge)).toBe(undefined);
});
