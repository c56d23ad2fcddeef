// Takes the picture of one approval in two clients: `parley chat` in a real terminal, and the console in a
// real browser, both on the same session. Run it after a build: npm run screenshot:two
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..');
const picture = join(root, 'docs', 'two-clients.png');
const directory = mkdtempSync(join(tmpdir(), 'parley-picture-'));
const workspace = join(directory, 'bakery');
mkdirSync(workspace);
writeFileSync(join(workspace, 'greeting.txt'), 'Welcome!\nToday we have cake.\nSee you soon.\n');
const env = { ...process.env, PARLEY_HOME: join(directory, 'home'), TERM: 'xterm-256color' };
delete env.NODE_EXTRA_CA_CERTS;
delete env.NO_COLOR;
const program = join(root, 'bin', 'parley.js');
const [columns, rows] = [76, 34];

const host = spawn(process.execPath, [program, 'serve', '--port', '0', '--no-open'], {
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const link = await output(host, /http\S+\/sign-in\?code=\S+/);
const command = `stty cols ${columns} rows ${rows}; exec ${process.execPath} ${program} chat`;
const chat = spawn('script', ['-qfec', command, '/dev/null'], { env, cwd: workspace });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu'],
});
try {
  const terminal = await terminalPage();
  const draw = (bytes) =>
    // The last words come when the page is closed already.
    void terminal.evaluate((text) => globalThis.show(text), bytes.toString()).catch(() => {});
  chat.stdout.on('data', draw);
  await output(chat, /commands/);
  chat.stdin.write('replace cake with fresh bread in greeting.txt\r');
  const page = await browser.newPage({ viewport: { width: 1280, height: 640 }, colorScheme: 'light' });
  page.setDefaultTimeout(60_000);
  await page.goto(link);
  await page.locator('.sessions .session', { hasText: 'replace cake' }).first().click();
  await page.getByRole('button', { name: /Allow once/ }).waitFor();
  await page.setViewportSize({ width: 420, height: 640 });
  // Colours fade in.
  await delay(1_000);
  await besideEachOther(await terminal.screenshot(), await page.screenshot());
} finally {
  await browser.close();
  chat.stdin.end('\u0004');
  chat.kill('SIGHUP');
  host.kill('SIGTERM');
  await new Promise((resolve) => host.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
}
process.stdout.write(`${picture}: ${Math.round(statSync(picture).size / 1024)} KB\n`);

/** A page with a terminal emulator; `show` writes to it. */
async function terminalPage() {
  const page = await browser.newPage({ viewport: { width: 720, height: 640 } });
  await page.setContent('<body style="margin:12px;background:#161618"><div id="screen"></div></body>');
  const folder = join(root, 'node_modules', '@xterm', 'xterm');
  await page.addStyleTag({ content: readFileSync(join(folder, 'css', 'xterm.css'), 'utf8') });
  await page.addScriptTag({ content: readFileSync(join(folder, 'lib', 'xterm.js'), 'utf8') });
  await page.evaluate(
    (size) => {
      const emulator = new globalThis.Terminal({ ...size, fontSize: 15, theme: { background: '#161618' } });
      emulator.open(document.getElementById('screen'));
      globalThis.show = (text) => emulator.write(text);
    },
    { cols: columns, rows },
  );
  return page;
}

async function besideEachOther(left, right) {
  const page = await browser.newPage({ viewport: { width: 1180, height: 704 } });
  const figure = (bytes, text) =>
    `<figure><img src="data:image/png;base64,${bytes.toString('base64')}"><figcaption>${text}</figcaption></figure>`;
  await page.setContent(
    '<style>body{margin:16px;display:flex;gap:8px;background:#e7e6e1;font:16px system-ui}' +
      'figure{margin:0}img{border-radius:8px}figcaption{text-align:center;margin-top:8px}</style>' +
      figure(left, 'parley chat') +
      figure(right, 'the console on a phone, same session'),
  );
  await page.screenshot({ path: picture });
}

/** Waits until a program has printed something. */
function output(child, pattern) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      const found = pattern.exec(text);
      if (found) resolve(found[0]);
    });
    child.once('exit', (code) => reject(new Error(`It ended with ${code}: ${text}`)));
  });
}
