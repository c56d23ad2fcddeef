import { expect, test } from 'vitest';
import { originName } from './howItRan.ts';

const client = { kind: 'client', door: 'ahp', client: 'c1' } as const;

test.each([
  [client, 'ahp client c1'],
  [{ ...client, name: 'Parley console' }, 'Parley console'],
  [{ ...client, name: 'Parley console', device: 'phone' }, 'Parley console (phone)'],
  [{ ...client, name: 'phone', device: 'phone' }, 'phone'],
  [{ ...client, name: 'Eve\u202Elive' }, 'Eve\\u202elive'],
  [{ ...client, device: 'phone' }, 'ahp client c1 (phone)'],
  [{ kind: 'agent', agent: 'claude' } as const, 'claude'],
  [{ kind: 'host' } as const, 'the host'],
])('%j is called %s', (by, name) => {
  expect(originName(by)).toBe(name);
});
