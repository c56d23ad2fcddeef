// Every provider that is only an address with habits, tried against the fake provider: the answer comes
// through, and the request is as this one wants it.
import { describe, expect, test } from 'vitest';
import { brief, collect, modelRig, requestOf, secretKey, user } from '../kit/modelRig.ts';
import type { ModelRequest } from '../../src/agents/native/model.ts';
import { providersWith } from '../../src/agents/native/models/providers/fromSettings.ts';
import { providerOf } from '../../src/agents/native/models/providers/providers.ts';
import type { WireName } from '../../src/agents/native/models/providers/providers.ts';
import { resolveAccess } from '../../src/agents/native/models/providers/access.ts';
import { awsSignature } from '../../src/io/auth/awsSignature.ts';

interface Expected {
  readonly path: string;
  readonly query?: string;
  /** What stands behind the address of the server in the user's settings. */
  readonly below?: string;
  readonly wire?: WireName;
  readonly headers: { readonly [name: string]: unknown };
  readonly body?: object;
  readonly request?: Partial<ModelRequest>;
}

const bearer = { authorization: `Bearer ${secretKey}` };

check('github-copilot', 'gpt-5.5', {
  path: '/chat/completions',
  headers: {
    ...bearer,
    'x-initiator': 'user',
    'copilot-integration-id': 'vscode-chat',
    'copilot-vision-request': undefined,
  },
});
check('github-copilot', 'gpt-5.3-codex', {
  path: '/responses',
  headers: { ...bearer, 'x-initiator': 'agent' },
  request: {
    messages: [
      user('Hi.'),
      { role: 'assistant', content: [{ type: 'call', id: 'c', name: 'run', input: {} }] },
      { role: 'tool', results: [{ id: 'c', name: 'run', status: 'done', text: 'x' }] },
    ],
  },
});
check('github-copilot', 'gpt-5.2', {
  path: '/chat/completions',
  headers: { 'copilot-vision-request': 'true' },
  request: {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See.' },
          { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' },
        ],
      },
    ],
  },
});
check('azure', 'my-deployment', {
  path: '/openai/v1/responses',
  headers: { 'api-key': secretKey, authorization: undefined },
  body: { store: false },
});
check('azure', 'my-deployment', {
  below: '/openai/deployments/{model}?api-version=2024-10-21',
  wire: 'compatible',
  path: '/openai/deployments/my-deployment/chat/completions',
  query: '?api-version=2024-10-21',
  headers: { 'api-key': secretKey, authorization: undefined },
});
check('azure', 'my-deployment', {
  below: '/openai/v1?api-version=preview',
  path: '/openai/v1/responses',
  query: '?api-version=preview',
  headers: { 'api-key': secretKey },
});
check('bedrock', 'eu.anthropic.claude-sonnet-4-6:0', {
  path: '/model/eu.anthropic.claude-sonnet-4-6%3A0/converse-stream',
  headers: { ...bearer, accept: 'application/vnd.amazon.eventstream' },
  body: {
    inferenceConfig: { maxTokens: 1000 },
    system: [{ text: 'Be good.' }, { cachePoint: { type: 'default' } }],
  },
});
check('bedrock', 'openai.gpt-oss-120b-1:0', {
  path: '/model/openai.gpt-oss-120b-1%3A0/converse-stream',
  headers: bearer,
  request: { variant: 'low' },
  body: { additionalModelRequestFields: { reasoning_effort: 'low' }, system: [{ text: 'Be good.' }] },
});
check('bedrock', 'openai.gpt-oss-120b', {
  below: '/openai/v1',
  wire: 'compatible',
  path: '/openai/v1/chat/completions',
  headers: bearer,
});
check('openrouter', 'z-ai/glm-5', {
  path: '/api/v1/chat/completions',
  headers: { ...bearer, 'x-title': 'Parley' },
  body: { usage: { include: true } },
});
check('deepseek', 'deepseek-v4-pro', {
  path: '/chat/completions',
  headers: bearer,
  request: { variant: 'none' },
  body: { thinking: { type: 'disabled' } },
});
check('deepseek', 'deepseek-v4-pro', {
  path: '/chat/completions',
  headers: bearer,
  request: { variant: 'max' },
  body: { thinking: { type: 'enabled' }, reasoning_effort: 'max' },
});
check('mistral', 'devstral-2512', { path: '/v1/chat/completions', headers: bearer });
check('moonshot', 'kimi-k3', {
  path: '/v1/chat/completions',
  headers: bearer,
  body: { stream_options: { include_usage: true } },
});
check('z-ai', 'glm-5.2', {
  path: '/api/paas/v4/chat/completions',
  headers: bearer,
  request: { variant: 'high' },
  body: { thinking: { type: 'enabled' } },
});
check('litellm', 'any', { path: '/v1/chat/completions', headers: bearer });
check('lmstudio', 'any', { path: '/v1/chat/completions', headers: bearer });
check('llama.cpp', 'any', { path: '/v1/chat/completions', headers: bearer });

function check(
  provider: string,
  model: string,
  { path, query = '', below = '', wire, headers, body = {}, request }: Expected,
): void {
  describe(`the endpoint ${provider}`, () => {
    const rig = modelRig({ provider, model, ...(wire ? { wire } : {}) });
    test(`${model} is asked at ${path}${body === undefined ? '' : ` with ${JSON.stringify(body)}`}`, async () => {
      rig.server.replies.push([
        { think: 'Hm.' },
        { text: 'Yes.' },
        { call: 'run', input: { command: 'ls' }, id: 'callabcde' },
      ]);
      const parts = await collect(rig.open({ url: rig.server.url + below }).stream(requestOf(request)));
      const [first] = rig.server.requests;
      expect([
        first?.path,
        first?.query,
        Object.fromEntries(Object.keys(headers).map((name) => [name, first?.headers[name]])),
      ]).toEqual([path, query, headers]);
      expect(first?.body).toMatchObject(body);
      expect(brief(parts)).toEqual([
        'reasoning Hm.',
        'text Yes.',
        'start run',
        'input {"command":"ls"}',
        'call run {"command":"ls"}',
        expect.stringMatching(/^usage/),
        'finish calls',
      ]);
    });
  });
}

describe('the endpoint bedrock without a key', () => {
  const rig = modelRig({ provider: 'bedrock', model: 'amazon.nova-pro-v1:0' });
  test('is sent signed requests', async () => {
    const env = {
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: 'secret-words',
      AWS_SESSION_TOKEN: 'session',
      AWS_REGION: 'eu-west-1',
      BEDROCK_API_URL: rig.server.url,
    };
    const provider = providerOf('bedrock');
    if (!provider) throw new Error('no provider');
    rig.server.replies.push([{ text: 'Yes.' }]);
    const model = rig.open({
      access: () => resolveAccess(provider, env, undefined),
      sign: (request) =>
        Promise.resolve(awsSignature(request, { env, service: 'bedrock', now: () => Date.UTC(2026, 0, 2) })),
    });
    expect(brief(await collect(model.stream(requestOf())))[0]).toBe('text Yes.');
    const { headers } = rig.server.requests[0] ?? {};
    expect([
      headers?.['x-amz-date'],
      headers?.['x-amz-security-token'],
      JSON.stringify(headers).includes('secret-words'),
    ]).toEqual(['20260102T000000Z', 'session', false]);
    expect(headers?.['authorization']).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKID\/20260102\/eu-west-1\/bedrock\/aws4_request, SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=[0-9a-f]{64}$/,
    );
  });
});

describe("an endpoint of the user's own", () => {
  const rig = modelRig({ provider: 'openai', model: 'any' });
  test.each([
    ['openai-chat', '/custom/chat?tenant=7', '/custom/chat?tenant=7'],
    ['anthropic', undefined, '/v1/messages'],
    ['openai-responses', undefined, '/v1/responses'],
    ['google', undefined, '/v1beta/models/mine:streamGenerateContent?alt=sse'],
  ] as const)('speaks %s where its settings say', async (api, path, asked) => {
    const provider = providersWith(
      { mine: { api, url: rig.server.url, ...(path ? { path } : {}), key: 'k', models: { mine: {} } } },
      (text) => text,
    ).find(({ id }) => id === 'mine');
    if (!provider) throw new Error('no provider');
    rig.server.replies.push([{ text: 'Yes.' }]);
    await collect(
      rig
        .open({ provider, model: 'mine', access: () => resolveAccess(provider, {}, undefined) })
        .stream(requestOf()),
    );
    expect(rig.server.requests.map((request) => request.path + request.query)).toEqual([asked]);
  });
});
