// Signing in to model providers and tool servers from the pages of the console, on the real host: a code
// brought back, a device, a browser on the host's machine.
import { afterEach, expect, test } from 'vitest';
import { authorizationServer } from '../kit/authorizationServer.ts';
import type { AuthorizationServer } from '../kit/authorizationServer.ts';
import { listenMcp } from '../kit/mcpServer.ts';
import type { Listening } from '../kit/mcpServer.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();

let vendor: AuthorizationServer;
let remote: Listening | undefined;

const real = useRealHost(async ({ env }) => {
  vendor = await authorizationServer();
  for (const name of Object.keys(env)) if (/_API_(?:KEY|URL)$|_AUTH_TOKEN$/.test(name)) delete env[name];
  for (const name of ['GITHUB_COPILOT', 'OPENAI', 'ANTHROPIC'])
    Object.assign(env, { [`${name}_AUTH_URL`]: vendor.url, BROWSER: 'none' });
});

afterEach(async () => {
  await Promise.all([vendor.close(), remote?.close()]);
  remote = undefined;
});

test('a code that a page shows is brought back; a wrong one changes nothing', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/models'));
  const row = page.getByRole('listitem', { name: 'Anthropic', exact: true });
  await row.getByRole('button', { name: 'Sign in' }).click();
  await row.getByRole('button', { name: 'Claude Pro or Max' }).click();
  await row.getByText('paste the code').waitFor();
  await expectAccessible(page);
  await row.getByRole('textbox').fill('nonsense');
  await row.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast.problem').waitFor();
  expect(real.kept('secrets.json')).not.toContain('login:anthropic');

  const begun = new URL((await row.getByRole('link').getAttribute('href')) ?? '');
  const shown = await fetch(begun, { redirect: 'manual' });
  const back = new URL(shown.headers.get('location') ?? '');
  await row.getByRole('textbox').fill(`${back.searchParams.get('code')}#${back.searchParams.get('state')}`);
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Signed in', { exact: true }).waitFor();
  expect(real.kept('secrets.json')).toContain('login:anthropic');
  await row.getByRole('button', { name: 'Sign out' }).click();
  await row.getByText('Not signed in').waitFor();
  expect(real.kept('secrets.json')).not.toContain('login:anthropic');
  expect(complaints).toEqual([]);
});

test('a device is let in elsewhere, and the page learns of it; a refusal is told', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/models'));
  const row = page.getByRole('listitem', { name: 'GitHub Copilot', exact: true });
  const begin = async () => {
    await row.getByRole('button', { name: 'Sign in' }).click();
    await row.getByRole('button', { name: 'GitHub', exact: true }).click();
    await row.getByText('ABCD-1234').waitFor();
  };
  await begin();
  await expectAccessible(page);
  vendor.device = 'no';
  await page.getByText('Signing in was refused: access_denied.').waitFor();
  vendor.device = 'waiting';
  await begin();
  vendor.device = 'yes';
  await page.getByText('Signed in to GitHub Copilot.').waitFor();
  await row.getByText('Signed in', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('a browser on the machine of the host comes back by itself', async () => {
  const { page } = await browsing.open(real.at('#/settings/models'));
  const row = page.getByRole('listitem', { name: 'OpenAI', exact: true });
  await row.getByRole('button', { name: 'Sign in' }).click();
  await row.getByRole('button', { name: 'ChatGPT Plus or Pro' }).click();
  const begun = await row.getByRole('link').getAttribute('href');
  expect((await vendor.visit(begun ?? '')).status).toBe(200);
  await row.getByText('Signed in', { exact: true }).waitFor();
});

test('a tool server that wants to know who we are is signed in to, restarted and signed out of', async () => {
  remote = await listenMcp((request, base) => {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return { status: 200, body: { resource: `${base}/mcp`, authorization_servers: [vendor.url] } };
    if (vendor.isValid(request.headers.authorization?.replace(/^Bearer /, ''))) return undefined;
    return {
      status: 401,
      headers: {
        'www-authenticate': `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
      },
    };
  });
  const { page, complaints } = await browsing.open(real.at('#/settings/tools'));
  await page.getByLabel('Name').fill('remote');
  await page.getByLabel('Command or URL').fill(remote.url);
  await page.getByRole('button', { name: 'Add' }).click();
  const row = page.getByRole('listitem', { name: 'remote' });
  await row.getByText('Needs sign-in').waitFor();
  await row.getByRole('button', { name: 'Sign in' }).click();
  const begun = await row.getByRole('link').getAttribute('href');
  await expectAccessible(page);
  await vendor.visit(begun ?? '');
  await row.getByText('Running').waitFor();
  await row.getByText(/\d+ tools/).click();
  await row.getByText('Adds two numbers.').waitFor();
  await row.getByRole('button', { name: 'Restart' }).click();
  await row.getByText('Running').waitFor();
  await row.getByRole('button', { name: 'Stop' }).click();
  await row.getByText('Stopped').waitFor();
  await row.getByRole('button', { name: 'Start' }).click();
  await row.getByText('Running').waitFor();
  await row.getByRole('button', { name: 'Sign out' }).click();
  await row.getByText('Needs sign-in').waitFor();
  expect(complaints).toEqual([]);
});

test('a tool server that does not work says why', async () => {
  const { page } = await browsing.open(real.at('#/settings/tools'));
  await page.getByLabel('Name').fill('broken');
  await page.getByLabel('Command or URL').fill('/no/such/program');
  await page.getByRole('button', { name: 'Add' }).click();
  const row = page.getByRole('listitem', { name: 'broken' });
  await row.getByText('Failed').waitFor();
  await expect.poll(() => row.getByLabel('Error of broken').innerText()).toContain('could not be started');
});
