// Runs ECA's own extension in the workbench of VS Code, with `parley server` as its server, in Chromium, and
// fails at the first thing that is not as a user expects it. EXTENSION is the folder `extension` of its
// package. See README.md beside it for what else has to be installed.
//   node test/clients/vscode/eca.mjs CODE_SERVER NODE24 EXTENSION [PICTURES]
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const [codeServer, node24, extension, pictures] = process.argv.slice(2);
if (!codeServer || !node24 || !extension)
  throw new Error('Usage: node eca.mjs CODE_SERVER NODE24 EXTENSION [PICTURES]');

const patience = 60_000;
const home = mkdtempSync(join(tmpdir(), 'parley-vscode-eca-'));
const workspace = join(home, 'work');
const data = join(home, 'code');
const { HOME: _, ...inherited } = process.env;
const env = { ...inherited, HOME: home, PARLEY_HOME: join(home, 'home') };
const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'parley.js');
let code;
let browser;
let page;
/** The document of the panel, which VS Code puts into two frames. */
let panel;

try {
  mkdirSync(workspace);
  writeFileSync(join(workspace, 'hello.js'), 'const a = 1;\nconsole.log(a);\n');
  await runAll();
  process.stdout.write('all steps passed\n');
} finally {
  await browser?.close();
  // The programs of the extension are in the group of the server; the host, which outlives them, is not.
  if (code) process.kill(-code.pid, 'SIGKILL');
  execFileSync(process.execPath, [program, 'stop'], { env, stdio: 'ignore' });
  rmSync(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit(0);

async function runAll() {
  const port = await freePort();
  installExtension();
  await startCode(port);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(patience);
  await page.goto(`http://127.0.0.1:${port}/?folder=${workspace}`, { waitUntil: 'domcontentloaded' });
  await step('a panel that opens long after the start has an agent and a model', openPanelLate);
  await step('a prompt is answered in a stream', prompt);
  await step('a command is shown whole where its call is opened, approved and run', approve);
  await step('a command is rejected, and does not run', reject);
  await step('an edit is shown with name, counts and lines, and changes the file', edit);
  await step('a running command is stopped', stopTurn);
  await step('a panel that is moved after a choice in the chat has an agent, and a prompt is answered', move);
  await step('after a reload the panel has an agent again, and a prompt is answered', reload);
}

async function openPanelLate() {
  await page.waitForSelector('.statusbar-item >> text=ECA');
  await eventually(() => existsSync(join(home, 'home', 'token')), 'the extension has started a host');
  // What the server has said by now is what the extension has kept for the panel.
  await delay(8_000);
  await page.click('.activitybar a.action-label[aria-label^="ECA"]');
  await findPanel();
  await hasAgent();
  await picture('eca-start');
}

async function findPanel() {
  panel = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  await panel.locator('textarea.field').waitFor();
}

async function hasAgent() {
  await panel.locator('[title="Select agent"]', { hasText: /^code$/ }).waitFor();
  await panel.locator('[title="Select model"]', { hasText: /^demo\/demo$/ }).waitFor();
  await panel.getByText('Welcome to ECA!').waitFor();
}

async function prompt() {
  await send('what is in this folder');
  const seen = new Set();
  const said = panel.getByText('I see', { exact: false }).last();
  await said.waitFor();
  await eventually(async () => {
    const text = await said.innerText();
    seen.add(text);
    return text.includes('hello.js');
  }, 'the answer names the file');
  await idle();
}

async function approve() {
  const command = `touch made && echo ${'a'.repeat(200)} && echo the-very-end`;
  await send(`run ${command}`);
  const accept = panel.locator('.approve-btn:visible');
  await accept.waitFor();
  const said = (await openedCall()).replaceAll(/\s/g, '');
  await picture('eca-command');
  assert.ok(said.includes(command.replaceAll(' ', '')), `the command is shown whole, not as ${said}`);
  assert.ok(!existsSync(join(workspace, 'made')), 'nothing runs before it is approved');
  await accept.click();
  await panel.getByText('It ended well').waitFor();
  assert.ok(existsSync(join(workspace, 'made')));
  await idle();
}

/** What the newest call says to a user who opens it; closed, it shows the beginning of a command. */
async function openedCall() {
  const call = panel.locator('.tool-call-card').last();
  if (!(await call.locator('.tool-call-card-body').isVisible()))
    await call.locator('.tool-call-card-header').click();
  await call.locator('.tool-call-card-body').waitFor();
  await delay(500);
  return call.innerText();
}

async function reject() {
  await send('run touch never');
  await panel.locator('.reject-btn:visible').click();
  await idle();
  assert.ok(!existsSync(join(workspace, 'never')));
}

async function edit() {
  await send('replace const with let in hello.js');
  const accept = panel.locator('.approve-btn:visible');
  await accept.waitFor();
  const said = (await openedCall()).replaceAll(/\s+/g, ' ');
  for (const part of ['hello.js', '+1', '-1', 'const a = 1;', 'let a = 1;'])
    assert.ok(said.includes(part), `${part} is shown, in ${said}`);
  await picture('eca-edit');
  await accept.click();
  await panel.getByText('is changed').waitFor();
  await idle();
  assert.match(readFileSync(join(workspace, 'hello.js'), 'utf8'), /^let a = 1;/);
}

async function stopTurn() {
  await send('run touch running && sleep 600');
  await panel.locator('.approve-btn:visible').click();
  await eventually(() => existsSync(join(workspace, 'running')), 'the command runs');
  await panel.locator('.stop:visible').click();
  await idle();
}

/** VS Code makes the panel anew; all that it then knows is what the extension has kept. */
async function move() {
  await panel.locator('[title="Select model"]').click();
  await panel.locator('.option:visible', { hasText: /^demo\/demo$/ }).click();
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input:visible').fill('>View: Move View');
  await page.locator('.quick-input-list .monaco-list-row >> text=/^View: Move View$/').click();
  await page.locator('.quick-input-list .monaco-list-row:has-text("ECA")').first().click();
  await page.locator('.quick-input-list .monaco-list-row:has-text("New Panel Entry")').click();
  await delay(2_000);
  await picture('eca-moved');
  await findPanel();
  await works();
}

async function reload() {
  await page.reload({ waitUntil: 'domcontentloaded' });
  await findPanel();
  await works();
  await picture('eca-reloaded');
}

async function works() {
  await hasAgent();
  await send('read hello.js');
  await panel.getByText('It has 2 lines').last().waitFor();
  await idle();
}

async function send(text) {
  await panel.locator('textarea.field').fill(text);
  await panel.locator('textarea.field').press('Enter');
}

/** Waits until no turn runs. */
async function idle() {
  await eventually(async () => (await panel.locator('.stop:visible').count()) === 0, 'the turn ends');
}

async function eventually(holds, what) {
  const end = Date.now() + patience;
  while (!(await holds())) {
    assert.ok(Date.now() < end, what);
    await delay(50);
  }
}

async function step(name, run) {
  try {
    await run();
  } catch (error) {
    await picture('eca-failed');
    throw new Error(`not so: ${name}`, { cause: error });
  }
  process.stdout.write(`${name}\n`);
}

async function picture(name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

/** Puts the built extension where the server looks for it, and names Parley as its server. */
function installExtension() {
  const { version } = JSON.parse(readFileSync(join(extension, 'package.json'), 'utf8'));
  const folder = join(data, 'extensions', `editor-code-assistant.eca-${version}`);
  for (const part of ['package.json', 'dist', 'assets', 'eca-webview/dist']) {
    assert.ok(existsSync(join(extension, part)), `${part} is in ${extension}`);
    cpSync(join(extension, part), join(folder, part), { recursive: true });
  }
  const server = join(home, 'parley');
  writeFileSync(server, `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 });
  mkdirSync(join(data, 'data', 'Machine'), { recursive: true });
  const settings = { 'eca.serverPath': server, 'eca.serverArgs': '' };
  writeFileSync(join(data, 'data', 'Machine', 'settings.json'), JSON.stringify(settings));
}

async function startCode(port) {
  const main = join(codeServer, 'lib', 'vscode', 'out', 'server-main.js');
  assert.ok(existsSync(main), `${main} does not exist`);
  const own = ['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'];
  const folders = ['--server-data-dir', data, '--extensions-dir', join(data, 'extensions')];
  const rest = ['--accept-server-license-terms', '--disable-workspace-trust', '--telemetry-level', 'off'];
  code = spawn(node24, [main, ...own, ...folders, ...rest], {
    env,
    cwd: home,
    stdio: 'ignore',
    detached: true,
  });
  await eventually(
    () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      ),
    `the workbench listens on port ${port}`,
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
