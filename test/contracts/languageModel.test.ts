// Every provider's model keeps the contract, each on its own wire; what only some providers
// have, those keep too.
import { expect } from 'vitest';
import {
  languageModelContract,
  refusalContract,
  sourcesContract,
  thoughtsContract,
} from './languageModel.ts';
import type { Traits } from './languageModel.ts';
import { picturesContract, searchContract } from './served.ts';

const anthropic: Traits = {
  provider: 'anthropic',
  model: 'claude-sonnet-5',
  pieces: 2,
  cache: { cacheRead: 700, cacheWrite: 200 },
  low: { output_config: { effort: 'low' }, thinking: { type: 'adaptive' } },
  marks: { mark: '"cache_control"', times: 3 },
};
const responses: Traits = {
  provider: 'openai',
  model: 'gpt-5.2',
  pieces: 2,
  marks: { mark: '"prompt_cache_key":"chat-7"', times: 1 },
  cache: { cacheRead: 700 },
  low: { reasoning: { effort: 'low' }, store: false },
};
const chat: Traits = { ...responses, wire: 'openai-chat', low: { reasoning_effort: 'low' } };
const google: Traits = {
  provider: 'google',
  model: 'gemini-3-flash-preview',
  pieces: 0,
  cache: { cacheRead: 700 },
  low: { generationConfig: { thinkingConfig: { thinkingLevel: 'low', includeThoughts: true } } },
};
const deepseek: Traits = {
  provider: 'deepseek',
  model: 'deepseek-chat',
  pieces: 2,
  cache: { cacheRead: 700 },
  low: { reasoning_effort: 'low' },
};
const mistral: Traits = { ...deepseek, provider: 'mistral', model: 'devstral-2512' };
const bedrock: Traits = {
  provider: 'bedrock',
  model: 'global.anthropic.claude-sonnet-4-6',
  pieces: 2,
  cache: { cacheRead: 700, cacheWrite: 200 },
  marks: { mark: '"cachePoint"', times: 3 },
  low: { additionalModelRequestFields: { output_config: { effort: 'low' }, thinking: { type: 'adaptive' } } },
};
const ollama: Traits = {
  provider: 'ollama',
  model: 'fake-large',
  pieces: 0,
  cache: {},
  low: { think: 'low' },
  garbage: '{"message":{"con',
};

languageModelContract('Anthropic', anthropic);
languageModelContract('OpenAI Responses', responses);
languageModelContract('OpenAI Chat', chat);
languageModelContract('Google', google);
languageModelContract('DeepSeek', deepseek);
languageModelContract('Mistral', mistral);
languageModelContract('Azure', { ...responses, provider: 'azure' });
// Whoever is only an address with habits keeps the contract with them.
for (const provider of [
  'github-copilot',
  'openrouter',
  'moonshot',
  'z-ai',
  'litellm',
  'lmstudio',
  'llama.cpp',
])
  languageModelContract(provider, { ...deepseek, provider, model: 'any-model' });
languageModelContract('Bedrock', bedrock);
languageModelContract('Ollama', ollama);

thoughtsContract('Anthropic', { ...anthropic, back: 'SEAL-1' });
thoughtsContract('OpenAI Responses', { ...responses, back: 'SEAL-1' });
thoughtsContract('Bedrock', { ...bedrock, back: 'SEAL-1' });
thoughtsContract('Azure', { ...responses, provider: 'azure', back: 'SEAL-1' });
thoughtsContract('Google', { ...google, back: 'SEAL-1' });
thoughtsContract('DeepSeek', { ...deepseek, back: 'Let me see.' });
thoughtsContract('Ollama', { ...ollama, back: 'Let me see.' });

sourcesContract('Anthropic', anthropic);
sourcesContract('OpenAI Responses', responses);
sourcesContract('OpenAI Chat', chat);
sourcesContract('Google', google);
sourcesContract('Bedrock', bedrock);

const drawn = (item: object) => ({
  input: expect.arrayContaining([{ ...item, result: 'iVBORw0KGgoAAAANSUhEUg==' }]),
});
picturesContract('OpenAI Responses', {
  ...responses,
  offer: { tools: expect.arrayContaining([{ type: 'image_generation' }]) },
  back: drawn({ type: 'image_generation_call', id: 'ig_1', status: 'completed' }),
});
picturesContract('Google', {
  ...google,
  model: 'gemini-3-pro-image-preview',
  offer: { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } },
  seal: 'SEAL-2',
  back: {
    contents: expect.arrayContaining([
      {
        role: 'model',
        parts: [
          { text: 'See:' },
          {
            inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' },
            thoughtSignature: 'SEAL-2',
          },
          { text: 'Well?' },
        ],
      },
    ]),
  },
});
picturesContract('OpenRouter', {
  ...deepseek,
  provider: 'openrouter',
  offer: { modalities: ['image', 'text'] },
  back: {
    messages: expect.arrayContaining([expect.objectContaining({ role: 'assistant', content: 'See:Well?' })]),
  },
});

searchContract('Anthropic', {
  ...anthropic,
  offer: {
    tools: expect.arrayContaining([
      expect.objectContaining({ type: 'web_search_20250305', name: 'web_search' }),
    ]),
  },
  seal: 'SEAL-3',
  back: [
    '"server_tool_use"',
    '"query":"weather tomorrow"',
    '"web_search_tool_result"',
    '"encrypted_content":"SEAL-3"',
  ],
});
searchContract('OpenAI Responses', {
  ...responses,
  offer: {
    tools: expect.arrayContaining([{ type: 'web_search' }]),
    include: expect.arrayContaining(['web_search_call.action.sources']),
  },
  back: ['"web_search_call"', '"query":"weather tomorrow"'],
});
searchContract('Azure', {
  ...responses,
  provider: 'azure',
  offer: { tools: expect.arrayContaining([{ type: 'web_search_preview' }]) },
  back: ['"web_search_call"'],
});
searchContract('Google', {
  ...google,
  offer: {
    tools: expect.arrayContaining([{ googleSearch: {} }]),
    toolConfig: { includeServerSideToolInvocations: true },
  },
  back: [],
});
searchContract('Google, as newer models tell it', {
  ...google,
  offer: { tools: expect.arrayContaining([{ googleSearch: {} }]) },
  seal: 'SEAL-4',
  back: ['"toolCall"', '"toolResponse"', 'SEAL-4'],
});

refusalContract('Anthropic', anthropic);
refusalContract('OpenAI Responses', responses);
refusalContract('OpenAI Chat', chat);
refusalContract('Google', google);
refusalContract('Bedrock', bedrock);
refusalContract('DeepSeek', deepseek);
