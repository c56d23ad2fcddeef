// Takes the screenshot of the README: the real program with its demo model in a real browser, with one
// finished session and two that wait for an approval. Run it after a build: npm run screenshot
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const picture = join(root, 'docs', 'console.png');
const directory = mkdtempSync(join(tmpdir(), 'parley-picture-'));
const workspace = join(directory, 'bakery');
mkdirSync(workspace);
writeFileSync(join(workspace, 'README.md'), '# A small bakery\n\nBread, rolls and a web page.\n');
writeFileSync(join(workspace, 'greeting.txt'), 'Welcome!\nToday we have cake.\nSee you soon.\n');

const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
const host = spawn(process.execPath, [join(root, 'bin', 'parley.js'), 'serve', '--port', '0'], {
  env: { ...env, PARLEY_HOME: join(directory, 'home') },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const link = await new Promise((resolve, reject) => {
  let said = '';
  host.stdout.on('data', (chunk) => {
    said += chunk;
    const found = /http\S+\/sign-in\?code=\S+/.exec(said);
    if (found) resolve(found[0]);
  });
  host.once('exit', (code) => reject(new Error(`The host ended with ${code}: ${said}`)));
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 720 }, colorScheme: 'light' });
  page.setDefaultTimeout(60_000);
  await page.goto(link);
  await begin(page, 'what is in this folder');
  await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
  await begin(page, 'create opening-hours.md with Open from six to noon');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await begin(page, 'replace cake with fresh bread in greeting.txt');
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.locator('tr.add', { hasText: 'fresh bread' }).first().waitFor();
  await page.getByRole('link', { name: 'Inbox, 2 sessions need you' }).waitFor();
  await page.screenshot({ path: picture });
} finally {
  await browser.close();
  host.kill('SIGTERM');
  await new Promise((resolve) => host.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(`${picture}: ${Math.round(statSync(picture).size / 1024)} KB\n`);

/** Starts a session from the page, as a person would. */
async function begin(page, text) {
  await page.goto(`${new URL('/', link).href}#/new`);
  await page.getByRole('button', { name: /^Folder: / }).click();
  await page.getByRole('textbox', { name: 'Folder' }).fill(workspace);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Message' }).fill(text);
  await page.getByRole('button', { name: 'Start session' }).click();
  await page.locator('.msg-user', { hasText: text }).first().waitFor();
}
