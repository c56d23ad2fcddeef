import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeProvider } from '../../../test/kit/fakeProvider.ts';
import type { FakeProvider } from '../../../test/kit/fakeProvider.ts';
import { listModels } from './modelServers.ts';
import type { FoundModel, ListKind } from './modelLists.ts';

let server: FakeProvider;
beforeEach(async () => {
  server = await fakeProvider();
  server.models = ['large', 'text-embedding-3', 'small'];
});
afterEach(() => server.close());

describe('the models of a server', () => {
  check('ollama', '', [
    { name: 'large', context: 32_768, images: true },
    { name: 'small', context: 32_768, images: true },
  ]);
  check('openai', '/v1', [{ name: 'large' }, { name: 'small' }]);
  check('llama.cpp', '/v1', { problem: 'its answer is not a list of models' });
  check('lmstudio', '/v1', [{ name: 'large' }, { name: 'small' }]);
  check('anthropic', '/v1', [{ name: 'large' }, { name: 'small' }]);
  check('google', '/v1beta', [
    { name: 'large', context: 1000, output: 100 },
    { name: 'small', context: 1000, output: 100 },
  ]);
  check('openai', '/nothing', [{ name: 'large' }, { name: 'small' }]);
  check('llama.cpp', '/llama/v1', [
    { name: 'large', context: 4_096 },
    { name: 'small', context: 4_096 },
  ]);

  function check(
    kind: ListKind,
    path: string,
    expected: readonly FoundModel[] | { readonly problem: string },
  ): void {
    test(`asked at ${path === '' ? 'its root' : path} the way of ${kind}`, async () => {
      expect(await listModels(server.url + path, kind)).toEqual(expected);
    });
  }
});

test('a key goes with the request where there is one', async () => {
  await listModels(`${server.url}/v1`, 'openai', { key: 'k' });
  await listModels(`${server.url}/v1?a=b`, 'anthropic', { key: 'k' });
  await listModels(`${server.url}/v1beta`, 'google', { key: 'k' });
  expect(
    server.requests.map(
      ({ headers }) => headers['authorization'] ?? headers['x-api-key'] ?? headers['x-goog-api-key'],
    ),
  ).toEqual(['Bearer k', 'k', 'k']);
  expect(server.requests.map(({ path, query }) => path + query)).toEqual([
    '/v1/models',
    '/v1/models?limit=1000&a=b',
    '/v1beta/models?pageSize=1000',
  ]);
});

test('a server elsewhere is asked by whatever way there is to it', async () => {
  const asked: string[] = [];
  const through: typeof fetch = (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input).href;
    asked.push(url);
    return fetch(url.replace('http://models.invalid', server.url), init);
  };
  expect(await listModels('http://models.invalid/v1', 'openai', { fetch: through })).toEqual([
    { name: 'large' },
    { name: 'small' },
  ]);
  expect(asked).toEqual(['http://models.invalid/v1/models']);
});

test('where nobody listens there are none, and nothing is asked', async () => {
  const { url } = server;
  await server.close();
  expect(await listModels(`${url}/v1`, 'openai')).toEqual({ problem: `nothing answers at ${url}/v1` });
  server = await fakeProvider();
});
