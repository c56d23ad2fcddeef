// What a fake provider answers besides chats: lists of models, counts of tokens, and the names its
// kinds of server go by.

/** The answer to a request that asks for no chat; undefined where there is no such thing. */
export function listAnswer(path: string, models: readonly string[], body: unknown): unknown {
  if (path.endsWith('/api/tags'))
    return { models: models.map((name) => ({ name, model: name, size: 1, details: { family: 'fake' } })) };
  if (path.endsWith('/api/show'))
    return { capabilities: ['completion', 'tools', 'vision'], model_info: { 'fake.context_length': 32_768 } };
  if (path.endsWith('/api/version')) return { version: '0.99.0' };
  if (path.endsWith('/v1beta/models')) {
    return {
      models: models.map((name) => ({
        name: `models/${name}`,
        inputTokenLimit: 1000,
        outputTokenLimit: 100,
        supportedGenerationMethods: ['generateContent'],
      })),
    };
  }
  if (path === '/llama/props') return { default_generation_settings: { n_ctx: 4_096 } };
  if (path.endsWith('/models'))
    return {
      object: 'list',
      data: models.map((id) => ({
        id,
        object: 'model',
        created: 1,
        owned_by: path.startsWith('/llama/') ? 'llamacpp' : 'fake',
      })),
      has_more: false,
    };
  if (path.endsWith('/count_tokens')) return { input_tokens: Math.ceil(JSON.stringify(body).length / 4) };
  if (path.endsWith(':countTokens')) return { totalTokens: Math.ceil(JSON.stringify(body).length / 4) };
  return path === '/' ? 'Ollama is running' : undefined;
}
