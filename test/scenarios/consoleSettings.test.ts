// Settings without files: budgets, rules, models and MCP servers are changed in the console, the rest of the
// settings file stays as it is, and every value says where it comes from. Real host, real browser.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const own = `{
  // few, but good
  "limits": { "steps": 7 },   // do not touch
  "approvals": { "deny": ["$ rm *"] }
}
`;
const real = useRealHost(
  (home) => {
    const folder = String(home.env['PARLEY_HOME']);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.jsonc'), own);
  },
  { shared: true },
);
const settingsText = () => real.kept('config.jsonc');
const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

test('a budget says where it comes from, is set, refused and reset', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/usage'));
  const steps = page.locator('.setting', { hasText: 'Requests of a turn' });
  await steps.getByText('From your settings file.').waitFor();
  await page.locator('.setting', { hasText: 'Compact at' }).getByText('Built-in default.').waitFor();
  const cost = page.locator('.setting', { hasText: 'Cost of a turn' });
  await cost.getByText('Not set.').waitFor();
  await cost.getByRole('spinbutton').fill('0.5');
  await page.keyboard.press('Enter');
  await cost.getByText('From your settings file.').waitFor();
  expect(settingsText()).toContain('"money": 0.5');
  expect(settingsText()).toContain('"steps": 7');
  expect(settingsText()).toContain('// do not touch');
  await cost.getByRole('spinbutton').fill('-1');
  await page.keyboard.press('Enter');
  await page.locator('.toast.problem', { hasText: 'limits.money' }).waitFor();
  expect(settingsText()).toContain('"money": 0.5');
  await expectAccessible(page);
  await cost.getByRole('button', { name: /^Reset / }).click();
  await cost.getByText('Not set.').waitFor();
  expect(settingsText()).toBe(own);
  expect(complaints).toEqual([]);
});

test('on a phone a rule is added and removed, and a wrong one is refused', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/permissions'), phone);
  const rules = page.getByRole('list', { name: 'Rules' });
  await rules.getByRole('listitem', { name: '$ rm *' }).getByText('Deny').waitFor();
  await page.getByLabel('Rule', { exact: true }).fill('$ npm test *');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await rules.getByRole('listitem', { name: '$ npm test *' }).waitFor();
  expect(settingsText()).toContain('"allow": ["$ npm test *"]');
  await page.getByLabel('Rule', { exact: true }).fill('(((');
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.locator('.toast.problem', { hasText: 'is not a rule' }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  await rules.getByRole('button', { name: 'Remove $ npm test *' }).click();
  await rules.getByRole('listitem', { name: '$ npm test *' }).waitFor({ state: 'detached' });
  expect(settingsText()).toBe(own);
  expect(complaints).toEqual([]);
});

test('the model of new sessions is chosen, and an endpoint is added', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/models'));
  await page.getByLabel('Model of new sessions').selectOption('demo/demo');
  await expect.poll(settingsText).toContain('"defaultModel": "demo/demo"');
  await page.getByRole('button', { name: 'Reset Model of new sessions' }).click();
  await expect.poll(settingsText).toBe(own);
  await page.getByLabel('Name').fill('lab');
  await page.getByLabel('Address').fill('http://127.0.0.1:1/v1');
  await page.getByLabel('Environment variable with the key').fill('LAB_KEY');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await expect.poll(settingsText).toMatch(/"key":\s?"\$\{env:LAB_KEY\}"/);
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

test('an MCP server whose name would not be the prefix of its tools is refused in the form', async () => {
  const { page } = await browsing.open(real.at('#/settings/tools'));
  await page.getByLabel('Name').fill('my server');
  await page.getByLabel('Command or URL').fill('true');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('An MCP server cannot be named "my server". Use letters, digits,').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('my server');
  expect(settingsText()).not.toContain('my server');
});

test('an MCP server gets an environment, is tested with its real error, and is repaired', async () => {
  const server = await bundle(join(import.meta.dirname, '../kit/mcpSdkServer.ts'));
  onTestFinished(() => server.dispose());
  const { page, complaints } = await browsing.open(real.at('#/settings/tools'));
  await page.getByLabel('Name').fill('kit');
  await page.getByLabel('Command or URL').fill('/no/such/server "with a blank"');
  await page.getByLabel('Environment').fill('API_TOKEN=very-secret\nPLAIN=yes');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  const row = page.getByRole('listitem', { name: 'kit' });
  await row.getByRole('button', { name: 'Test' }).click();
  await row.getByText(/^The test failed: /).waitFor();
  await row.locator('pre', { hasText: '/no/such/server' }).waitFor();
  expect(settingsText()).toContain('"with a blank"');
  expect(settingsText()).not.toContain('very-secret');
  await row.getByText(/^From .*config\.jsonc$/).waitFor();
  await row.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => row.getByLabel('Environment').inputValue()).toBe('API_TOKEN=[hidden]\nPLAIN=yes');
  await row.getByLabel('Command or URL').fill(`${process.execPath} ${server.path}`);
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByRole('button', { name: 'Test' }).click();
  await row.getByText(/^Works: \d+ tools?, started in \d+ ms$/).waitFor();
  expect(settingsText()).toMatch(/"API_TOKEN":\s?"\$\{secret:mcp\/kit\/API_TOKEN\}"/);
  expect(real.kept('secrets.json')).toContain('very-secret');
  expect(complaints).toEqual([]);
});
