// Every provider that is only an address with habits, tried against the fake provider: the answer comes through, and the request is as this one wants it.
import { describe, expect, test } from 'vitest';
import { brief, modelRig, secretKey, user } from '../kit/modelRig.ts';
import type { ModelRequest } from '../../src/agents/native/model.ts';

interface Expected {
  readonly path: string;
  readonly headers: { readonly [name: string]: unknown };
  readonly body?: object;
  readonly request?: Partial<ModelRequest>;
}

const bearer = { authorization: `Bearer ${secretKey}` };

check('github-copilot', 'gpt-5.5', { path: '/chat/completions', headers: { ...bearer, 'x-initiator': 'user', 'copilot-integration-id': 'vscode-chat', 'copilot-vision-request': undefined } });
check('github-copilot', 'gpt-5.3-codex', { path: '/responses', headers: { ...bearer, 'x-initiator': 'agent' }, request: { messages: [user('Hi.'), { role: 'assistant', content: [{ type: 'call', id: 'c', name: 'run', input: {} }] }, { role: 'tool', results: [{ id: 'c', name: 'run', status: 'done', text: 'x' }] }] } });
check('github-copilot', 'gpt-5.2', { path: '/chat/completions', headers: { 'copilot-vision-request': 'true' }, request: { messages: [{ role: 'user', content: [{ type: 'text', text: 'See.' }, { type: 'image', mediaType: 'image/png', data: 'aWNvbg==' }] }] } });
check('azure', 'my-deployment', { path: '/openai/v1/responses', headers: { 'api-key': secretKey, authorization: undefined }, body: { store: false } });
check('bedrock', 'openai.gpt-oss-120b', { path: '/openai/v1/chat/completions', headers: bearer });
check('openrouter', 'z-ai/glm-5', { path: '/api/v1/chat/completions', headers: { ...bearer, 'x-title': 'Parley' }, body: { usage: { include: true } } });
check('deepseek', 'deepseek-v4-pro', { path: '/chat/completions', headers: bearer, request: { variant: 'none' }, body: { thinking: { type: 'disabled' } } });
check('deepseek', 'deepseek-v4-pro', { path: '/chat/completions', headers: bearer, request: { variant: 'max' }, body: { thinking: { type: 'enabled' }, reasoning_effort: 'max' } });
check('mistral', 'devstral-2512', { path: '/v1/chat/completions', headers: bearer });
check('moonshot', 'kimi-k3', { path: '/v1/chat/completions', headers: bearer, body: { stream_options: { include_usage: true } } });
check('z-ai', 'glm-5.2', { path: '/api/paas/v4/chat/completions', headers: bearer, request: { variant: 'high' }, body: { thinking: { type: 'enabled' } } });
check('litellm', 'any', { path: '/v1/chat/completions', headers: bearer });
check('lmstudio', 'any', { path: '/v1/chat/completions', headers: bearer });
check('llama.cpp', 'any', { path: '/v1/chat/completions', headers: bearer });

function check(provider: string, model: string, { path, headers, body = {}, request }: Expected): void {
  describe(`the endpoint ${provider}`, () => {
    const rig = modelRig({ provider, model });
    test(`${model} is asked at ${path}${body === undefined ? '' : ` with ${JSON.stringify(body)}`}`, async () => {
      const parts = await rig.ask([{ think: 'Hm.' }, { text: 'Yes.' }, { call: 'run', input: { command: 'ls' }, id: 'callabcde' }], request);
      const [first] = rig.server.requests;
      expect([first?.path, Object.fromEntries(Object.keys(headers).map((name) => [name, first?.headers[name]]))]).toEqual([path, headers]);
      expect(first?.body).toMatchObject(body);
      expect(brief(parts)).toEqual(['reasoning Hm.', 'text Yes.', 'start run', 'input {"command":"ls"}', 'call run {"command":"ls"}', expect.stringMatching(/^usage/), 'finish calls']);
    });
  });
}
