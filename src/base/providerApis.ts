// The wire formats that a user can choose for a provider.

export type ProviderApi = (typeof providerApis)[number];

export const providerApis = [
  'anthropic',
  'openai-responses',
  'openai-chat',
  'google',
  'bedrock',
  'ollama',
] as const;

/** The names that people see. */
export const providerApiLabels: { readonly [A in ProviderApi]: string } = {
  anthropic: 'Anthropic Messages',
  'openai-responses': 'OpenAI Responses',
  'openai-chat': 'OpenAI Chat Completions',
  google: 'Google Gemini',
  bedrock: 'Amazon Bedrock Converse',
  ollama: 'Ollama',
};
