import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeProvider } from '../../test/kit/fakeProvider.ts';
import type { FakeProvider } from '../../test/kit/fakeProvider.ts';
import { listModels } from './modelServers.ts';
import type { FoundModel, ListKind } from './modelServers.ts';

let server: FakeProvider;
beforeEach(async () => {
  server = await fakeProvider();
  server.models = ['large', 'text-embedding-3', 'small'];
});
afterEach(() => server.close());

describe('the models of a server', () => {
  check('ollama', '', [{ name: 'large', context: 32_768 }, { name: 'small', context: 32_768 }]);
  check('openai', '/v1', [{ name: 'large' }, { name: 'small' }]);
  check('llama.cpp', '/v1', undefined);
  check('openai', '/nothing', [{ name: 'large' }, { name: 'small' }]);
  check('llama.cpp', '/llama/v1', [{ name: 'large', context: 4_096 }, { name: 'small', context: 4_096 }]);

  function check(kind: ListKind, path: string, expected: readonly FoundModel[] | undefined): void {
    test(`asked at ${path === '' ? 'its root' : path} the way of ${kind}`, async () => {
      expect(await listModels(server.url + path, kind)).toEqual(expected);
    });
  }
});

test('a key goes with the request where there is one', async () => {
  await listModels(`${server.url}/v1`, 'openai', { key: 'k' });
  expect(server.requests[0]?.headers['authorization']).toBe('Bearer k');
});

test('a server elsewhere is asked by whatever way there is to it', async () => {
  const asked: string[] = [];
  const through: typeof fetch = (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input).href;
    asked.push(url);
    return fetch(url.replace('http://models.invalid', server.url), init);
  };
  expect(await listModels('http://models.invalid/v1', 'openai', { fetch: through })).toEqual([{ name: 'large' }, { name: 'small' }]);
  expect(asked).toEqual(['http://models.invalid/v1/models']);
});

test('where nobody listens there are none, and nothing is asked', async () => {
  const { url } = server;
  await server.close();
  expect(await listModels(`${url}/v1`, 'openai')).toBeUndefined();
  server = await fakeProvider();
});
