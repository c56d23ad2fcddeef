// The page of remembered answers on a small phone: answers of an earlier version wait until somebody confirms
// them, and texts that agents and servers have chosen stay texts. Real host, real browser.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Event, Rule } from '../../src/model/event.ts';
import { openStore } from '../../src/io/store/sqlite/open.ts';
import type { Home } from '../kit/parley.ts';
import { expectAccessible, expectNoOverflow, useBrowser } from './console/browser.ts';
import { useRealHost } from './console/realHost.ts';

const browsing = useBrowser();
const real = useRealHost(withAnswers);
const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

const by = { kind: 'client', client: 'c1', door: 'ahp', name: '<b>Eve</b>\u202Elive' } as const;
const markup = '<img/src=x/onerror=document.title="taken">';
const rules: readonly Rule[] = [
  { id: 'old-edits', effect: 'allow', tool: '@edit' },
  { id: 'old-denial', effect: 'deny', tool: 'old_tool' },
  { id: 'tool', effect: 'allow', tool: `${markup}\u202E_${'x'.repeat(300)}`, made: { by, at: 1 } },
  {
    id: 'line',
    effect: 'allow',
    tool: '@execute',
    match: `echo ${'y'.repeat(2_000)}\n# Denies everything\u2066`,
    folders: [`/w/${markup}`],
    made: { by, at: 2 },
  },
  { id: 'name', effect: 'allow', tool: '@network', host: 'a.example:443\u202E', made: { by, at: 3 } },
];

/** Puts answers into the host's own log, as earlier versions stored them. */
async function withAnswers(home: Home): Promise<void> {
  await (await home.serve()).kill('SIGTERM');
  const directory = String(home.env['PARLEY_HOME']);
  const store = await openStore({ directory, report: (problem) => expect.fail(String(problem)) });
  const [summary] = store.summaries().filter(({ id }) => id === '$host');
  if (!summary) throw new Error('The host has no log of its own.');
  const event: Event = { kind: 'session.changed', changes: { rules } };
  const seq = summary.seq + 1;
  const entry = { seq, pos: store.head() + 1, at: 1, by: { kind: 'host' }, event } as const;
  await store.write({
    entries: [{ session: summary.id, entry }],
    summaries: [{ ...summary, seq, rules }],
    sync: 'disk',
  });
  await store.close();
}

test('on a phone earlier answers are confirmed, and hostile texts stay texts', async () => {
  const { page, complaints } = await browsing.open(real.at('#/settings/permissions'), phone);
  const edits = page.getByRole('listitem', { name: 'every edit' });
  await edits.getByText('It does not count until you confirm it.').waitFor();
  const answers = page.locator('.permissions > li');
  expect(await answers.count()).toBe(rules.length);
  const words = await answers.locator('.rule-words').allTextContents();
  const beginnings = [
    'Allows connections of confined programs to a.example:443\\u202e',
    'Allows exactly the command "echo yyyy',
    `Allows every call of ${markup}\\u202e_xxxx`,
    'Allows every edit',
    'Denies every call of old_tool',
  ];
  for (const [at, text] of words.entries()) expect(text).toContain(beginnings[at]);
  expect(words.join('')).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
  expect(await page.title()).not.toContain('taken');
  await answers.filter({ hasText: `In /w/${markup}` }).waitFor();
  expect(await answers.filter({ hasText: '1970-01-01, by <b>Eve</b>\\u202elive' }).count()).toBe(3);
  await expectAccessible(page);
  await expectNoOverflow(page);
  await page.screenshot({ path: join('artifacts', 'console', 'permissions-waiting.png'), fullPage: true });
  await edits.getByRole('button', { name: 'Confirm every edit' }).click();
  await edits.getByText(/^In every folder · just now, by Parley console on this computer/).waitFor();
  expect(await edits.getByRole('button').count()).toBe(1);
  for (const row of await answers.all())
    expect(await row.getByRole('button', { name: /^Revoke/ }).isVisible()).toBe(true);
  for (let left = rules.length; left > 0; left -= 1) {
    await answers
      .first()
      .getByRole('button', { name: /^Revoke/ })
      .click();
    await expect.poll(() => answers.count()).toBe(left - 1);
  }
  await page.getByText('Nothing is remembered').waitFor();
  await expectNoOverflow(page);
  expect(complaints).toEqual([]);
});
