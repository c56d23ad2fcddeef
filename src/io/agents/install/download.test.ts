import { expect, test } from 'vitest';
import { downloadText } from './download.ts';

/** A server that sends everybody who asks for the first address to the second. */
function redirecting(from: string, to: string): { readonly asked: string[]; readonly fetch: typeof fetch } {
  const asked: string[] = [];
  const answer: typeof fetch = async (input) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push(url);
    return url === from
      ? new Response(null, { status: 302, headers: { location: to } })
      : new Response('text');
  };
  return { asked, fetch: answer };
}

test.each([
  ['https://a.example/x', 'https://b.example/y'],
  ['http://127.0.0.1:8080/x', 'http://localhost:8081/y'],
  ['http://127.0.0.1:8080/x', 'https://b.example/y'],
])('%s may lead to %s', async (from, to) => {
  const { fetch, asked } = redirecting(from, to);
  expect(await downloadText(from, { fetch, limit: 100, signal: new AbortController().signal })).toBe('text');
  expect(asked).toEqual([from, to]);
});

test.each([
  ['https://a.example/x', 'http://127.0.0.1:8080/y', 'redirects to this machine'],
  ['https://a.example/x', 'http://127.8.8.8:8080/y', 'redirects to this machine'],
  ['https://a.example/x', 'https://[::1]/y', 'redirects to this machine'],
  ['https://a.example/x', 'https://localhost/y', 'redirects to this machine'],
  ['https://a.example/x', 'http://b.example/y', 'is not an https address'],
  ['https://a.example/x', 'file:///etc/passwd', 'is not an https address'],
])('%s does not lead to %s, which is not asked', async (from, to, problem) => {
  const { fetch, asked } = redirecting(from, to);
  await expect(
    downloadText(from, { fetch, limit: 100, signal: new AbortController().signal }),
  ).rejects.toThrow(problem);
  expect(asked).toEqual([from]);
});

test('a download that breaks off says so', async () => {
  const cut: typeof fetch = () => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(10)),
      pull: (controller) => controller.error(new TypeError('terminated')),
    });
    return Promise.resolve(new Response(body));
  };
  await expect(
    downloadText('https://a.example/x', { fetch: cut, limit: 100, signal: new AbortController().signal }),
  ).rejects.toThrow('https://a.example/x broke off before its end; try it again.');
});

test.each([
  [{ code: 'ECONNREFUSED' }, 'https://a.example/x cannot be reached: the connection was refused.'],
  [
    { code: 'ENOTFOUND' },
    'https://a.example/x cannot be reached: the host does not exist, or there is no network.',
  ],
  [{ code: 'CERT_HAS_EXPIRED' }, 'https://a.example/x cannot be reached: its certificate has expired.'],
  [{ message: 'no luck' }, 'https://a.example/x cannot be reached: no luck.'],
])('a server that cannot be reached is named with the cause: %j', async (why, problem) => {
  const dead: typeof fetch = () =>
    Promise.reject(new TypeError('fetch failed', { cause: Object.assign(new Error('x'), why) }));
  const { signal } = new AbortController();
  await expect(downloadText('https://a.example/x', { fetch: dead, limit: 100, signal })).rejects.toThrow(
    new Error(problem),
  );
});
