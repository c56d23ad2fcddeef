// Runs the workbench of VS Code against the built host, in Chromium, and fails at the first thing that is not
// as a user expects it. See README.md beside it for what has to be installed.
//   node test/clients/vscode/run.mjs CODE_SERVER NODE24 [PICTURES]
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const [codeServer, node24, pictures] = process.argv.slice(2);
if (!codeServer || !node24) throw new Error('Usage: node run.mjs CODE_SERVER NODE24 [PICTURES]');

const patience = 60_000;
const home = mkdtempSync(join(tmpdir(), 'parley-vscode-'));
const workspace = join(home, 'work');
const { HOME: _, ...inherited } = process.env;
const env = { ...inherited, HOME: home, PARLEY_HOME: join(home, 'home') };
const children = new Set();
const chat = '.part.auxiliarybar';
const input = `${chat} .chat-editor-container .view-lines`;
const question = '.chat-confirmation-widget2:visible';
const session = `${chat} .interactive-session`;
const program = join(import.meta.dirname, '..', '..', '..', 'bin', 'parley.js');
const stop = `${chat} .codicon-stop-circle:visible`;
let page;

mkdirSync(workspace);
writeFileSync(join(workspace, 'hello.js'), 'const a = 1;\nconsole.log(a);\n');
try {
  await runAll();
  process.stdout.write('all steps passed\n');
} finally {
  for (const child of children) child.kill('SIGKILL');
  await delay(500);
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);

async function runAll() {
  const [hostPort, codePort] = [await freePort(), await freePort()];
  const host = await startHost(hostPort);
  const token = readFileSync(join(home, 'home', 'token'), 'utf8').trim();
  await startCode(codePort, hostPort, token);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  children.add({ kill: () => void browser.close() });
  page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(patience);
  await page.goto(`http://127.0.0.1:${codePort}/?folder=${workspace}`, { waitUntil: 'domcontentloaded' });
  await step('the folder is trusted and Parley is listed', chooseParley);
  await step('slash commands appear', slashCommands);
  await step('a prompt creates a session and is answered in a stream', prompt);
  await step('the list has it, and a session of another client', sessionList);
  await step('a long command is approved after its end was seen', longCommand);
  await step('an edit is shown with name, colours and counts', edit);
  await step('a message to a running turn reaches it', steer);
  await step('a running command is stopped', stopTurn);
  await step('after a kill of the host Try Again asks again, and the chat goes on', () =>
    killAndTryAgain(host, hostPort),
  );
}

async function chooseParley() {
  await page.click('a.action-label[aria-label*="Chat"]');
  await page.click('text=Manage');
  await page.click('.workspace-trust-editor .monaco-button:has-text("Trust")');
  await page.waitForSelector('text=You trust this folder');
  await page.click('.monaco-modal-editor-block .codicon-close');
  // The list does not change while it is open, and the host may still be connecting.
  const parley = page.locator('.action-widget >> text=Parley');
  for (let tries = 0; tries < 20; tries += 1) {
    await page.click(`${chat} >> text=Local`);
    await delay(1_500);
    if (await parley.isVisible()) break;
    await page.keyboard.press('Escape');
  }
  await parley.click();
  await page.waitForSelector(`${chat} >> text=Demo (built in)`);
}

async function slashCommands() {
  await page.click(input);
  const row = (name) => page.locator(`.suggest-widget .monaco-list-row[aria-label^="${name}"]`);
  // Right after the choice of the harness VS Code does not ask for completions yet.
  for (let tries = 0; tries < 10 && !(await row('/compact').isVisible()); tries += 1) {
    await clearInput();
    await page.keyboard.type('/', { delay: 50 });
    await row('/compact')
      .waitFor({ timeout: 5_000 })
      .catch(() => {});
  }
  for (const name of ['/compact', '/continue', '/undo']) await row(name).waitFor();
  await picture('slash');
  await page.keyboard.press('Escape');
  await clearInput();
}

async function clearInput() {
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Backspace');
}

async function prompt() {
  await page.evaluate((where) => {
    const seen = new Set();
    const look = () => {
      const [, answer] = document.querySelector(where)?.textContent?.split('I see') ?? [];
      if (answer !== undefined) seen.add(answer);
    };
    globalThis.seenAnswers = seen;
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  }, session);
  await send('what is in this folder');
  await page.waitForSelector(`${chat} >> text=I see hello.js`);
  await idle();
  const pieces = await page.evaluate(() => globalThis.seenAnswers.size);
  assert.ok(pieces > 2, `the answer came in ${pieces} pieces`);
}

async function sessionList() {
  const other = start(process.execPath, [program, 'run', '--cwd', workspace, 'read hello.js']);
  assert.equal(await new Promise((resolve) => other.once('exit', resolve)), 0, 'parley run');
  await page.click(`${chat} [aria-label="Show Agent Sessions Sidebar"]:visible`);
  for (const title of ['read hello.js', 'what is in this folder'])
    await page.waitForSelector(`${chat} .monaco-list-row:visible >> text=${title}`);
  await picture('list');
  await page.click(`${chat} .monaco-list-row:visible >> text=read hello.js`);
  await page.waitForSelector(`${chat} >> text=It has 2 lines`);
  await page.click(`${chat} .monaco-list-row:visible >> text=what is in this folder`);
  await page.waitForSelector(`${chat} >> text=I see hello.js`);
  await page.click(`${chat} [aria-label="Hide Agent Sessions Sidebar"]:visible`);
}

async function longCommand() {
  await send(`run echo start && printf %s ${'a'.repeat(280)} && echo the-very-end`);
  const shown = await page.waitForSelector(`${question} .view-lines`);
  const text = (await shown.innerText()).replaceAll(/\s/g, '');
  assert.match(text, /echostart&&printf%sa{280}&&echothe-very-end/, 'the command is shown whole');
  await page.hover(`${question} .view-lines`);
  const end = [`${question} .monaco-scrollable-element`.replace(':visible', ''), 'the-very-end'];
  // One turn of the wheel moves the box by a few lines.
  for (let turns = 0; turns < 20 && !(await page.evaluate(isInSight, end)); turns += 1) {
    await page.mouse.wheel(0, 2_000);
    await delay(200);
  }
  assert.ok(await page.evaluate(isInSight, end), 'the end of the command can be scrolled into sight');
  await picture('command');
  await allow();
  await page.waitForSelector(`${chat} >> text=It ended well`);
  await idle();
}

async function edit() {
  await send('replace const with let in hello.js');
  await page.waitForSelector(question);
  await page.click(`${question} [class*="codicon-diff"]`);
  await page.waitForSelector('.multiDiffEntry >> text=hello.js');
  await page.waitForSelector('.multiDiffEntry .editor.modified[data-mode-id="javascript"]');
  await page.waitForSelector('.multiDiffEntry .line-insert, .multiDiffEntry .char-insert');
  await page.waitForFunction(() => {
    const tokens = [...document.querySelectorAll('.multiDiffEntry .editor.modified .view-line span span')];
    return new Set(tokens.map((token) => getComputedStyle(token).color)).size > 2;
  });
  assert.equal(
    await page.innerText('.multiDiffEntry .status'),
    '',
    'the file is not shown as new or renamed',
  );
  await picture('difference');
  await allow();
  await page.waitForSelector(`${chat} >> text=is changed`);
  await idle();
  const said = (await page.innerText(session)).replaceAll(/\s+/g, ' ');
  assert.match(said, /1 file changed \+1 -1/, 'the turn says what it changed');
  await picture('changed');
}

async function steer() {
  const [command, message] = ['until test -e go; do sleep 0.2; done', 'list the files in src'];
  await send(`run ${command}`);
  await allow();
  await page.waitForSelector(stop);
  await send(message);
  const isWaiting = ({ kind, lane, message: queued }) =>
    kind === 'message.queued' && lane === 'steer' && queued.text === message;
  await stored(isWaiting, 'the message waits for the running turn');
  writeFileSync(join(workspace, 'go'), '');
  await page.waitForSelector(`${chat} >> text=/That did not work.*src/`);
  await idle();
  const isBegun = (event) => event.kind === 'turn.started' && event.message.text === `run ${command}`;
  const isSteered = (event) => event.kind === 'message.steered' && event.message.text === message;
  const [begun, steered] = [await stored(isBegun, 'the turn'), await stored(isSteered, 'the message in it')];
  assert.equal(steered.turn, begun.turn, 'the message reached the turn that ran');
  await picture('steered');
}

async function stopTurn() {
  await send('run touch running && sleep 600');
  await allow();
  await exists('running');
  await page.click(stop);
  await idle();
  await stored(({ kind, outcome }) => kind === 'turn.ended' && outcome.kind === 'cancelled', 'the end');
}

/** The last event in the log of the session that fits, once it is there. */
async function stored(fits, what) {
  const end = Date.now() + patience;
  for (;;) {
    const found = (await events()).findLast(fits);
    if (found) return found;
    assert.ok(Date.now() < end, `${what} is in the log`);
  }
}

/** What the log of the session has. */
async function events() {
  const sessions = JSON.parse(await output('sessions', '--json'));
  const { id } = sessions.find(({ title }) => title === 'what is in this folder');
  const lines = (await output('sessions', 'export', id)).trim().split('\n');
  return lines.slice(1).map((line) => JSON.parse(line).event);
}

async function output(...args) {
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], {
    env,
    cwd: home,
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

async function killAndTryAgain(host, port) {
  await send('run touch started && sleep 601');
  await allow();
  // A host that is killed before the command runs still asks about it, and there is nothing to try again.
  await exists('started');
  const ended = once(host, 'exit');
  host.kill('SIGKILL');
  await ended;
  await startHost(port);
  await page.waitForSelector('text=Parley was restarted');
  await picture('stopped');
  await page.click('.monaco-button:has-text("Try Again")');
  await page.waitForSelector(`${question}:has-text("sleep 601")`);
  await picture('again');
  await page.click(`${question} .monaco-button:has-text("Skip")`);
  await idle();
  await send('read hello.js');
  await page.waitForSelector(`${chat} >> text=It has 2 lines`);
}

/** Waits until the command has made a file. */
async function exists(name) {
  const end = Date.now() + patience;
  while (!existsSync(join(workspace, name))) {
    assert.ok(Date.now() < end, 'the command runs');
    await delay(100);
  }
}

async function send(text) {
  await page.click(input);
  await page.keyboard.insertText(text);
  await page.keyboard.press('Enter');
}

async function allow() {
  await page.click(`${question} .monaco-button:has-text("Allow")`);
}

/** Waits until no turn runs. */
async function idle() {
  await page.waitForSelector(`${chat} [aria-label^="Send"]`);
}

/** Whether somebody sees the end of the text: neither the box nor anything in front of it hides it. */
function isInSight([box, text]) {
  const lines = [...document.querySelectorAll(`${box} .view-line`)];
  return lines.some((line) => {
    if (!line.textContent.includes(text)) return false;
    const { right, top, bottom } = line.firstElementChild.getBoundingClientRect();
    const seen = document.elementFromPoint(right - 2, (top + bottom) / 2);
    return line.closest('.monaco-editor').contains(seen);
  });
}

async function step(name, run) {
  try {
    await run();
  } catch (error) {
    await picture('failed');
    if (pictures) writeFileSync(join(pictures, 'failed.html'), await page.content());
    throw new Error(`not so: ${name}`, { cause: error });
  }
  process.stdout.write(`${name}\n`);
}

async function picture(name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}

async function startHost(port) {
  const host = start(process.execPath, [program, 'serve', '--port', String(port)]);
  await reached(port);
  return host;
}

async function startCode(port, hostPort, token) {
  const main = join(codeServer, 'lib', 'vscode', 'out', 'server-main.js');
  assert.ok(existsSync(main), `${main} does not exist`);
  const own = ['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'];
  const data = ['--accept-server-license-terms', '--server-data-dir', join(home, 'code')];
  const bridge = ['--agent-host-bridge-port', String(hostPort), '--agent-host-bridge-host', '127.0.0.1'];
  const proof = ['--agent-host-bridge-connection-token', token];
  start(node24, [main, ...own, ...data, '--telemetry-level', 'off', ...bridge, ...proof]);
  await reached(port);
}

function start(command, args) {
  const child = spawn(command, args, { env, cwd: home, stdio: 'ignore' });
  children.add(child);
  return child;
}

async function reached(port) {
  const end = Date.now() + patience;
  while (Date.now() < end) {
    const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
    if (answer) return;
    await delay(100);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
