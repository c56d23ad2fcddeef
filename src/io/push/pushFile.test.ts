import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPushFile, subscriptionSchema } from './pushFile.ts';

const keys = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const subscription = { endpoint: 'https://push.example/1', keys };

test('the key is made once, a device has one subscription, and the file is private', () => {
  const path = place();
  const file = openPushFile(path);
  const made = file.keys();
  file.put('phone', subscription);
  file.put('phone', { ...subscription, endpoint: 'https://push.example/2' });
  file.put('tablet', subscription);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const again = openPushFile(path);
  expect(again.keys()).toEqual(made);
  expect(again.list().map(({ device, endpoint }) => [device, endpoint])).toEqual([
    ['phone', 'https://push.example/2'],
    ['tablet', 'https://push.example/1'],
  ]);
  expect([again.remove('phone'), again.remove('phone')]).toEqual([true, false]);
  expect(openPushFile(path).list()).toHaveLength(1);
});

test('a broken file counts as empty', () => {
  const path = place();
  writeFileSync(path, '{ "subscriptions": [{}] }');
  expect(openPushFile(path).list()).toEqual([]);
});

test.each([
  { ...subscription, endpoint: 'nowhere' },
  { ...subscription, keys: { ...keys, auth: 'short' } },
  { ...subscription, keys: { ...keys, p256dh: keys.auth } },
])('no subscription: %j', (wrong) => {
  expect(subscriptionSchema.safeParse(wrong).success).toBe(false);
});

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-push-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'push.json');
}
