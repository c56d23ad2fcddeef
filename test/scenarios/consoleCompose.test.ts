// The composer of the console on the real host: words that go on by themselves, pictures, the queue,
// steering and stopping.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';
import { field } from './console/rig.ts';

const browsing = useBrowser();
const real = useRealHost();

test('files and commands are offered, and a pasted picture goes along', async () => {
  writeFileSync(join(real.home.workspace, 'recipe.md'), '# Bread\n');
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await field(page).pressSequentially('read @rec');
  await page.getByRole('option', { name: /recipe\.md/ }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => field(page).inputValue()).toMatch(/^read @\S*recipe\.md /);
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), (letter) => letter.charCodeAt(0));
    const data = new DataTransfer();
    data.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
    document.querySelector('.message-field').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
  })()`);
  await page.getByRole('img', { name: 'dot.png' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.msg-user').last().getByRole('img', { name: 'dot.png' }).waitFor();
  await page.locator('.prose', { hasText: '# Bread' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  // It is in the log: another look at it finds it again.
  await page.reload();
  await page.locator('.session[aria-current]').waitFor();
  await page.locator('.msg-user').last().getByRole('img', { name: 'dot.png' }).waitFor();
  await field(page).pressSequentially('/comp');
  await page
    .getByRole('option', { name: /compact/ })
    .first()
    .waitFor();
  expect(complaints).toEqual([]);
});

test('what is said meanwhile waits, is edited, taken back or steers, and stop holds it', async () => {
  const { page, complaints } = await browsing.open(real.at());
  await real.begin(page, 'hang', 'Scripted');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  const queue = page.getByRole('region', { name: 'Pending messages' });
  for (const text of ['say First.', 'say Second.']) {
    await field(page).fill(text);
    await page.keyboard.press('Enter');
    await queue.getByText(text).waitFor();
  }
  await queue
    .locator('.queue-row', { hasText: 'say Second.' })
    .getByRole('button', { name: 'Remove pending message' })
    .click();
  await queue.getByText('say Second.').waitFor({ state: 'detached' });
  await page.reload();
  await queue.getByText('say First.').waitFor();
  await field(page).fill('a hint');
  await page.keyboard.press('Control+Enter');
  await page.getByText('a hint').first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  // Stop starts nothing: what waits stays in the queue until the user says so.
  await queue.getByText('Queue paused').waitFor();
  await expect.poll(() => page.locator('.msg-user').count()).toBe(1);
  await queue.getByRole('button', { name: 'Run next' }).click();
  await page.locator('.msg-user', { hasText: 'a hint' }).waitFor();
  await page.locator('.prose', { hasText: 'First.' }).waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});
