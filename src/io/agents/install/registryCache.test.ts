import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fetchRegistry } from './registryCache.ts';

const url = 'https://company.example/registry.json';
const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
const answers = [
  {
    what: 'cannot be reached',
    answer: () => Promise.reject(new TypeError('fetch failed', { cause: refused })),
    problem: `${url} cannot be reached: the connection was refused.`,
  },
  {
    what: 'answers with something else',
    answer: () => Promise.resolve(new Response('<html>')),
    problem: `${url} is not an agent registry.`,
  },
  {
    what: 'refuses',
    answer: () => Promise.resolve(new Response('', { status: 404 })),
    problem: `${url} answers with status 404.`,
  },
];

test.each(answers)('a registry that $what is named once, with the cause', async ({ answer, problem }) => {
  const cache = join(tmpdir(), 'parley-no-registry', 'registry.json');
  const { signal } = new AbortController();
  expect(await fetchRegistry(url, { fetch: answer, cache, signal, now: 0 })).toEqual({ problem });
});
