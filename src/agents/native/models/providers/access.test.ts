import { describe, expect, test } from 'vitest';
import { providerOf, builtInProviders, splitModel } from './providers.ts';
import { keyVariables, resolveAccess } from './access.ts';
import type { EnvironmentVariables } from './access.ts';

describe('how a provider stands', () => {
  check(
    'without a key',
    'anthropic',
    {},
    { usable: false, why: 'no key: set ANTHROPIC_API_KEY or run "parley login anthropic"' },
  );
  check(
    'with a key',
    'anthropic',
    { ANTHROPIC_API_KEY: 'k' },
    { url: 'https://api.anthropic.com/v1', key: 'k', keyFrom: 'ANTHROPIC_API_KEY', wire: 'anthropic' },
  );
  check('with an empty key', 'openai', { OPENAI_API_KEY: '' }, { usable: false });
  check(
    'with a key by another name',
    'google',
    { GEMINI_API_KEY: 'k' },
    { key: 'k', keyFrom: 'GEMINI_API_KEY' },
  );
  check(
    'with an address of its own',
    'anthropic',
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_API_URL: 'http://localhost:1/' },
    { url: 'http://localhost:1/v1' },
  );
  check(
    'with an address that has a version',
    'google',
    { GOOGLE_API_KEY: 'k', GOOGLE_API_URL: 'http://localhost:1/x/v1beta' },
    { url: 'http://localhost:1/x/v1beta' },
  );
  check(
    'with an address that is none',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_URL: 'localhost' },
    { usable: false, why: 'OPENAI_API_URL is not an address; write it as https://…' },
  );
  check(
    'with an address without its beginning',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_URL: 'localhost:8080/v1' },
    { usable: false, why: 'OPENAI_API_URL is not an address; write it as https://…' },
  );
  check(
    'with slashes at the end',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_URL: ' https://a.example/v1// ' },
    { url: 'https://a.example/v1' },
  );
  check(
    'with the address of one of its methods',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_URL: 'https://a.example/v1/chat/completions' },
    { url: 'https://a.example/v1' },
  );
  check(
    'with the address of its messages',
    'anthropic',
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_API_URL: 'https://a.example/v1/messages' },
    { url: 'https://a.example/v1' },
  );
  check(
    'with a gateway',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_URL: 'https://g.example/v1/me/openai' },
    { url: 'https://g.example/v1/me/openai' },
  );
  check(
    'with a gateway',
    'anthropic',
    { ANTHROPIC_API_KEY: 'k', ANTHROPIC_API_URL: 'https://g.example/v1/me/anthropic' },
    { url: 'https://g.example/v1/me/anthropic/v1' },
  );
  check(
    'with the address of its other format',
    'ollama',
    { OLLAMA_API_URL: 'http://127.0.0.1:11434/v1/' },
    { url: 'http://127.0.0.1:11434' },
  );
  check('with a key that was pasted', 'anthropic', { ANTHROPIC_API_KEY: ' "sk-1"\n' }, { key: 'sk-1' });
  check(
    'with a key in two lines',
    'anthropic',
    { ANTHROPIC_API_KEY: 'sk-1\nsk-2' },
    { usable: false, why: 'the key from ANTHROPIC_API_KEY contains spaces or line breaks' },
  );
  check(
    'with a key of blanks',
    'anthropic',
    { ANTHROPIC_API_KEY: '  ' },
    { usable: false, why: 'no key: set ANTHROPIC_API_KEY or run "parley login anthropic"' },
  );
  check(
    'with no address anywhere',
    'azure',
    { AZURE_API_KEY: 'k' },
    { usable: false, why: 'no address: set AZURE_API_URL or AZURE_RESOURCE_NAME' },
  );
  check(
    'with the address of a resource',
    'azure',
    { AZURE_OPENAI_API_KEY: 'k', AZURE_API_URL: 'https://x.openai.azure.com' },
    { url: 'https://x.openai.azure.com/openai/v1' },
  );
  check(
    'with the address of a deployment',
    'azure',
    {
      AZURE_API_KEY: 'k',
      AZURE_API_URL: 'https://x.openai.azure.com/openai/deployments/{model}?api-version=1',
    },
    { url: 'https://x.openai.azure.com/openai/deployments/{model}?api-version=1' },
  );
  check(
    'with the name of a resource',
    'azure',
    { AZURE_API_KEY: 'k', AZURE_RESOURCE_NAME: 'x' },
    { url: 'https://x.openai.azure.com/openai/v1' },
  );
  check(
    'with a region',
    'bedrock',
    { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'eu-west-1' },
    { url: 'https://bedrock-runtime.eu-west-1.amazonaws.com', wire: 'bedrock', key: 'k' },
  );
  check(
    'with keys to sign with',
    'bedrock',
    { AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's', AWS_DEFAULT_REGION: 'us-west-2' },
    { url: 'https://bedrock-runtime.us-west-2.amazonaws.com', key: undefined, keyFrom: 'AWS_ACCESS_KEY_ID' },
  );
  check(
    'with a profile',
    'bedrock',
    { AWS_PROFILE: 'work', AWS_REGION: 'us-west-2' },
    { usable: true, key: undefined, keyFrom: 'AWS_PROFILE' },
  );
  check(
    'in a container',
    'bedrock',
    { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1/x', AWS_REGION: 'us-west-2' },
    { usable: true, keyFrom: 'AWS_CONTAINER_CREDENTIALS_FULL_URI' },
  );
  check(
    'with half a key to sign with',
    'bedrock',
    { AWS_ACCESS_KEY_ID: 'i', AWS_REGION: 'us-west-2' },
    { usable: false },
  );
  check(
    'with a region that is an address',
    'bedrock',
    { AWS_BEARER_TOKEN_BEDROCK: 'k', AWS_REGION: 'evil.example/x' },
    { usable: false },
  );
  check(
    'with models and a wire of the user',
    'bedrock',
    {
      AWS_BEARER_TOKEN_BEDROCK: 'k',
      BEDROCK_API_URL: 'https://b/anthropic/v1',
      BEDROCK_API_WIRE: 'anthropic',
      BEDROCK_API_MODELS: 'a, b,',
    },
    { wire: 'anthropic', models: ['a', 'b'], url: 'https://b/anthropic/v1' },
  );
  check(
    'with a wire that nobody speaks',
    'openai',
    { OPENAI_API_KEY: 'k', OPENAI_API_WIRE: 'morse' },
    { usable: false },
  );
  check('on this machine', 'ollama', {}, { usable: true, url: 'http://127.0.0.1:11434', key: undefined });
  check(
    'with a dash in its name',
    'github-copilot',
    { GITHUB_COPILOT_API_KEY: 'k' },
    { url: 'https://api.githubcopilot.com' },
  );

  test.each([
    ['not', {}],
    ['where they say so', { overEnvironment: true }],
  ])('what the settings name wins over the environment: %s; what is empty never does', (_, more) => {
    const provider = providerOf('openai');
    if (!provider) throw new Error('OpenAI is a provider.');
    const set = (own: { key?: string; url?: string }, env = {}) =>
      resolveAccess({ ...provider, config: { headers: {}, models: {}, ...own, ...more } }, env, 'stored');
    const [env, theirs] = [
      { OPENAI_API_KEY: 'env', OPENAI_API_URL: 'https://env.example' },
      { key: 'env', keyFrom: 'OPENAI_API_KEY', url: 'https://env.example/v1' },
    ];
    const [own, ours] = [
      { key: 'own', url: 'https://own.example' },
      { key: 'own', keyFrom: 'settings', url: 'https://own.example/v1' },
    ];
    expect([set(own, env), set(own), set({ key: ' ', url: '' }, env)]).toMatchObject([
      'overEnvironment' in more ? ours : theirs,
      ours,
      theirs,
    ]);
  });

  test('a stored key is used, and the environment wins over it', () => {
    const [provider] = builtInProviders;
    if (!provider) throw new Error('no provider');
    expect(resolveAccess(provider, {}, 'stored')).toMatchObject({
      usable: true,
      key: 'stored',
      keyFrom: 'parley login',
    });
    expect(resolveAccess(provider, { ANTHROPIC_API_KEY: 'k' }, 'stored')).toMatchObject({
      key: 'k',
      keyFrom: 'ANTHROPIC_API_KEY',
    });
  });

  test('models that the user named are known although their address is none', () => {
    const [usual] = builtInProviders;
    if (!usual) throw new Error('no provider');
    expect(
      resolveAccess(
        { ...usual, config: { key: 'set', url: 'nowhere', headers: {}, models: { m: { headers: {} } } } },
        {},
        undefined,
      ),
    ).toMatchObject({ usable: false, models: ['m'] });
  });

  function check(name: string, id: string, ...[env, expected]: [EnvironmentVariables, object]): void {
    test(`${id} ${name}`, () => {
      const provider = providerOf(id);
      if (!provider) throw new Error(`no provider ${id}`);
      expect(resolveAccess(provider, env, undefined)).toMatchObject(expected);
    });
  }
});

test('the table: ids are unique, addresses carry what is added to others, and variables belong to one provider', () => {
  expect(new Set(builtInProviders.map(({ id }) => id)).size).toBe(builtInProviders.length);
  expect(
    builtInProviders
      .filter(({ url, version }) => url !== undefined && !url.endsWith(version))
      .map(({ id }) => id),
  ).toEqual([]);
  const variables = builtInProviders.flatMap(keyVariables);
  expect(new Set(variables).size).toBe(variables.length);
  for (const { models } of builtInProviders)
    expect(new Set(models.map(([id]) => id)).size).toBe(models.length);
});

test('a model id is split at its first slash', () => {
  expect(splitModel('openrouter/anthropic/claude')).toEqual({
    provider: 'openrouter',
    model: 'anthropic/claude',
  });
  expect(splitModel('alone')).toEqual({ provider: '', model: 'alone' });
});

test('a provider of the settings gets its key there', () => {
  const openai = providerOf('openai');
  if (!openai) throw new Error('no openai');
  expect(resolveAccess({ ...openai, id: 'lab' }, {}, undefined)).toMatchObject({
    why: 'no key: set LAB_API_KEY or write providers.lab.key in the settings',
  });
});
