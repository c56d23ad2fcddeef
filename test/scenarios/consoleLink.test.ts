// The console's connection in a real browser: signing in, losing the host, coming back.
import { describe, expect, test } from 'vitest';
import { expectAccessible, useBrowser } from './console/browser.ts';
import { agentTurn, chat, field, hostWith, pageOf } from './console/rig.ts';
import { serve } from './console/served.ts';
import { chatState, turnOf } from './console/states.ts';
import { eventually } from '../kit/patience.ts';

const browsing = useBrowser();

describe('signing in', () => {
  test('a token in the address is used, kept for the tab and taken out of the address bar', async () => {
    const served = await serve(hostWith(), { token: 'open-sesame' });
    const { page } = await browsing.open(`${served.address}?tkn=open-sesame`);
    await page.getByText('First session').first().waitFor();
    await expect.poll(() => page.url()).toBe(served.address);
    await page.reload();
    await page.getByText('First session').first().waitFor();
  });

  test('a token in the fragment works as well', async () => {
    const served = await serve(hostWith(), { token: 'open-sesame' });
    const { page } = await browsing.open(`${served.address}#tkn=open-sesame`);
    await page.getByText('First session').first().waitFor();
    await expect.poll(() => page.url()).not.toContain('sesame');
  });

  test('without a token the page says how to get in, and takes a pasted link', async () => {
    const served = await serve(hostWith(), { token: 'open-sesame' });
    const { page } = await browsing.open(served.address);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Sign-in link or token').fill(`${served.address}?tkn=open-sesame`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('First session').first().waitFor();
    await expect.poll(() => page.getByRole('heading', { name: 'Sign in' }).count()).toBe(0);
  });
});

describe('a host that goes away', () => {
  test('is reconnected to, and nothing that happened meanwhile is missed', async () => {
    const host = hostWith();
    const served = await serve(host);
    const { page } = await browsing.open(pageOf(served.address));
    await field(page).waitFor();
    agentTurn(host, [
      { type: 'chat/responsePart', turnId: 't1', part: { kind: 'markdown', id: 'm', content: 'Before. ' } },
    ]);
    await page.getByText('Before.').waitFor();
    await served.stop();
    await page.getByText('Reconnecting…').waitFor();
    await expectAccessible(page);
    host.emit(chat, { type: 'chat/delta', turnId: 't1', partId: 'm', content: 'Meanwhile.' });
    await field(page).fill('said while away');
    await page.keyboard.press('Enter');
    await page.getByText('said while away').waitFor();
    await served.start();
    await page.getByText('Before. Meanwhile.').waitFor();
    await eventually(
      () => host.state('chat', chat).queuedMessages?.[0]?.message.text === 'said while away',
      'the message arrives',
    );
    await page.getByText('Reconnecting…').waitFor({ state: 'hidden' });
    expect(host.dispatched.filter(({ action }) => action.type === 'chat/pendingMessageSet')).toHaveLength(1);
  });

  test('and forgot everybody is greeted anew', async () => {
    const host = hostWith();
    const served = await serve(host);
    const { page } = await browsing.open(pageOf(served.address));
    await field(page).waitFor();
    await served.stop();
    await page.getByText('Reconnecting…').waitFor();
    host.forget();
    host.place('chat', chat, chatState(chat, { turns: [turnOf('t1', 'What the restart kept')] }));
    await served.start();
    await page.getByText('What the restart kept').waitFor();
    expect(host.requests.filter(({ method }) => method === 'initialize')).toHaveLength(2);
  });
});
