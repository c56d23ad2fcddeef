// Money and context in the console: what fills the context, what each turn cost, and the sums over all
// sessions. Real host, real browser.
import { expect, test } from 'vitest';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { say, useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost(undefined, { shared: true });

test('the panel tells the parts of the context and the turns, and offers to compact', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'say Half of it is full.\nstream 20000 0123456789\nusage 60000 300', 'Scripted');
  await say(page, 'say A little more.\nusage 61000 20');
  await page.locator('.prose', { hasText: 'A little more.' }).waitFor();
  await page.getByRole('button', { name: /^Context: / }).click();
  await page.getByRole('button', { name: 'Details' }).click();
  const panel = page.getByRole('complementary', { name: 'Context and cost' });
  const context = panel.getByRole('region', { name: 'Context' });
  for (const part of ['System prompt', 'Tool definitions', 'Conversation'])
    await context.getByRole('listitem').filter({ hasText: part }).waitFor();
  await panel
    .getByRole('row', { name: /Half of it is full/ })
    .getByText('60k')
    .waitFor();
  await expectAccessible(page);
  await context.getByRole('button', { name: 'Compact' }).click();
  await page.locator('.msg-user', { hasText: '/compact' }).waitFor();
  expect(complaints).toEqual([]);
});

test('on a phone the usage of all sessions is shown by day, model, agent and session', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/usage'), {
    viewport: { width: 360, height: 740 },
    colorScheme: 'dark',
  });
  const table = page.getByRole('group', { name: 'Tokens and cost' });
  await table
    .getByRole('row', { name: /^\d{4}-\d\d-\d\d/ })
    .first()
    .waitFor();
  await page.getByRole('radio', { name: 'Model' }).check();
  await table.getByRole('row', { name: /scripted/ }).waitFor();
  await page.getByRole('radio', { name: 'Agent' }).check();
  await table.getByRole('row', { name: /^Parley/ }).waitFor();
  await page.getByRole('radio', { name: 'Session' }).check();
  await table.getByRole('row', { name: /Half of it is full/ }).waitFor();
  await expectAccessible(page);
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});
