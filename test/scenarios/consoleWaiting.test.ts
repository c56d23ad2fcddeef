// What the console shows of an agent that has not stopped yet: beside a turn that was stopped, and beside one
// that a limit has ended. Real host, real browser.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { addReference, disposeReference } from '../kit/reference/program.ts';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { chooseFolder, field, pick } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost(async (home) => {
  await addReference(home, { directory: join(home.dir, 'reference'), quirks: ['ignores-cancel'] });
  const settings = join(home.dir, 'home', 'config.jsonc');
  const values = JSON.parse(readFileSync(settings, 'utf8')) as object;
  writeFileSync(settings, JSON.stringify({ ...values, limits: { steps: 1 } }));
});
afterAll(disposeReference);

const waits = 'Waiting up to 10 seconds for The reference to stop; then it is ended.';
const call = (id: string) =>
  `update ${JSON.stringify({ sessionUpdate: 'tool_call', toolCallId: id, title: `Call ${id}`, kind: 'other', status: 'completed' })}`;

async function begin(page: Page, text: string): Promise<void> {
  await page.goto(`${real.address}#/new`);
  await pick(page, 'Agent', 'The reference');
  await chooseFolder(page, real.home.workspace);
  await field(page).fill(text);
  await page.getByRole('button', { name: 'Start session' }).click();
}

test('an agent that does not stop is waited for in words, until it is ended', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await begin(page, 'say begun\nhang');
  await page.locator('.prose', { hasText: 'begun' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const note = page.getByRole('status').filter({ hasText: waits });
  await note.waitFor();
  await expectAccessible(page);
  await note.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('beside a turn that a limit has ended, the wait is shown, too', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await begin(page, `${call('a')}\n${call('b')}\nhang`);
  await page.getByText('limits.steps').first().waitFor();
  const note = page.getByRole('status').filter({ hasText: waits });
  await note.waitFor();
  await note.waitFor({ state: 'detached' });
  await page.getByText('limits.steps').first().waitFor();
  expect(complaints).toEqual([]);
});
