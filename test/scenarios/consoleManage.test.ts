// The console as the place from which a host is looked after: search, devices and their roles, providers,
// tool servers, the settings file. Real host, real browser.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { field, pick } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost();

test('what was said long ago is found, with the line that says it', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'tell me about zebras and lions');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await real.begin(page, 'something else');
  await page.goto(real.address);
  await page.keyboard.press('Alt+KeyS');
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('zebr lion');
  const found = page.locator('.hits .item');
  await found.first().waitFor();
  await expect.poll(() => found.count()).toBe(1);
  await expect.poll(() => found.locator('mark').first().innerText()).toBe('zebr');
  await expectAccessible(page);
  await found.click();
  await page.locator('.msg-user', { hasText: 'zebras' }).waitFor();
  await page.keyboard.press('Control+KeyK');
  await page.getByRole('searchbox', { name: 'Search sessions' }).fill('quagga');
  await page.getByText('No results in transcripts').waitFor();
  expect(complaints).toEqual([]);
});

test('a second device is signed in by a link, may do what its role says, and is sent away', async () => {
  const { page } = await browsing.open(real.at());
  await real.begin(page, 'create notes.txt with milk');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByText('No devices signed in').waitFor();
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('observe');
  await page.getByRole('button', { name: 'Create link' }).click();
  // No phone can open an address of this computer alone.
  await page.getByText('Open the link in a browser on this computer.').waitFor();
  expect(await page.getByRole('img', { name: 'QR code of the link' }).count()).toBe(0);
  await expectAccessible(page);
  const link = await page.locator('.link-line code').innerText();

  const { page: phone, complaints } = await browsing.open(link, { viewport: { width: 360, height: 640 } });
  await phone.getByRole('link', { name: 'create notes.txt with milk' }).click();
  await phone.getByText('View only – answer on another device.').waitFor();
  await phone.getByText('View only', { exact: true }).waitFor();
  await expect.poll(() => phone.getByRole('button', { name: 'Allow once' }).count()).toBe(0);
  await expectAccessible(phone);

  await page.reload();
  const row = page.getByRole('listitem', { name: /on Linux/ });
  await row.getByText('Connected').waitFor();
  await row.getByRole('combobox').selectOption('approve');
  await phone.getByRole('button', { name: 'Allow once' }).click();
  await expect.poll(() => existsSync(join(real.home.workspace, 'notes.txt'))).toBe(true);
  await phone.getByText('You can view and approve on this device').waitFor();
  await expect.poll(() => field(phone).count()).toBe(0);

  await row.getByRole('button', { name: 'Sign out' }).click();
  await phone.getByRole('heading', { name: 'Sign in' }).waitFor();
  await page.getByText('No devices signed in').waitFor();
  expect(complaints.filter((text) => !/401/.test(text))).toEqual([]);
});

test('a device is kept to permission modes, and a session says who chose its mode', async () => {
  const { page } = await browsing.open(real.at());
  await page.goto(`${real.address}#/settings/devices`);
  await page.getByRole('combobox', { name: 'Role', exact: true }).selectOption('control');
  await page.getByRole('combobox', { name: 'Permission modes', exact: true }).selectOption('edits');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.locator('.link-line code').innerText();
  const { page: phone } = await browsing.open(link, { viewport: { width: 1_000, height: 640 } });
  await page.reload();
  const row = page.getByRole('listitem', { name: /on Linux/ });
  await row.getByText('permission mode at most edits').waitFor();
  await expectAccessible(page);

  await real.begin(phone, 'say hello');
  await phone.getByRole('button', { name: /^Permissions/ }).click();
  await phone.getByRole('menuitemradio', { name: /Full/ }).click();
  await phone.getByText(/which may choose at most edits/).waitFor();
  await phone.getByRole('button', { name: /^Permissions/ }).click();
  await phone.getByRole('menuitemradio', { name: /^Edits/ }).click();
  await phone.getByRole('button', { name: 'Permissions: Edits' }).click();
  await phone.getByText(/Edits in the workspace run unasked\. Chosen by .*on Linux/).waitFor();
  await expectAccessible(phone);

  await row.getByRole('combobox', { name: /^Permission modes of/ }).selectOption('full');
  await expect.poll(() => row.getByText('permission mode at most').count()).toBe(0);
  await row.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('No devices signed in').waitFor();
});

test('a provider is signed in to and out of, and the key is nowhere to be seen', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/models'));
  const row = page.getByRole('listitem', { name: 'Anthropic', exact: true });
  await row.getByRole('button', { name: 'Sign in' }).click();
  // Where there are several ways, the key is one of them.
  const key = row.getByLabel(/key/i);
  const choice = row.getByRole('button', { name: 'Enter API key' });
  await key.or(choice).first().waitFor();
  if ((await choice.count()) > 0) await choice.first().click();
  await key.fill('sk-very-secret');
  await expectAccessible(page);
  await row.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Signed in', { exact: true }).waitFor();
  expect(real.kept('secrets.json')).toContain('sk-very-secret');
  expect(await page.content()).not.toContain('sk-very-secret');
  await row.getByRole('button', { name: 'Sign out' }).click();
  await row.getByText('Not signed in').waitFor();
  expect(real.kept('secrets.json')).not.toContain('sk-very-secret');
  expect(complaints).toEqual([]);
});

test('a tool server is added, seen at work and removed', async () => {
  const server = await bundle(join(import.meta.dirname, '../kit/mcpSdkServer.ts'));
  try {
    const { page, complaints } = await browsing.open(real.at('#/settings/tools'));
    await page.getByText('No MCP servers').waitFor();
    await page.getByLabel('Name').fill('kit');
    await page.getByLabel('Command or URL').fill(`${process.execPath} ${server.path}`);
    await page.getByRole('button', { name: 'Add' }).click();
    const row = page.getByRole('listitem', { name: 'kit' });
    await row.waitFor();
    expect(real.kept('config.jsonc')).toContain(server.path);
    await row.getByRole('button', { name: 'Test' }).click();
    await row.getByText(/^Works: \d+ tools?, started in/).waitFor();
    await row.getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('No MCP servers').waitFor();
    expect(real.kept('config.jsonc')).not.toContain(server.path);
    expect(complaints).toEqual([]);
  } finally {
    server.dispose();
  }
});

test('the settings file is changed where it can be read again, and agents are listed', async () => {
  const { page } = await browsing.open(real.at('#/settings/file'));
  const editor = page.getByRole('textbox', { name: 'Your settings' });
  await editor.fill('{ "limits": { "steps": ');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is broken in line 1').waitFor();
  expect(real.kept('config.jsonc')).toBe('');
  await editor.fill('{\n  // fewer\n  "limits": { "steps": 7 }\n}\n');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  await expect
    .poll(() => page.getByRole('row', { name: /limits\.steps/ }).innerText())
    .toMatch(/7\s+.*config\.jsonc/);
  expect(real.kept('config.jsonc')).toContain('// fewer');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Agents' }).click();
  await page.getByRole('heading', { name: 'External agents' }).waitFor();
  await page.getByRole('listitem', { name: 'Parley', exact: true }).waitFor();
  await expectAccessible(page);
});

test('an agent is added, tried, offered for new sessions and removed', async () => {
  const agent = await bundle(join(import.meta.dirname, '../kit/sdkAgent.ts'));
  try {
    const { page, complaints } = await browsing.open(real.at('#/settings/agents'));
    await page.getByLabel('Name').fill('parley');
    await page.getByLabel('Command').fill(`${process.execPath} ${agent.path}`);
    await page.getByRole('button', { name: 'Add' }).click();
    await page.locator('.toast.problem', { hasText: 'Invalid agent ID' }).waitFor();
    await page.getByLabel('Name').fill('kit');
    await page.getByRole('button', { name: 'Add' }).click();
    const row = page
      .getByRole('listitem', { name: 'kit' })
      .filter({ has: page.getByRole('button', { name: 'Remove' }) });
    await row.getByRole('button', { name: 'Test' }).click();
    await row.getByText(/Works \(\d+ ms/).waitFor();
    await expectAccessible(page);
    await page.goto(`${real.address}#/new`);
    await pick(page, 'Agent', 'kit');
    await page.goto(`${real.address}#/settings/agents`);
    await row.getByRole('button', { name: 'Remove' }).click();
    await row.waitFor({ state: 'detached' });
    expect(real.kept('config.jsonc')).not.toContain('sdkAgent');
    expect(complaints).toEqual([]);
  } finally {
    agent.dispose();
  }
});
