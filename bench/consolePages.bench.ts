// The console as a person meets it: the real host, a real agent and a real browser. What is loaded before a
// session of ten thousand parts is shown, the time until then, and the script of a frame while the
// transcript scrolls and while fifty sessions of the list work. Script is counted in the time of the
// processor, which other programs change less; the time until something is shown is that of the clock.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import type { Page } from 'playwright-core';
import { connect } from '../client/node.ts';
import type { Session } from '../client/api.ts';
import { newHome } from '../test/kit/parley.ts';
import { print, record } from './kit.ts';

const turns = 200;
const partsOfTurn = 50;
const liveSessions = 50;
const frames = 120;

/** Answers "live" with a call twice a second until it is stopped, and anything else with fifty parts. */
const agent = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const stopped = new Set();
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
let sessions = 0;
let calls = 0;
const call = (sessionId, title, text) => {
  const update = (fields) => send({ method: 'session/update', params: { sessionId, update: fields } });
  const toolCallId = 'c' + (calls += 1);
  update({ sessionUpdate: 'tool_call', toolCallId, title, kind: 'read', status: 'in_progress' });
  const content = [{ type: 'content', content: { type: 'text', text: 'line\\n'.repeat(20) } }];
  update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', content });
  update({ sessionUpdate: 'agent_message_chunk', messageId: toolCallId, content: { type: 'text', text } });
};
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: 1 } });
  if (method === 'session/new') send({ id, result: { sessionId: 's' + (sessions += 1) } });
  if (method === 'session/cancel') stopped.add(params.sessionId);
  if (method !== 'session/prompt') return;
  const { sessionId, prompt } = params;
  const say = 'Some **words** with \`code\` and a list:\\n\\n- one\\n- two\\n\\n';
  if (prompt[0].text === 'live')
    for (let step = 0; !stopped.has(sessionId); step += 1) {
      call(sessionId, 'Read file ' + step, say);
      await wait(500);
    }
  else
    for (let part = 0; part < ${partsOfTurn / 2}; part += 1)
      call(sessionId, 'Read file ' + part, say + prompt[0].text + ', part ' + part + ' ends.');
  send({ id, result: { stopReason: stopped.has(sessionId) ? 'cancelled' : 'end_turn' } });
}).on('close', () => process.exit(0));
`;

const scripts = new Set([
  'EvaluateScript',
  'EventDispatch',
  'FireAnimationFrame',
  'FunctionCall',
  'TimerFire',
]);

const readTrace: (text: string) => { readonly traceEvents: readonly TraceEvent[] } = JSON.parse;

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'];

const home = newHome(resolve('bin/parley.js'));
const program = join(home.dir, 'agent.cjs');
writeFileSync(program, agent);
const settings = String(home.env['PARLEY_HOME']);
mkdirSync(settings, { recursive: true });
writeFileSync(
  join(settings, 'config.jsonc'),
  JSON.stringify({ agents: { bench: { command: process.execPath, args: [program] } } }),
);
const host = await home.serve();
const at = `http://127.0.0.1:${host.port}`;
const client = await connect({ url: at, token: host.token });
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });

await measureLongSession();
await measureList();
await browser.close();
await home.dispose();
// The library would connect again.
process.exit(0);

async function newSession(): Promise<Session> {
  return client.create({ agent: 'bench', folder: home.workspace });
}

async function measureLongSession(): Promise<void> {
  const session = await newSession();
  for (let turn = 0; turn < turns; turn += 1) await session.prompt(`Question ${turn}`).result;
  const end = `Question ${turns - 1}, part ${partsOfTurn / 2 - 1} ends.`;
  const page = await newPage();
  const loading = await loadedScript(page);
  const started = performance.now();
  await page.goto(`${at}/?tkn=${host.token}#/session/${encodeURIComponent(`ahp-session:/${session.id}`)}`);
  await page.getByText(end).waitFor();
  const shown = performance.now() - started;
  const loaded = loading();
  print(`${turns * partsOfTurn} parts: on the screen after ${Math.round(shown)} ms, ${loaded.toFixed(0)} KB`);
  await page.waitForTimeout(1000);
  await page.mouse.move(700, 400);
  const script = await mostScript(page, () => page.mouse.wheel(0, -400));
  print(`${turns * partsOfTurn} parts: at most ${script.toFixed(1)} ms of script in a frame of scrolling`);
  await page.close();
  session.close();
  record(
    { name: 'consolePages: script at the start', unit: 'KB', parley: loaded },
    { name: 'consolePages: 10000 parts on the screen', unit: 'ms', parley: shown },
    { name: 'consolePages: 10000 parts, script of a frame while scrolling', unit: 'ms', parley: script },
  );
}

/** Every session of the list works while it is shown. */
async function measureList(): Promise<void> {
  const sessions: Session[] = [];
  while (sessions.length < liveSessions) {
    const session = await newSession();
    void session.prompt('live').result;
    sessions.push(session);
  }
  const page = await newPage();
  await page.goto(`${at}/?tkn=${host.token}`);
  await page
    .locator('.sessions .session.hot')
    .nth(liveSessions - 1)
    .waitFor();
  await page.waitForTimeout(1000);
  const script = await mostScript(page, () => Promise.resolve());
  print(`${liveSessions} live sessions: at most ${script.toFixed(1)} ms of script in a frame`);
  await page.close();
  record({ name: 'consolePages: 50 live sessions, script of a frame', unit: 'ms', parley: script });
}

function newPage(): Promise<Page> {
  return browser.newPage({ viewport: { width: 1200, height: 800 } });
}

/** Counts the script that the page loads, in KB as it is sent. */
async function loadedScript(page: Page): Promise<() => number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const asked = new Set<string>();
  let bytes = 0;
  devtools.on('Network.responseReceived', ({ requestId, type }) => {
    if (type === 'Script') asked.add(requestId);
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (asked.has(requestId)) bytes += encodedDataLength;
  });
  return () => bytes / 1024;
}

/** The most script of one of many frames, before each of which something happens. */
async function mostScript(page: Page, step: () => Promise<void>): Promise<number> {
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline'];
  await browser.startTracing(page, { categories });
  for (let frame = 0; frame < frames; frame += 1) {
    await step();
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
  const { traceEvents } = readTrace((await browser.stopTracing()).toString());
  return Math.max(...scriptOfFrames(traceEvents));
}

interface TraceEvent {
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  /** In microseconds: when it began, how long it took, and how long the processor worked for it. */
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** Milliseconds of script of each frame of the page; a frame ends when it is handed to the compositor. */
function scriptOfFrames(events: readonly TraceEvent[]): readonly number[] {
  const drawn = events.find(({ name }) => name === 'FireAnimationFrame');
  const own = events
    .filter(({ pid, tid }) => pid === drawn?.pid && tid === drawn.tid)
    .toSorted((a, b) => a.ts - b.ts);
  const scriptPerFrame = [0];
  let until = 0;
  for (const { name, ts, dur = 0, tdur = dur } of own) {
    if (name === 'Commit') scriptPerFrame.push(0);
    // Script that another one called is counted there.
    if (!scripts.has(name) || ts < until) continue;
    until = ts + dur;
    scriptPerFrame.push((scriptPerFrame.pop() ?? 0) + tdur / 1000);
  }
  return scriptPerFrame;
}
