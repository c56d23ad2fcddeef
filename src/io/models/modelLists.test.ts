import { expect, test } from 'vitest';
import { listedModels } from './modelLists.ts';
import type { FoundModel, ListKind } from './modelLists.ts';

const check = (
  what: string,
  kind: ListKind,
  ...[list, expected]: [unknown, readonly FoundModel[] | undefined]
) => test(`${what} is read`, () => expect(listedModels(list, kind)).toEqual(expected));

check(
  'the list of Anthropic',
  'anthropic',
  {
    data: [
      {
        type: 'model',
        id: 'claude-new',
        display_name: 'Claude New',
        max_input_tokens: 200_000,
        max_tokens: 64_000,
      },
    ],
    has_more: false,
  },
  [{ name: 'claude-new', title: 'Claude New', context: 200_000, output: 64_000 }],
);
check(
  'the list of OpenAI, without what nobody can talk to,',
  'openai',
  {
    data: [
      'gpt-9',
      'text-embedding-3',
      'whisper-1',
      'gpt-4o-realtime-preview',
      'tts-1',
      'gpt-4o-mini-tts',
      'dall-e-3',
      'omni-moderation-latest',
      'gpt-image-1',
      'o9',
      'gpt-9',
    ].map((id) => ({ id, object: 'model' })),
  },
  [{ name: 'gpt-9' }, { name: 'o9' }],
);
check(
  'the list of Google',
  'google',
  {
    models: [
      {
        name: 'models/gemini-9-pro',
        displayName: 'Gemini 9 Pro',
        inputTokenLimit: 1_000_000,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
      },
      { name: 'models/gemini-embedding-001', supportedGenerationMethods: ['embedContent'] },
      { name: 'models/aqa', supportedGenerationMethods: ['generateAnswer'] },
    ],
  },
  [{ name: 'gemini-9-pro', title: 'Gemini 9 Pro', context: 1_000_000, output: 65_536 }],
);
check(
  'the list of Copilot',
  'copilot',
  {
    data: [
      {
        id: 'gpt-9',
        name: 'GPT-9',
        model_picker_enabled: true,
        capabilities: {
          type: 'chat',
          limits: { max_context_window_tokens: 400_000, max_output_tokens: 128_000 },
          supports: { vision: true },
        },
        supported_endpoints: ['/chat/completions', '/responses'],
      },
      {
        id: 'gpt-9-codex',
        name: 'GPT-9 Codex',
        model_picker_enabled: true,
        capabilities: { type: 'chat', supports: {} },
        supported_endpoints: ['/responses'],
      },
      { id: 'gpt-3', model_picker_enabled: false, capabilities: { type: 'chat' } },
      { id: 'ada', capabilities: { type: 'embeddings' } },
    ],
  },
  [
    { name: 'gpt-9', title: 'GPT-9', context: 400_000, output: 128_000, images: true },
    { name: 'gpt-9-codex', title: 'GPT-9 Codex', wire: 'openai-responses' },
  ],
);
check(
  'the list of OpenRouter, with what can call tools,',
  'openai',
  {
    data: [
      {
        id: 'a/b',
        name: 'A: B',
        context_length: 128_000,
        architecture: { input_modalities: ['text'] },
        top_provider: { max_completion_tokens: 8_000 },
        supported_parameters: ['tools', 'temperature'],
      },
      { id: 'c/d', name: 'C: D', context_length: 4_000, supported_parameters: ['temperature'] },
    ],
  },
  [{ name: 'a/b', title: 'A: B', context: 128_000, output: 8_000, images: false }],
);
check(
  'the list of Mistral',
  'openai',
  {
    data: [
      { id: 'm', max_context_length: 32_000, capabilities: { completion_chat: true, vision: false } },
      { id: 'mistral-ocr', capabilities: { completion_chat: false } },
    ],
  },
  [{ name: 'm', context: 32_000, images: false }],
);
check(
  'the list of LM Studio',
  'lmstudio',
  {
    data: [
      { id: 'q', type: 'vlm', max_context_length: 131_072, loaded_context_length: 4_096 },
      { id: 'nomic', type: 'embeddings' },
    ],
  },
  [{ name: 'q', context: 4_096, images: true }],
);
check(
  'a list with what is no name',
  'openai',
  {
    data: [
      { id: 3 },
      null,
      'x',
      { id: '' },
      { id: 'a\u001b[31m' },
      { id: 'x'.repeat(300) },
      { id: 'fine', context_length: '12' },
    ],
  },
  [{ name: 'fine' }],
);
check(
  'another program on the port of llama.cpp',
  'llama.cpp',
  { data: [{ id: 'x', owned_by: 'somebody' }] },
  undefined,
);
for (const nothing of [undefined, null, 3, 'x', [], {}, { data: {} }, { models: [] }])
  check(JSON.stringify(nothing) ?? 'nothing', 'openai', nothing, undefined);
