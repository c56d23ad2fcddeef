import { createPublicKey, verify } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { pushService } from '../../../test/kit/pushService.ts';
import { createVapidKeys, encryptFor, sendPush } from './webPush.ts';

test('a message is encrypted as in the example of RFC 8291', () => {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  const sealed = encryptFor(keys, Buffer.from('When I grow up, I want to be a watermelon'), {
    salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'),
    secret: bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'),
  });
  expect(sealed.toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('a push service gets what only the browser can read, signed by the host', async () => {
  const service = await pushService();
  onTestFinished(() => service.close());
  const vapid = createVapidKeys();
  const now = Date.parse('2026-01-02T03:04:05Z');
  expect(await sendPush(fetch, { ...service, payload: { session: 's' }, vapid, now })).toBe('sent');
  const [{ headers, text } = { headers: {}, text: '' }] = service.received;
  expect(JSON.parse(text)).toEqual({ session: 's' });
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', ttl: '14400' });
  const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? '') ?? [];
  expect(key).toBe(vapid.publicKey);
  const [head = '', claims = '', signature = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
    aud: new URL(service.subscription.endpoint).origin,
    exp: now / 1000 + 12 * 3600,
    sub: expect.stringMatching(/^mailto:/),
  });
  const signed = Buffer.from(signature, 'base64url');
  expect(
    verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: publicKey(key), dsaEncoding: 'ieee-p1363' },
      signed,
    ),
  ).toBe(true);
});

test.each([
  [410, 'gone'],
  [404, 'gone'],
  [500, { problem: 'The push service answered with status 500.' }],
])('status %i means %j', async (status, expected) => {
  const service = await pushService({ status });
  onTestFinished(() => service.close());
  const result = await sendPush(fetch, { ...service, payload: {}, vapid: createVapidKeys(), now: 0 });
  expect(result).toEqual(expected);
});

function publicKey(point: string) {
  const bytes = Buffer.from(point, 'base64url');
  const part = (from: number, to: number) => bytes.subarray(from, to).toString('base64url');
  const key = { kty: 'EC', crv: 'P-256', x: part(1, 33), y: part(33, 65) };
  return createPublicKey({ format: 'jwk', key });
}
