import { expect, test } from 'vitest';
import { fakeProvider } from '../../../../../test/kit/fakeProvider.ts';
import { brief, collect, requestOf } from '../../../../../test/kit/modelRig.ts';
import type { ProviderSettings } from '../../../../host/settings/settings.ts';
import { manualClock } from '../../../../../test/kit/manualClock.ts';
import { ModelCatalogue } from '../catalogue/modelCatalogue.ts';
import { providersWith } from './fromSettings.ts';

const neverAsked: AsyncIterable<never> = { async *[Symbol.asyncIterator]() {} };

const fill = (text: string) => (text === '${env:NONE}' ? undefined : text.replace('${env:KEY}', 'k-1'));

function known(settings: { readonly [id: string]: ProviderSettings }, id: string) {
  return providersWith(settings, fill).find((provider) => provider.id === id);
}

test.each<[string, ProviderSettings, object]>([
  [
    'acme',
    { api: 'openai-chat', url: 'https://a.example', key: '${env:KEY}' },
    {
      wire: 'compatible',
      key: [],
      vendorModelList: 'openai',
      config: { url: 'https://a.example', key: 'k-1' },
    },
  ],
  ['acme', { url: 'http://127.0.0.1:1/v1' }, { wire: 'compatible', key: 'none', serverModelList: 'openai' }],
  [
    'acme',
    { api: 'anthropic', url: 'https://a.example', models: { m: { context: 5 } } },
    { wire: 'anthropic', key: 'none', vendorModelList: 'anthropic', models: [['m', 'm', 5, undefined]] },
  ],
  ['acme', { url: 'https://a.example', fetchModels: false }, { wire: 'compatible' }],
  ['openai', { api: 'openai-chat' }, { wire: 'openai-chat' }],
  [
    'openai',
    { headers: { 'x-a': '${env:KEY}', 'x-b': '${env:NONE}' } },
    { wire: 'openai-responses', config: { headers: { 'x-a': 'k-1' } } },
  ],
  [
    'anthropic',
    { models: { 'claude-sonnet-5': { context: 7 } } },
    { models: expect.arrayContaining([['claude-sonnet-5', 'claude-sonnet-5', 7, undefined]]) as unknown },
  ],
])('%s with %j', (id, settings, expected) => {
  expect(known({ [id]: settings }, id)).toMatchObject(expected);
});

test('a provider of the settings is asked with its key, headers, names and further fields, and costs what they say', async () => {
  const server = await fakeProvider();
  try {
    const model = {
      name: 'real-name',
      headers: { 'x-model': 'm' },
      extra: { seed: 7 },
      cost: { input: 1, output: 10 },
    };
    const made = providersWith(
      {
        acme: {
          api: 'openai-chat',
          url: server.url,
          key: '${env:KEY}',
          headers: { 'x-all': 'a' },
          models: { mine: model },
        },
      },
      fill,
    );
    const catalogue = new ModelCatalogue({
      env: {},
      stored: () => undefined,
      fetch,
      clock: manualClock(),
      builtIn: [],
      providers: () => made,
    });
    expect(catalogue.list().map(({ id }) => id)).toEqual(['acme/mine']);
    server.replies.push([{ text: 'ok' }, { usage: { input: 1_000_000, output: 100_000 } }]);
    const parts = await collect(catalogue.find('acme/mine')?.stream(requestOf()) ?? neverAsked);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer k-1', 'x-all': 'a', 'x-model': 'm' },
      body: { model: 'real-name', seed: 7 },
    });
    expect(parts.find(({ type }) => type === 'usage')).toMatchObject({ usage: { cost: 2 } });
  } finally {
    await server.close();
  }
});

test('habits of a provider of the settings: tags of thoughts, failures that pass, patience, ways to think, thoughts that go back, and no pictures', async () => {
  const server = await fakeProvider();
  try {
    const [made] = providersWith(
      {
        acme: {
          api: 'openai-chat',
          url: server.url,
          thinkTags: { start: '<thought>', end: '</thought>' },
          retry: { attempts: 1 },
          retryRules: [{ status: 418, pattern: 'tea', label: 'It is tea time' }],
          models: { mine: { images: false, reasoning: 'all', variants: { deep: { depth: 9 } } } },
        },
      },
      fill,
    ).filter(({ id }) => id === 'acme');
    if (!made) throw new Error('no provider');
    const catalogue = new ModelCatalogue({
      env: {},
      stored: () => undefined,
      fetch,
      clock: manualClock(),
      builtIn: [],
      providers: () => [made],
    });
    const model = catalogue.find('acme/mine');
    expect(model).toMatchObject({ pictures: false, patience: { attempts: 1 }, variants: ['deep'] });
    server.replies.push(
      [{ text: '<thought>Hm.</thought>Yes.' }],
      [{ fail: { status: 418, message: 'Too much tea.' } }],
      [{ fail: { status: 418, message: 'No.' } }],
    );
    const past = [
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Long ago.' },
          { type: 'text', text: 'Hello.' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ] as const;
    const parts = await collect(
      model?.stream(requestOf({ variant: 'deep', messages: past, start: 2 })) ?? neverAsked,
    );
    expect(brief(parts).slice(0, 2)).toEqual(['reasoning Hm.', 'text Yes.']);
    expect(server.requests[0]?.body).toMatchObject({ depth: 9 });
    expect([
      JSON.stringify(server.requests[0]?.body).includes('Long ago.'),
      'reasoning_effort' in Object(server.requests[0]?.body),
    ]).toEqual([true, false]);
    expect(await collect(model?.stream(requestOf()) ?? neverAsked)).toMatchObject([
      { type: 'error', code: 'overloaded', retryable: true, message: 'It is tea time.' },
    ]);
    expect(await collect(model?.stream(requestOf()) ?? neverAsked)).toMatchObject([
      { type: 'error', code: 'invalid', retryable: false },
    ]);
  } finally {
    await server.close();
  }
});
