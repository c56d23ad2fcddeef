// Every provider's model keeps the contract, each on its own wire; what only some providers
// have, those keep too.
import { expect } from 'vitest';
import {
  languageModelContract,
  refusalContract,
  sourcesContract,
  thoughtsContract,
} from './languageModel.ts';
import type { Traits } from '../kit/provider/reply.ts';
import { wires } from '../kit/provider/wires.ts';
import { wire as anthropicWire } from '../kit/provider/wires/anthropic.ts';
import { wire as bedrockWire } from '../kit/provider/wires/converse.ts';
import { wire as googleWire } from '../kit/provider/wires/google.ts';
import { wire as ollamaWire } from '../kit/provider/wires/ollama.ts';
import { wire as chatWire } from '../kit/provider/wires/openaiChat.ts';
import { wire as responsesWire } from '../kit/provider/wires/openaiResponses.ts';
import { picturesContract, searchContract } from './served.ts';

const { traits: anthropic } = anthropicWire.contract;
const { traits: responses } = responsesWire.contract;
const { traits: chat } = chatWire.contract;
const { traits: google } = googleWire.contract;
const { traits: bedrock } = bedrockWire.contract;
const { traits: ollama } = ollamaWire.contract;
const deepseek: Traits = {
  provider: 'deepseek',
  model: 'deepseek-chat',
  pieces: 2,
  cache: { cacheRead: 700 },
  low: { reasoning_effort: 'low' },
};
const mistral: Traits = { ...deepseek, provider: 'mistral', model: 'devstral-2512' };

for (const { contract } of wires) languageModelContract(contract.name, contract.traits);
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
