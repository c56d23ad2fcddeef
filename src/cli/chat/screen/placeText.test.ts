import { expect, test } from 'vitest';
import { placeText } from './placeText.ts';

test.each<[meta: object, text: string]>([
  [{ kind: 'execute' }, 'in ~/shop · writes: all that you can · network: on · outside the sandbox'],
  [
    { kind: 'execute', sandbox: { confined: false } },
    'in ~/shop · writes: all that you can · network: on · outside the sandbox',
  ],
  [
    { kind: 'execute', sandbox: { confined: true, network: 'off' } },
    'in ~/shop · writes outside: none · network: off · inside the sandbox',
  ],
  [{ kind: 'edit' }, ''],
])('%j', (meta, text) => {
  const call = {
    status: 'pending-confirmation',
    toolCallId: 'a',
    toolName: 'shell_command',
    displayName: 'Shell',
    invocationMessage: '$ ls',
    _meta: { ...meta },
  } as const;
  const place = { folder: 'file:///home/ada/shop', home: '/home/ada', input: 'ls' };
  expect(placeText(call, place)).toBe(text);
  const below = { ...place, input: '{"command":"ls","working_directory":"web"}' };
  expect(placeText(call, below)).toBe(text.replace('~/shop', '~/shop/web'));
});
