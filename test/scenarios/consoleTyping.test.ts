// Fast fingers in the composer: what is typed to its end is sent by one Enter, and no list opens for words
// that have gone.
import { expect, test } from 'vitest';
import { useBrowser } from './console/browser.ts';
import { chat, field, hostWith, lastOf, pageOf } from './console/rig.ts';
import type { ScriptedHost } from './console/scriptedHost.ts';
import { serve } from './console/served.ts';
import { chatState, turnOf } from './console/states.ts';

const browsing = useBrowser();

const command = (name: string) => ({
  insertText: `/${name} `,
  attachment: { type: 'simple', label: `/${name}`, displayKind: 'command' },
});

function hostWithCommands(): ScriptedHost {
  const host = hostWith();
  host.answers.set('completions', ({ text }) => ({
    items: ['prepare', 'rep', 'report'].map(command).filter(({ insertText }) => {
      const word = String(text).replace(/^\W/, '');
      return insertText.includes(word);
    }),
  }));
  return host;
}

function sentText(host: ScriptedHost): string | undefined {
  const sent = lastOf(host, 'chat/turnStarted');
  return sent?.type === 'chat/turnStarted' ? sent.message.text : undefined;
}

test('a command that is typed to its end runs with one Enter; another that is chosen is completed', async () => {
  const host = hostWithCommands();
  const { address } = await serve(host);
  const { page, complaints } = await browsing.open(pageOf(address));
  await field(page).pressSequentially('/rep');
  const chosen = page.getByRole('option', { selected: true });
  await expect.poll(() => chosen.allInnerTexts()).toEqual(['/rep']);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => chosen.allInnerTexts()).toEqual(['/report']);
  await page.keyboard.press('Enter');
  await expect.poll(() => field(page).inputValue()).toBe('/report ');
  expect(sentText(host)).toBeUndefined();
  await field(page).fill('/rep');
  await chosen.waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => sentText(host)).toBe('/rep');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await expect.poll(() => field(page).inputValue()).toBe('');
  expect(complaints).toEqual([]);
});

test('nothing is looked up for words that were sent before the pause after the last key', async () => {
  const host = hostWithCommands();
  const { address } = await serve(host);
  const { page } = await browsing.open(pageOf(address));
  await field(page).waitFor();
  // Key and Enter in one task: no machine is too slow for this.
  await page.evaluate(`(() => {
    const at = document.querySelector('.message-field');
    at.value = '/rep';
    at.dispatchEvent(new InputEvent('input', { bubbles: true }));
    at.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
    // Timers of a page fire in the order in which they are due.
    return new Promise((done) => setTimeout(done, 200));
  })()`);
  await expect.poll(() => sentText(host)).toBe('/rep');
  await field(page).fill('@next');
  const looked = () => host.requests.filter(({ method }) => method === 'completions');
  await expect.poll(() => looked().length).toBeGreaterThan(0);
  expect(looked()).toEqual([
    { method: 'completions', params: { channel: chat, kind: 'userMessage', text: '@next', offset: 5 } },
  ]);
});

test('going back to the first turn that is loaded keeps the turns before it', async () => {
  const host = hostWith();
  const last = chatState(chat, { turns: [turnOf('t5', 'Five')] });
  host.place('chat', chat, { ...last, turnsNextCursor: 'c' });
  let tries = 0;
  host.answers.set('fetchTurns', () => {
    tries += 1;
    if (tries === 1) return { code: -32_000, message: 'Not now.' };
    host.emit(chat, { type: 'chat/turnsLoaded', turns: [turnOf('t4', 'Four')] });
    return {};
  });
  const { address } = await serve(host);
  const { page } = await browsing.open(pageOf(address));
  await page.getByText('Not now.').waitFor();
  await page.locator('.msg-user', { hasText: 'Five' }).hover();
  await page.getByRole('button', { name: 'Rewind to here' }).click();
  await page.getByRole('menuitem', { name: /^Conversation Drops/ }).click();
  await expect.poll(() => lastOf(host, 'chat/truncated')).toEqual({ type: 'chat/truncated', turnId: 't4' });
});
