import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authorizationServer } from '../../../test/kit/authorizationServer.ts';
import type { AuthorizationServer } from '../../../test/kit/authorizationServer.ts';
import { fakeProvider } from '../../../test/kit/fakeProvider.ts';
import type { FakeProvider } from '../../../test/kit/fakeProvider.ts';
import { brief, collect, requestOf } from '../../../test/kit/modelRig.ts';
import { workspace } from '../../../test/kit/workspace.ts';
import type { Workspace } from '../../../test/kit/workspace.ts';
import type { LoginStep } from '../../host/settings/providerLogins.ts';
import type { NotPossible } from '../../host/ports.ts';
import { openSecrets } from '../../io/auth/secrets.ts';
import { realClock } from '../../io/store/realWorld.ts';
import { catalogueOf } from './openModels.ts';
import { providerLogins } from './providerLogins.ts';
import type { ProviderLogins } from './providerLogins.ts';

let place: Workspace;
let vendor: AuthorizationServer;
let provider: FakeProvider;
let logins: ProviderLogins;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  place = workspace();
  [vendor, provider] = await Promise.all([authorizationServer(), fakeProvider()]);
  vendor.api = provider.url;
  env = Object.fromEntries(
    ['GITHUB_COPILOT', 'OPENAI', 'ANTHROPIC'].flatMap((name) => [
      [`${name}_AUTH_URL`, vendor.url],
      [`${name}_API_URL`, provider.url],
    ]),
  );
  logins = providerLogins({ env, secrets: openSecrets(secrets()), clock: realClock, fetch });
});
afterEach(async () => {
  for (const id of ['github-copilot', 'openai', 'anthropic']) logins.forget(id);
  await Promise.all([vendor.close(), provider.close()]);
  place.close();
});

const secrets = () => join(place.root, 'secrets.json');

/** What comes of a question to a model, and with which words it was asked. */
async function ask(
  model: string,
): Promise<readonly [answer: string, headers: { readonly [name: string]: unknown }]> {
  const catalogue = catalogueOf({ env, clock: realClock, secrets: secrets(), logins }, []);
  provider.replies.push([{ text: 'Yes.' }]);
  const parts = await collect(catalogue.find(model)?.stream(requestOf()) ?? never);
  const last = parts.at(-1);
  return [
    last?.type === 'error' ? last.message : (brief(parts)[0] ?? ''),
    provider.requests.at(-1)?.headers ?? {},
  ];
}

const never: AsyncIterable<never> = { async *[Symbol.asyncIterator]() {} };

function step<K extends LoginStep['kind']>(
  kind: K,
  given: LoginStep | NotPossible,
): Extract<LoginStep, { kind: K }> {
  if ('refused' in given || given.kind !== kind) throw new Error(JSON.stringify(given));
  return given as Extract<LoginStep, { kind: K }>;
}

describe('a device', () => {
  test('is let in once the user has typed its code, and its sessions are renewed', async () => {
    const told: string[] = [];
    logins.watch((id) => told.push(id));
    vendor.device = 'slow';
    const { url, code, done } = step('device', await logins.begin('github-copilot', 'device'));
    expect([url, code, logins.state('github-copilot')]).toEqual([
      `${vendor.url}/activate`,
      'ABCD-1234',
      { kind: 'none' },
    ]);
    while (vendor.asked.length < 2)
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
    vendor.device = 'yes';
    expect([await done, logins.state('github-copilot').kind, told]).toEqual([
      undefined,
      'signed-in',
      ['github-copilot'],
    ]);
    expect(await ask('github-copilot/gpt-5.5')).toMatchObject([
      'text Yes.',
      { authorization: 'Bearer session-3' },
    ]);
    expect(await ask('github-copilot/gpt-5.5')).toMatchObject([
      'text Yes.',
      { authorization: 'Bearer session-3' },
    ]);
    vendor.lifetime = 30;
    logins = providerLogins({ env, secrets: openSecrets(secrets()), clock: realClock, fetch });
    expect([
      (await ask('github-copilot/gpt-5.5'))[1]['authorization'],
      (await ask('github-copilot/gpt-5.5'))[1]['authorization'],
    ]).toEqual(['Bearer session-4', 'Bearer session-5']);
    vendor.revoke('all');
    expect((await ask('github-copilot/gpt-5.5'))[0]).toContain(
      'run "parley login github-copilot". Bad credentials',
    );
  });

  test('is refused in words', async () => {
    vendor.device = 'no';
    const { done } = step('device', await logins.begin('github-copilot', 'device'));
    expect([await done, logins.state('github-copilot')]).toEqual([
      { refused: 'Signing in was refused: access_denied.' },
      { kind: 'none' },
    ]);
  });
});

describe('a browser', () => {
  const begin = async () => {
    const begun = step('visit', await logins.begin('openai', 'pro'));
    if (!('done' in begun)) throw new Error('it does not come back');
    return begun;
  };

  test('comes back with a code, and the token is renewed before it ends, once for all', async () => {
    vendor.lifetime = 30;
    const { url, done } = await begin();
    expect(await vendor.visit(url)).toMatchObject({
      status: 200,
      text: expect.stringContaining('You are signed in'),
    });
    expect([await done, logins.state('openai')]).toMatchObject([
      undefined,
      { kind: 'signed-in', way: 'pro', renews: true },
    ]);
    vendor.lifetime = 3600;
    const answers = await Promise.all([ask('openai/gpt-5.2'), ask('openai/gpt-5.2')]);
    expect(answers.map(([answer, { authorization }]) => [answer, authorization])).toEqual([
      ['text Yes.', 'Bearer access-3'],
      ['text Yes.', 'Bearer access-3'],
    ]);
    expect(vendor.asked.map((wish) => wish.get('grant_type'))).toEqual([
      'authorization_code',
      'refresh_token',
    ]);
  });

  test('that nobody sent is not listened to, and a sign-in that has ended says so', async () => {
    vendor.user = 'wrong';
    const first = await begin();
    expect(await vendor.visit(first.url)).toMatchObject({ status: 400 });
    vendor.user = 'yes';
    vendor.lifetime = 1;
    const { url, done } = await begin();
    expect(await first.done).toEqual({ refused: 'The sign-in was cancelled or timed out.' });
    await vendor.visit(url);
    await done;
    vendor.revoke('all');
    expect((await ask('openai/gpt-5.2'))[0]).toContain('has expired; run "parley login openai"');
  });
});

describe('a code that is pasted', () => {
  const code = async (url: string) => {
    const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '');
    return `${back.searchParams.get('code')}#${back.searchParams.get('state')}`;
  };

  test('is a token, which goes where tokens go', async () => {
    const { url } = step('visit', await logins.begin('anthropic', 'max'));
    expect(await logins.answer('anthropic', { code: 'x#wrong' })).toEqual({
      refused: 'This code belongs to another sign-in. Start the sign-in again.',
    });
    expect(await logins.answer('anthropic', { code: await code(url) })).toBe(undefined);
    const [answer, headers] = await ask('anthropic/claude-sonnet-5');
    expect([answer, headers['authorization'], headers['x-api-key'], headers['anthropic-beta']]).toEqual([
      'text Yes.',
      'Bearer access-1',
      undefined,
      expect.stringContaining('oauth-2025-04-20'),
    ]);
  });

  test('becomes a key where that is wanted', async () => {
    const { url } = step('visit', await logins.begin('anthropic', 'console'));
    expect(await logins.answer('anthropic', { code: await code(url) })).toBe(undefined);
    expect([logins.state('anthropic'), (await ask('anthropic/claude-sonnet-5'))[1]['x-api-key']]).toEqual([
      { kind: 'key' },
      'session-3',
    ]);
    expect([logins.forget('anthropic'), logins.forget('anthropic'), logins.state('anthropic')]).toEqual([
      true,
      false,
      { kind: 'none' },
    ]);
  });
});

test('ways are offered where there are several, and what is wrong is said', async () => {
  expect(await logins.begin('anthropic')).toEqual({
    kind: 'choose',
    ways: [
      { key: 'max', label: 'Claude Pro or Max' },
      { key: 'console', label: 'Create a key in the Anthropic Console' },
      { key: 'api-key', label: 'Enter API key' },
    ],
  });
  expect(await logins.begin('mistral')).toMatchObject({ kind: 'fields' });
  expect([
    await logins.begin('nope'),
    await logins.begin('anthropic', 'magic'),
    await logins.answer('anthropic', { code: 'x' }),
  ]).toEqual([
    { refused: 'Unknown provider: nope' },
    { refused: 'Unknown sign-in method "magic" for Anthropic. Use one of: max, console, api-key.' },
    { refused: 'No sign-in is in progress.' },
  ]);
});
