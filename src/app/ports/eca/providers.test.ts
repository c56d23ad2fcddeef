import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { workspace } from '../../../../test/kit/workspace.ts';
import type { Workspace } from '../../../../test/kit/workspace.ts';
import { builtInProviders as catalogue } from '../../../agents/native/models/providers/providers.ts';
import { openSecrets } from '../../../io/auth/secrets.ts';
import { realClock } from '../../../io/store/realWorld.ts';
import { providerLogins } from '../../models/providerLogins.ts';
import { ecaProviders } from './providers.ts';

let place: Workspace;

function open(env: NodeJS.ProcessEnv): ReturnType<typeof ecaProviders> {
  const secrets = join(place.root, 'secrets.json');
  const logins = providerLogins({ env, secrets: openSecrets(secrets), clock: realClock, fetch });
  const models = { source: [], providers: () => catalogue, logins, refresh: () => {} };
  return ecaProviders({ env, paths: { secrets }, models });
}

afterEach(() => place.close());

test('a key that a client gives is kept, told and taken back; one in the environment is named, never shown', async () => {
  place = workspace();
  const providers = open({ OPENAI_API_KEY: 'sk-env' });
  const told: string[] = [];
  const leave = providers.watch(({ id, auth }) => void told.push(`${id} ${auth.status}`));
  const auth = (id: string) => providers.list().find((provider) => provider.id === id)?.auth;
  expect(auth('anthropic')).toEqual({ status: 'unauthenticated' });
  expect(auth('openai')).toEqual({
    status: 'authenticated',
    type: 'api-key',
    source: 'env',
    envVar: 'OPENAI_API_KEY',
  });
  expect(auth('ollama')).toEqual({ status: 'not-running' });
  expect(await providers.login('anthropic', undefined)).toMatchObject({ action: 'choose-method' });
  expect(await providers.login('anthropic', 'api-key')).toEqual({
    action: 'input',
    fields: [{ key: 'api-key', label: 'API Key', type: 'secret' }],
  });
  expect(await providers.input('anthropic', { 'api-key': ' sk-x ' })).toEqual({ action: 'done' });
  expect(auth('anthropic')).toEqual({
    status: 'authenticated',
    type: 'api-key',
    source: 'login',
    mode: 'api-key',
  });
  expect(await providers.logout('anthropic')).toBeUndefined();
  expect(told).toEqual(['anthropic authenticated', 'anthropic unauthenticated']);
  expect(JSON.stringify(providers.list())).not.toContain('sk-');
  leave();
});

test('what cannot be signed in to is refused in words', async () => {
  place = workspace();
  const providers = open({});
  expect(await providers.login('nope', undefined)).toEqual({ refused: 'Unknown provider: nope' });
  expect(await providers.login('ollama', undefined)).toEqual({
    refused: 'Ollama needs no key: start it and its models appear.',
  });
  expect(await providers.login('azure', undefined)).toMatchObject({
    refused: expect.stringContaining('AZURE_API_URL') as string,
  });
  expect(await providers.input('openai', { 'api-key': 'a b' })).toHaveProperty('refused');
  expect(await providers.logout('nope')).toHaveProperty('refused');
});
