// The console in a real browser, with a short session and one of ten thousand parts: time until the session
// is shown, and work of the main thread per streamed piece. The limits are on the ratios of the two sessions.
import { chromium } from 'playwright-core';
import type { CDPSession, Page } from 'playwright-core';
import type { ResponsePart, Turn } from '../src/protocols/ahp/v1_0/state.ts';
import { ScriptedHost } from '../test/scenarios/console/scriptedHost.ts';
import { listen } from '../test/scenarios/console/server.ts';
import {
  chatState,
  chatUri,
  rootState,
  sessionState,
  summaryOf,
  turnOf,
} from '../test/scenarios/console/states.ts';
import { print } from './kit.ts';

const session = 'ahp-session:/bench';
const chat = chatUri(session);
const pieces = 3000;
/** Limit: cost of a piece in the long session, relative to the short one. */
const mostRatio = 3;
/** Limit: time until the long session is shown, relative to the short one. All of it has to arrive first. */
const mostPaint = 4;

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: flags });

const short = await measure(10);
const long = await measure(10_000);
await browser.close();

const painted = long.firstPaint / Math.max(short.firstPaint, 1);
print(
  `the long session is on the screen after ${painted.toFixed(2)}x the time of the short one (at most ` +
    `${mostPaint}x)`,
);
const ratio = long.perPiece / Math.max(short.perPiece, 0.001);
print(`a piece costs ${ratio.toFixed(2)}x as much in the long session (at most ${mostRatio}x)`);
process.exitCode = ratio <= mostRatio && painted <= mostPaint ? 0 : 1;

async function measure(parts: number): Promise<{ readonly perPiece: number; readonly firstPaint: number }> {
  const host = new ScriptedHost(rootState());
  host.place('session', session, sessionState(session, { title: 'Bench' }));
  host.place('chat', chat, chatState(chat, { turns: history(parts) }));
  host.summaries.set(session, summaryOf(session, { title: 'Bench' }));
  const served = await listen(host);
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');

  const started = performance.now();
  await page.goto(`${served.address}#/session/${encodeURIComponent(session)}`);
  await page.getByText(`Part ${parts - 1} ends.`).waitFor();
  const firstPaint = performance.now() - started;
  print(
    `${parts} parts: on the screen after ${Math.round(firstPaint)} ms, ${await nodes(page)} elements, ` +
      `${Math.round(await busy(devtools))} ms of work`,
  );

  const before = await busy(devtools);
  await stream(host, page);
  const perPiece = (await busy(devtools)) - before;
  print(`${parts} parts: ${(perPiece / pieces).toFixed(3)} ms of work per streamed piece`);

  const beforeScroll = await busy(devtools);
  await page.evaluate(
    "new Promise((done) => { const box = document.querySelector('.chat'); let left = 60; const " +
      'step = () => { box.scrollTop -= 400; left -= 1; if (left > 0) requestAnimationFrame(step); else ' +
      'done(); }; step(); })',
  );
  print(
    `${parts} parts: ${((await busy(devtools)) - beforeScroll).toFixed(0)} ms of work for 60 frames of ` +
      `scrolling, ${await nodes(page)} elements`,
  );
  await page.close();
  await served.stop();
  return { perPiece, firstPaint };
}

function history(parts: number): readonly Turn[] {
  const perTurn = Math.min(50, parts);
  return Array.from({ length: parts / perTurn }, (_, turn) => {
    const responseParts = Array.from({ length: perTurn }, (_part, index): ResponsePart =>
      part(turn * perTurn + index),
    );
    return turnOf(`t${turn}`, `Question ${turn}`, { responseParts });
  });
}

function part(index: number): ResponsePart {
  if (index % 5 !== 0)
    return {
      kind: 'markdown',
      id: `m${index}`,
      content: `Some **words** with \`code\` and a list:\n\n- one\n- two\n\nPart ${index} ends.`,
    };
  return {
    kind: 'toolCall',
    toolCall: {
      status: 'completed',
      toolCallId: `c${index}`,
      toolName: 'read',
      displayName: 'Read',
      invocationMessage: 'Read a file',
      pastTenseMessage: `Read file ${index}`,
      confirmed: 'setting',
      success: true,
      content: [{ type: 'text', text: 'line\n'.repeat(20) }],
    },
  };
}

/** Ten pieces every few milliseconds, as a fast model sends them, into one answer of many blocks. */
async function stream(host: ScriptedHost, page: Page): Promise<void> {
  const turnId = 'live';
  host.emit(chat, {
    type: 'chat/turnStarted',
    turnId,
    startedAt: '2026-01-02T03:04:05.000Z',
    message: { text: 'Stream', origin: { kind: 'user' } },
  });
  host.emit(chat, { type: 'chat/responsePart', turnId, part: { kind: 'markdown', id: 'live', content: '' } });
  for (let sent = 0; sent < pieces; sent += 1) {
    host.emit(chat, {
      type: 'chat/delta',
      turnId,
      partId: 'live',
      content: sent % 60 === 59 ? '\n\n' : ` word${sent}`,
    });
    if (sent % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 8));
  }
  host.emit(chat, { type: 'chat/delta', turnId, partId: 'live', content: ' streamed to its end' });
  await page.getByText('streamed to its end').waitFor();
}

/** Milliseconds that the page's main thread has worked so far. */
async function busy(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0);
}

async function nodes(page: Page): Promise<number> {
  return Number(await page.evaluate("document.querySelectorAll('*').length"));
}
